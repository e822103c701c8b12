#include "runner/cuda/nvrtc.h"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>

#include "base/error.h"
#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {

struct Nvrtc::Functions {
  nvrtcResult (*version)(int* major, int* minor) = nullptr;
  nvrtcResult (*create)(nvrtcProgram* program, const char* text, const char* name, int count,
                        const char* const* headers, const char* const* names) = nullptr;
  nvrtcResult (*destroy)(nvrtcProgram* program) = nullptr;
  nvrtcResult (*add_name)(nvrtcProgram program, const char* expression) = nullptr;
  nvrtcResult (*compile)(nvrtcProgram program, int count, const char* const* options) = nullptr;
  nvrtcResult (*lowered_name)(nvrtcProgram program, const char* expression, const char** lowered) = nullptr;
  nvrtcResult (*log_size)(nvrtcProgram program, std::size_t* bytes) = nullptr;
  nvrtcResult (*log)(nvrtcProgram program, char* text) = nullptr;
  nvrtcResult (*cubin_size)(nvrtcProgram program, std::size_t* bytes) = nullptr;
  nvrtcResult (*cubin)(nvrtcProgram program, char* code) = nullptr;
  nvrtcResult (*architecture_count)(int* count) = nullptr;
  nvrtcResult (*architectures)(int* numbers) = nullptr;
};

namespace {

constexpr const char* kInstall = "install the CUDA toolkit's NVRTC, or name its folder with --cuda";

template <typename Function>
void find(void* library, const std::string& path, Function*& slot, const char* name) {
  slot = reinterpret_cast<Function*>(::dlsym(library, name));
  if (slot == nullptr)
    throw Error(ErrorKind::environment, path, fmt::format("has no {}: it is no NVRTC, or one older than 11.8", name),
                kInstall);
}

// NVRTC opens its built-in functions by name alone. A copy beside it that is open already is found, wherever the linker
// searches.
void open_builtins(const std::string& path, int major, int minor) {
  const auto beside =
      std::filesystem::path(path).parent_path() / fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
  ::dlopen(beside.c_str(), RTLD_NOW | RTLD_LOCAL);
}

void require(nvrtcResult result, const std::string& name, const std::string& log) {
  if (result == NVRTC_SUCCESS) return;
  const Meaning meaning = nvrtc_meaning(static_cast<int>(result));
  std::string fact = "failed with " + describe(meaning);
  if (!log.empty()) fact += " (" + log + ")";
  throw Error(ErrorKind::environment, name, fact, meaning.remedy);
}

}  // namespace

Nvrtc::Nvrtc(const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::environment, "nvrtc", "was not found", kInstall);
  void* library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* reason = ::dlerror();
    throw Error(ErrorKind::environment, path,
                std::string("cannot be opened: ") + (reason != nullptr ? reason : "unknown reason"), kInstall);
  }
  // Never closed: it keeps threads and caches of its own that do not survive being unloaded.
  auto functions = std::make_shared<Functions>();
  find(library, path, functions->version, "nvrtcVersion");
  find(library, path, functions->create, "nvrtcCreateProgram");
  find(library, path, functions->destroy, "nvrtcDestroyProgram");
  find(library, path, functions->add_name, "nvrtcAddNameExpression");
  find(library, path, functions->compile, "nvrtcCompileProgram");
  find(library, path, functions->lowered_name, "nvrtcGetLoweredName");
  find(library, path, functions->log_size, "nvrtcGetProgramLogSize");
  find(library, path, functions->log, "nvrtcGetProgramLog");
  find(library, path, functions->cubin_size, "nvrtcGetCUBINSize");
  find(library, path, functions->cubin, "nvrtcGetCUBIN");
  find(library, path, functions->architecture_count, "nvrtcGetNumSupportedArchs");
  find(library, path, functions->architectures, "nvrtcGetSupportedArchs");
  require(functions->version(&major_, &minor_), path, {});
  open_builtins(path, major_, minor_);
  functions_ = std::move(functions);
}

std::string Nvrtc::version() const {
  return fmt::format("{}.{}", major_, minor_);
}

std::vector<int> Nvrtc::architectures() const {
  int count = 0;
  require(functions_->architecture_count(&count), name(), {});
  std::vector<int> numbers(static_cast<std::size_t>(count));
  if (count > 0) require(functions_->architectures(numbers.data()), name(), {});
  return numbers;
}

Nvrtc::Output Nvrtc::compile(const Input& input) const {
  const Functions& call = *functions_;
  nvrtcProgram program = nullptr;
  require(call.create(&program, input.text.c_str(), input.name.c_str(), 0, nullptr, nullptr), name(), {});
  const std::unique_ptr<nvrtcProgram, decltype(call.destroy)> owner(&program, call.destroy);

  for (const std::string& expression : input.name_expressions) {
    require(call.add_name(program, expression.c_str()), name(), expression);
  }
  std::vector<const char*> options;
  for (const std::string& option : input.options) options.push_back(option.c_str());

  Output output;
  output.result = call.compile(program, static_cast<int>(options.size()), options.data());
  std::size_t bytes = 0;
  require(call.log_size(program, &bytes), name(), {});
  if (bytes > 1) {
    output.log.resize(bytes);
    require(call.log(program, output.log.data()), name(), {});
    output.log.resize(bytes - 1);  // without the final zero
  }
  if (output.result != NVRTC_SUCCESS) {
    if (nvrtc_meaning(static_cast<int>(output.result)).blame == Blame::machine)
      require(output.result, name(), output.log);
    return output;
  }
  for (const std::string& expression : input.name_expressions) {
    const char* symbol = nullptr;
    require(call.lowered_name(program, expression.c_str(), &symbol), name(), expression);
    output.symbols.emplace_back(symbol);
  }
  require(call.cubin_size(program, &bytes), name(), {});
  output.cubin.resize(bytes);
  if (bytes > 0) require(call.cubin(program, reinterpret_cast<char*>(output.cubin.data())), name(), {});
  return output;
}

}  // namespace kgate::runner::cuda
