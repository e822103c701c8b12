#include "fingerprint/environment.h"

#include <array>

namespace kgate::fingerprint {
namespace {

struct Variable {
  const char* name;
  const char* timing;
};

// kgate's children start with an environment of their own (runner/client.cpp): what is set here reaches no kernel.
constexpr const char* kOthers = "kgate's kernels run without it; times of other programs may change";
constexpr const char* kToolkit = "another toolkit may be found: then other machine code, and times change either way";
constexpr const char* kVisible = "the container may see other GPUs";

// From "CUDA C++ Programming Guide" (CUDA environment variables), the manuals of MPS and of the NVIDIA Container
// Toolkit.
constexpr std::array<Variable, 36> kVariables{{
    {"CUDA_AUTO_BOOST", kOthers},
    {"CUDA_BINARY_LOADER_THREAD_COUNT", kOthers},
    {"CUDA_CACHE_DISABLE", kOthers},
    {"CUDA_CACHE_MAXSIZE", kOthers},
    {"CUDA_CACHE_PATH", kOthers},
    {"CUDA_DEVICE_MAX_CONNECTIONS", kOthers},
    {"CUDA_DEVICE_MAX_COPY_CONNECTIONS", kOthers},
    {"CUDA_DEVICE_ORDER", kOthers},
    {"CUDA_DEVICE_WAITS_ON_EXCEPTION", kOthers},
    {"CUDA_DISABLE_JIT", kOthers},
    {"CUDA_DISABLE_PTX_JIT", kOthers},
    {"CUDA_ENABLE_COREDUMP_ON_EXCEPTION", kOthers},
    {"CUDA_ENABLE_LIGHTWEIGHT_COREDUMP", kOthers},
    {"CUDA_FORCE_JIT", kOthers},
    {"CUDA_FORCE_PRELOAD_LIBRARIES", kOthers},
    {"CUDA_FORCE_PTX_JIT", kOthers},
    {"CUDA_GRAPHS_USE_NODE_PRIORITY", kOthers},
    {"CUDA_HOME", kToolkit},
    {"CUDA_INJECTION64_PATH", kOthers},
    {"CUDA_LAUNCH_BLOCKING", kOthers},
    {"CUDA_MANAGED_FORCE_DEVICE_ALLOC", kOthers},
    {"CUDA_MODULE_DATA_LOADING", kOthers},
    {"CUDA_MODULE_LOADING", kOthers},
    {"CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", kOthers},
    {"CUDA_MPS_CLIENT_PRIORITY", kOthers},
    {"CUDA_MPS_PINNED_DEVICE_MEM_LIMIT", kOthers},
    {"CUDA_MPS_PIPE_DIRECTORY", kOthers},
    {"CUDA_PATH", kToolkit},
    {"CUDA_SCALE_LAUNCH_QUEUES", kOthers},
    {"CUDA_VISIBLE_DEVICES", kOthers},
    {"CXX", "another compiler of the host backend: then other machine code on the CPU, and nothing on a GPU"},
    {"LD_LIBRARY_PATH", kToolkit},
    {"LD_PRELOAD", "foreign code in kgate itself, not in its kernels: what it does to times nobody can tell"},
    {"NVIDIA_DRIVER_CAPABILITIES", kVisible},
    {"NVIDIA_TF32_OVERRIDE", kOthers},
    {"NVIDIA_VISIBLE_DEVICES", kVisible},
}};

}  // namespace

Json environment_fields(const std::map<std::string, std::string>& variables) {
  Json fields = Json::object();
  for (const Variable& one : kVariables) {
    if (const auto found = variables.find(one.name); found != variables.end()) fields[one.name] = found->second;
  }
  return fields;
}

const char* environment_timing(const std::string& variable) {
  for (const Variable& one : kVariables) {
    if (variable == one.name) return one.timing;
  }
  return "nothing is known about it";
}

}  // namespace kgate::fingerprint
