#include "runner/cuda/errors.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace kgate::runner::cuda {
namespace {

constexpr auto kKernel = Blame::kernel;
constexpr auto kMachine = Blame::machine;

constexpr const char* kDefect = "this is a defect of kgate; please report it";
constexpr const char* kDriver =
    "look for NVRM and Xid lines in the kernel log (dmesg), reset the GPU or restart the machine";
constexpr const char* kReinstall =
    "install the NVIDIA driver again, kernel module and libraries of one version, and restart";
constexpr const char* kMps = "restart the CUDA MPS daemon, or run without it";

// Numbers instead of the enumerators of cuda.h: the table must know codes that the header it is built with does not
// have yet.
constexpr std::array kDriverMeanings{
    Meaning{1, "CUDA_ERROR_INVALID_VALUE", kMachine, "an argument of the call is out of range", kDefect},
    Meaning{2, "CUDA_ERROR_OUT_OF_MEMORY", kMachine, "the GPU, or pinned host memory, has not enough room left",
            "stop other processes on this GPU, or make the case or the pool smaller"},
    Meaning{3, "CUDA_ERROR_NOT_INITIALIZED", kMachine, "the driver is not initialised in this process", kDefect},
    Meaning{4, "CUDA_ERROR_DEINITIALIZED", kMachine, "the driver is shutting down", "run again"},
    Meaning{34, "CUDA_ERROR_STUB_LIBRARY", kMachine, "libcuda.so.1 is the toolkit's link-time stub, not a driver",
            "take the folder stubs/ out of the library path, and install the NVIDIA driver"},
    Meaning{35, "CUDA_ERROR_INSUFFICIENT_DRIVER", kMachine, "the driver is older than the toolkit needs",
            "install a newer NVIDIA driver, or an older CUDA toolkit"},
    Meaning{36, "CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER", kMachine, "the driver is older than this call",
            "install a newer NVIDIA driver"},
    Meaning{46, "CUDA_ERROR_DEVICE_UNAVAILABLE", kMachine,
            "another process holds the GPU alone (exclusive compute mode)",
            "wait until it is free, or set the compute mode to default with nvidia-smi -c 0"},
    Meaning{100, "CUDA_ERROR_NO_DEVICE", kMachine, "the driver sees no GPU",
            "look at nvidia-smi; in a container, start it with access to the GPU (--gpus all)"},
    Meaning{101, "CUDA_ERROR_INVALID_DEVICE", kMachine, "there is no such GPU", "list the GPUs with nvidia-smi -L"},
    Meaning{102, "CUDA_ERROR_DEVICE_NOT_LICENSED", kMachine, "this virtual GPU has no license",
            "check the license of the virtual GPU"},
    Meaning{200, "CUDA_ERROR_INVALID_IMAGE", kMachine, "the machine code is not a cubin that the driver can read",
            "compile it again; a damaged cache entry can be the cause"},
    Meaning{201, "CUDA_ERROR_INVALID_CONTEXT", kMachine, "the context is not valid in this thread any more",
            "run again; if it comes back, reset the GPU"},
    Meaning{202, "CUDA_ERROR_CONTEXT_ALREADY_CURRENT", kMachine, "the context is already in use", kDefect},
    Meaning{205, "CUDA_ERROR_MAP_FAILED", kMachine, "memory could not be mapped", kDriver},
    Meaning{206, "CUDA_ERROR_UNMAP_FAILED", kMachine, "memory could not be unmapped", kDriver},
    Meaning{209, "CUDA_ERROR_NO_BINARY_FOR_GPU", kMachine, "the machine code was compiled for another GPU architecture",
            "compile for this GPU's architecture: remove arch from kernel.toml, or correct it"},
    Meaning{214, "CUDA_ERROR_ECC_UNCORRECTABLE", kMachine, "the GPU's memory has an error that ECC could not correct",
            "take this GPU out of service and look at nvidia-smi -q -d ECC"},
    Meaning{215, "CUDA_ERROR_UNSUPPORTED_LIMIT", kMachine, "this GPU does not have that limit", kDefect},
    Meaning{218, "CUDA_ERROR_INVALID_PTX", kMachine, "the driver's compiler refused the PTX",
            "look at the log above; the PTX may need a newer driver"},
    Meaning{220, "CUDA_ERROR_NVLINK_UNCORRECTABLE", kMachine, "NVLink has an error that could not be corrected",
            "take this GPU out of service and look at nvidia-smi nvlink -e"},
    Meaning{221, "CUDA_ERROR_JIT_COMPILER_NOT_FOUND", kMachine, "the driver's PTX compiler is not installed",
            "install libnvidia-ptxjitcompiler of the driver's version"},
    Meaning{222, "CUDA_ERROR_UNSUPPORTED_PTX_VERSION", kMachine,
            "the code was made by a toolkit newer than the driver understands",
            "install a newer NVIDIA driver, or an older CUDA toolkit"},
    Meaning{223, "CUDA_ERROR_JIT_COMPILATION_DISABLED", kMachine, "compiling PTX is switched off here",
            "unset CUDA_DISABLE_PTX_JIT"},
    Meaning{225, "CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC", kMachine,
            "the code synchronises with child kernels on the device",
            "remove cudaDeviceSynchronize from device code: this architecture does not have it"},
    Meaning{226, "CUDA_ERROR_CONTAINED", kMachine, "a hardware error was contained to this process",
            "run again; look at nvidia-smi -q -d ECC and the kernel log"},
    Meaning{300, "CUDA_ERROR_INVALID_SOURCE", kMachine, "the device code is not valid", "compile it again"},
    Meaning{302, "CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND", kMachine, "a library of the driver lacks a function",
            kReinstall},
    Meaning{303, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED", kMachine, "a library of the driver could not be opened",
            kReinstall},
    Meaning{304, "CUDA_ERROR_OPERATING_SYSTEM", kMachine, "a call of the operating system failed inside the driver",
            "check the rights on /dev/nvidia*, limits on locked memory and on open files, and the container's device "
            "access; \"kgate-runner --backend cuda --explain-sandbox\" shows what kgate's own sandbox refuses"},
    Meaning{400, "CUDA_ERROR_INVALID_HANDLE", kMachine, "a handle is not valid", kDefect},
    Meaning{401, "CUDA_ERROR_ILLEGAL_STATE", kMachine, "a resource is in the wrong state for this call", kDefect},
    Meaning{500, "CUDA_ERROR_NOT_FOUND", kMachine, "there is nothing of that name",
            "the driver may be too old: install a newer one"},
    Meaning{600, "CUDA_ERROR_NOT_READY", kMachine, "the work has not ended yet", kDefect},
    Meaning{700, "CUDA_ERROR_ILLEGAL_ADDRESS", kKernel, "the kernel read or wrote outside its buffers",
            "compute-sanitizer shows the line"},
    Meaning{701, "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES", kKernel,
            "the launch needs more registers or threads a block than this GPU has",
            "make the block smaller, or give the kernel __launch_bounds__"},
    Meaning{702, "CUDA_ERROR_LAUNCH_TIMEOUT", kKernel,
            "the kernel ran longer than the time limit that the driver sets on a GPU with a display",
            "run on a GPU without a display, if the kernel is meant to be that slow"},
    Meaning{703, "CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING", kKernel, "the kernel uses textures in another mode", ""},
    Meaning{708, "CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE", kMachine, "the GPU's primary context is in use already", kDefect},
    Meaning{709, "CUDA_ERROR_CONTEXT_IS_DESTROYED", kMachine, "the context is gone", "run again"},
    Meaning{710, "CUDA_ERROR_ASSERT", kKernel, "an assert in the kernel failed", ""},
    Meaning{714, "CUDA_ERROR_HARDWARE_STACK_ERROR", kKernel, "the kernel's call stack is corrupt or overflowed", ""},
    Meaning{715, "CUDA_ERROR_ILLEGAL_INSTRUCTION", kKernel,
            "the kernel ran an instruction that is not valid, or a trap", ""},
    Meaning{716, "CUDA_ERROR_MISALIGNED_ADDRESS", kKernel,
            "the kernel read or wrote at an address that is not a multiple of the access's size", ""},
    Meaning{717, "CUDA_ERROR_INVALID_ADDRESS_SPACE", kKernel,
            "the kernel used an address in the wrong memory space (global, shared, local)", ""},
    Meaning{718, "CUDA_ERROR_INVALID_PC", kKernel, "the kernel jumped to an address that is not code", ""},
    Meaning{719, "CUDA_ERROR_LAUNCH_FAILED", kKernel,
            "the kernel failed while it ran: a trap, or a bad address in shared memory or in a pointer", ""},
    Meaning{720, "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE", kKernel,
            "a cooperative launch has more blocks than can be on the GPU at once", "make the grid smaller"},
    Meaning{721, "CUDA_ERROR_TENSOR_MEMORY_LEAK", kKernel, "the kernel ended without freeing its tensor memory", ""},
    Meaning{800, "CUDA_ERROR_NOT_PERMITTED", kMachine, "the operation is not permitted",
            "stream capture or another user of the GPU can be in the way; run again"},
    Meaning{801, "CUDA_ERROR_NOT_SUPPORTED", kMachine, "this GPU or driver does not support the operation",
            "install a newer NVIDIA driver, or run on a newer GPU"},
    Meaning{802, "CUDA_ERROR_SYSTEM_NOT_READY", kMachine,
            "the system is not ready: a service that the GPU needs is not running",
            "start nvidia-fabricmanager (systems with NVSwitch), or wait until the GPU has come up"},
    Meaning{803, "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH", kMachine,
            "libcuda and the kernel module are of different driver versions",
            "restart after the driver's update; in a container, restart the container"},
    Meaning{804, "CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE", kMachine,
            "the forward compatibility package does not support this GPU",
            "take the package cuda-compat out of the library path, and install a newer NVIDIA driver"},
    Meaning{805, "CUDA_ERROR_MPS_CONNECTION_FAILED", kMachine, "the MPS daemon cannot be reached", kMps},
    Meaning{806, "CUDA_ERROR_MPS_RPC_FAILURE", kMachine, "a call to the MPS server failed", kMps},
    Meaning{807, "CUDA_ERROR_MPS_SERVER_NOT_READY", kMachine, "the MPS server is not ready", "run again in a moment"},
    Meaning{808, "CUDA_ERROR_MPS_MAX_CLIENTS_REACHED", kMachine, "the MPS server has all the clients it takes", kMps},
    Meaning{809, "CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED", kMachine, "the GPU has all the MPS connections it takes",
            kMps},
    Meaning{810, "CUDA_ERROR_MPS_CLIENT_TERMINATED", kMachine,
            "the MPS server ended this client, for another one's fault",
            "run without MPS: a fault of any client ends all of them"},
    Meaning{900, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED", kMachine, "the operation cannot be captured into a graph",
            kDefect},
    Meaning{901, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED", kMachine, "an earlier error ended the capture of a graph",
            kDefect},
    Meaning{906, "CUDA_ERROR_STREAM_CAPTURE_IMPLICIT", kMachine, "the legacy stream cannot be captured", kDefect},
    Meaning{908, "CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD", kMachine, "the capture began in another thread", kDefect},
    Meaning{909, "CUDA_ERROR_TIMEOUT", kMachine, "the driver's own wait ran out", kDriver},
    Meaning{911, "CUDA_ERROR_EXTERNAL_DEVICE", kMachine, "a device outside the GPU reported an error", kDriver},
    Meaning{912, "CUDA_ERROR_INVALID_CLUSTER_SIZE", kKernel,
            "the cluster is larger than this kernel can have on this GPU", "make the cluster smaller"},
    Meaning{999, "CUDA_ERROR_UNKNOWN", kMachine, "the driver does not say what failed",
            "check that /dev/nvidia-uvm exists and nvidia-smi works, then reset the GPU or restart the machine"},
};

constexpr const char* kNvrtcInstall =
    "install the CUDA toolkit's NVRTC again, libnvrtc and libnvrtc-builtins of one version";
constexpr std::array kNvrtcMeanings{
    Meaning{1, "NVRTC_ERROR_OUT_OF_MEMORY", kMachine, "the compiler ran out of memory",
            "free some memory, or compile fewer kernels at once"},
    Meaning{2, "NVRTC_ERROR_PROGRAM_CREATION_FAILURE", kMachine, "the compiler could not begin", kNvrtcInstall},
    Meaning{3, "NVRTC_ERROR_INVALID_INPUT", kMachine, "the compiler refused its input", kDefect},
    Meaning{4, "NVRTC_ERROR_INVALID_PROGRAM", kMachine, "the program's handle is not valid", kDefect},
    Meaning{5, "NVRTC_ERROR_INVALID_OPTION", kKernel, "the compiler does not know an option",
            "correct options in kernel.toml"},
    Meaning{6, "NVRTC_ERROR_COMPILATION", kKernel, "the source does not compile", ""},
    Meaning{7, "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE", kMachine, "the compiler lacks its built-in functions",
            kNvrtcInstall},
    Meaning{8, "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION", kMachine, "an entry was added too late", kDefect},
    Meaning{9, "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION", kMachine, "a name was asked for too early", kDefect},
    Meaning{10, "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID", kKernel, "an entry is not the name of a kernel",
            "correct entry in kernel.toml"},
    Meaning{11, "NVRTC_ERROR_INTERNAL_ERROR", kMachine, "the compiler has a defect that this source shows",
            "try another version of the CUDA toolkit"},
    Meaning{12, "NVRTC_ERROR_TIME_FILE_WRITE_FAILED", kMachine, "the compiler could not write its file of times",
            "take the option --time away"},
    Meaning{13, "NVRTC_ERROR_NO_PCH_CREATE_ATTEMPTED", kMachine, "no precompiled header was made", kDefect},
    Meaning{14, "NVRTC_ERROR_PCH_CREATE_HEAP_EXHAUSTED", kMachine, "the heap for precompiled headers is full",
            "take the option --pch away"},
    Meaning{15, "NVRTC_ERROR_PCH_CREATE", kMachine, "a precompiled header could not be made",
            "take the option --pch away"},
    Meaning{16, "NVRTC_ERROR_CANCELLED", kMachine, "the compilation was cancelled", "run again"},
    Meaning{17, "NVRTC_ERROR_TIME_TRACE_FILE_WRITE_FAILED", kMachine, "the compiler could not write its trace",
            "take the option away that asks for it"},
};

Meaning find(std::span<const Meaning> meanings, int code, const char* unknown) {
  const auto found =
      std::find_if(meanings.begin(), meanings.end(), [code](const Meaning& m) { return m.code == code; });
  if (found != meanings.end()) return *found;
  return {code, unknown, Blame::machine, "kgate does not know this code",
          "look it up in NVIDIA's documentation; a newer kgate may know it"};
}

}  // namespace

std::span<const Meaning> driver_meanings() {
  return kDriverMeanings;
}
std::span<const Meaning> nvrtc_meanings() {
  return kNvrtcMeanings;
}
Meaning driver_meaning(int code) {
  return find(kDriverMeanings, code, "unknown CUDA error");
}
Meaning nvrtc_meaning(int code) {
  return find(kNvrtcMeanings, code, "unknown NVRTC error");
}

std::string describe(const Meaning& meaning) {
  return fmt::format("{} ({}): {}", meaning.name, meaning.code, meaning.means);
}

KernelFault::KernelFault(const std::string& fault) : Error(ErrorKind::environment, "kernel", fault) {}

void check_machine(CUresult result, const char* call, const std::string& detail) {
  if (result == CUDA_SUCCESS) return;
  const Meaning meaning = driver_meaning(static_cast<int>(result));
  std::string fact = fmt::format("{} failed with {}", call, describe(meaning));
  if (!detail.empty()) fact += " (" + detail + ")";
  throw Error(ErrorKind::environment, "cuda driver", fact, meaning.remedy);
}

void check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  const Meaning meaning = driver_meaning(static_cast<int>(result));
  if (meaning.blame == Blame::kernel) {
    const std::string remedy = meaning.remedy;
    throw KernelFault(describe(meaning) + (remedy.empty() ? "" : "; " + remedy));
  }
  check_machine(result, call);
}

void check_launch(CUresult result, const std::string& entry) {
  switch (result) {
    case CUDA_ERROR_INVALID_VALUE:
      throw KernelFault(
          fmt::format("{}: the driver refused the launch with CUDA_ERROR_INVALID_VALUE (1); check grid, block, "
                      "shared, cluster and the number of arguments",
                      entry));
    case CUDA_ERROR_NOT_SUPPORTED:
      throw KernelFault(
          fmt::format("{}: this GPU cannot launch it like this, CUDA_ERROR_NOT_SUPPORTED (801); check cluster "
                      "and cooperative",
                      entry));
    default:
      check(result, "cuLaunchKernelEx");
  }
}

}  // namespace kgate::runner::cuda
