#include "runner/cuda/driver.h"

#include <filesystem>

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include "base/error.h"
#include "runner/cuda/driver_folder.h"

namespace kgate::runner::cuda {
namespace {

constexpr const char* kSubject = "cuda driver";
constexpr int kOldestDriver = 12000;

// The driver's lookup in its two forms: CUDA 12 added the last parameter and a name of its own for it.
using Lookup12 = CUresult (*)(const char*, void**, int, unsigned long long, int*);
using Lookup11 = CUresult (*)(const char*, void**, int, unsigned long long);
constexpr unsigned long long kLegacyStream = 1;  // CU_GET_PROC_ADDRESS_LEGACY_STREAM

class Resolver {
 public:
  explicit Resolver(void* library)
      : newer_(reinterpret_cast<Lookup12>(::dlsym(library, "cuGetProcAddress_v2"))),
        older_(reinterpret_cast<Lookup11>(::dlsym(library, "cuGetProcAddress"))) {
    if (newer_ == nullptr && older_ == nullptr) {
      throw Error(ErrorKind::environment, kSubject,
                  "libcuda.so.1 has no cuGetProcAddress, so it is older than CUDA 11.3",
                  "install an NVIDIA driver for CUDA 12.0 or newer (525 or newer)");
    }
  }

  // The function as it was in `version` of CUDA (12040 is 12.4); the driver keeps old forms for ever.
  template <typename Function>
  bool find(Function*& slot, const char* name, int version) const {
    void* address = nullptr;
    const CUresult result = newer_ != nullptr ? newer_(name, &address, version, kLegacyStream, nullptr)
                                              : older_(name, &address, version, kLegacyStream);
    if (result != CUDA_SUCCESS || address == nullptr) return false;
    slot = reinterpret_cast<Function*>(address);
    return true;
  }

  template <typename Function>
  void need(Function*& slot, const char* name, int version) const {
    if (find(slot, name, version)) return;
    throw Error(ErrorKind::environment, kSubject,
                fmt::format("libcuda.so.1 has no {} of CUDA {}.{}", name, version / 1000, version % 1000 / 10),
                "install an NVIDIA driver for CUDA 12.0 or newer (525 or newer)");
  }

 private:
  Lookup12 newer_;
  Lookup11 older_;
};

// The linker's own search first; then the folders where containers mount the driver without telling the linker's cache
// (the child has no LD_LIBRARY_PATH: its environment is empty).
void* open_library() {
  for (const char* path : {"libcuda.so.1", "/usr/local/nvidia/lib64/libcuda.so.1", "/usr/local/nvidia/lib/libcuda.so.1",
                           "/usr/lib/wsl/lib/libcuda.so.1"}) {
    if (void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL); library != nullptr) return library;
  }
  return nullptr;
}

void fill(Driver& driver, const Resolver& from) {
  from.need(driver.init, "cuInit", 2000);
  from.need(driver.device_get_count, "cuDeviceGetCount", 2000);
  from.need(driver.device_get, "cuDeviceGet", 2000);
  from.need(driver.device_get_name, "cuDeviceGetName", 2000);
  from.need(driver.device_get_uuid, "cuDeviceGetUuid", 11040);
  from.need(driver.device_get_attribute, "cuDeviceGetAttribute", 2000);
  from.need(driver.primary_context_retain, "cuDevicePrimaryCtxRetain", 7000);
  from.need(driver.primary_context_release, "cuDevicePrimaryCtxRelease", 11000);
  from.need(driver.context_set_current, "cuCtxSetCurrent", 4000);
  from.need(driver.context_set_limit, "cuCtxSetLimit", 3010);
  from.need(driver.context_reset_persisting_cache, "cuCtxResetPersistingL2Cache", 11000);

  from.need(driver.memory_get_info, "cuMemGetInfo", 3020);
  from.need(driver.memory_allocate, "cuMemAlloc", 3020);
  from.need(driver.memory_free, "cuMemFree", 3020);
  from.need(driver.host_allocate, "cuMemAllocHost", 3020);
  from.need(driver.host_free, "cuMemFreeHost", 2000);
  from.need(driver.copy_to_device, "cuMemcpyHtoDAsync", 3020);
  from.need(driver.copy_to_host, "cuMemcpyDtoHAsync", 3020);
  from.need(driver.copy_on_device, "cuMemcpyDtoDAsync", 3020);
  from.need(driver.set_bytes, "cuMemsetD8Async", 3020);
  from.need(driver.set_words, "cuMemsetD32Async", 3020);

  from.need(driver.stream_create, "cuStreamCreate", 2000);
  from.need(driver.stream_destroy, "cuStreamDestroy", 4000);
  from.need(driver.stream_synchronize, "cuStreamSynchronize", 2000);
  from.need(driver.stream_begin_capture, "cuStreamBeginCapture", 10010);
  from.need(driver.stream_end_capture, "cuStreamEndCapture", 10000);
  from.need(driver.event_create, "cuEventCreate", 2000);
  from.need(driver.event_destroy, "cuEventDestroy", 4000);
  from.need(driver.event_record, "cuEventRecord", 2000);
  from.need(driver.event_synchronize, "cuEventSynchronize", 2000);
  from.need(driver.event_elapsed_time, "cuEventElapsedTime", 2000);

  from.need(driver.module_load, "cuModuleLoadDataEx", 2010);
  from.need(driver.module_unload, "cuModuleUnload", 2000);
  from.need(driver.module_get_function, "cuModuleGetFunction", 2000);
  from.need(driver.function_get_attribute, "cuFuncGetAttribute", 2020);
  from.need(driver.function_set_attribute, "cuFuncSetAttribute", 9000);
  from.find(driver.function_get_parameter, "cuFuncGetParamInfo", 12040);
  from.need(driver.occupancy, "cuOccupancyMaxActiveBlocksPerMultiprocessor", 6050);
  from.need(driver.launch_kernel, "cuLaunchKernelEx", 11060);

  from.need(driver.graph_instantiate, "cuGraphInstantiateWithFlags", 11040);
  from.need(driver.graph_upload, "cuGraphUpload", 11010);
  from.need(driver.graph_launch, "cuGraphLaunch", 10000);
  from.need(driver.graph_executable_destroy, "cuGraphExecDestroy", 10000);
  from.need(driver.graph_destroy, "cuGraphDestroy", 10000);
}

}  // namespace

Driver open_driver() {
  void* library = open_library();
  if (library == nullptr) {
    throw Error(ErrorKind::environment, kSubject, "libcuda.so.1 was not found",
                "install the NVIDIA driver; in a container, start it with access to the GPU (--gpus all)");
  }
  Driver driver;
  // Never closed: the driver's own threads outlive every handle, and unloading it under them crashes.
  driver.library = std::shared_ptr<void>(library, [](void*) {});
  const Resolver resolver(library);
  // The version first (it needs no cuInit): an old driver then says that it is old, not which function it lacks.
  resolver.need(driver.driver_get_version, "cuDriverGetVersion", 2020);
  int version = 0;
  if (driver.driver_get_version(&version) == CUDA_SUCCESS && version < kOldestDriver) {
    throw Error(ErrorKind::environment, kSubject,
                fmt::format("it is for CUDA {}.{}", version / 1000, version % 1000 / 10),
                "install an NVIDIA driver for CUDA 12.0 or newer (525 or newer)");
  }
  fill(driver, resolver);
  return driver;
}

std::string driver_folder() {
  void* const library = open_library();
  link_map* map = nullptr;
  if (library == nullptr || ::dlinfo(library, RTLD_DI_LINKMAP, &map) != 0 || map->l_name == nullptr) return {};
  std::error_code failed;
  const auto file = std::filesystem::canonical(map->l_name, failed);
  return failed ? std::string() : file.parent_path().string();
}

}  // namespace kgate::runner::cuda
