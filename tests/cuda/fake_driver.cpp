#include "tests/cuda/fake_driver.h"

#include <cstring>

namespace kgate::test {

struct FakeFunction {
  const FakeKernel* kernel = nullptr;
  std::string name;
  int dynamic_shared = 48 << 10;
};

using Operation = std::function<void()>;
struct FakeGraph {
  std::vector<Operation> operations;
};

struct FakeDriver::State {
  double now = 0;
  CUresult pending = CUDA_SUCCESS;  // sticky, as in a poisoned context
  bool capturing = false;
  FakeGraph captured;
  std::map<CUdeviceptr, std::unique_ptr<std::byte[]>> memory;
  std::map<CUdeviceptr, std::size_t> sizes;
  std::set<void*> pinned;
  std::map<void*, std::unique_ptr<FakeGraph>> graphs, executables;
  std::map<void*, double> events;
  std::map<void*, std::map<std::string, std::unique_ptr<FakeFunction>>> modules;
  long streams = 0, contexts = 0;
  std::uintptr_t next_handle = 0x1000;

  void* handle() { return reinterpret_cast<void*>(next_handle += 16); }
};

namespace {

FakeDriver* g_fake = nullptr;  // the driver's functions are plain C functions: they need one place to look

FakeDriver::State& st() {
  return g_fake->state();
}

// Every call passes here: counts, and fails when its turn has come.
bool fails(const char* name) {
  const bool turn = g_fake->calls++ == g_fake->fail_at;
  if (!turn && g_fake->failing != name) return false;
  g_fake->failed_call = name;
  return true;
}
#define STEP(name) \
  if (fails(name)) return g_fake->failure

CUresult enqueue(Operation operation) {
  if (st().capturing) {
    st().captured.operations.push_back(std::move(operation));
  } else if (st().pending == CUDA_SUCCESS) {
    operation();
  }
  return CUDA_SUCCESS;
}

void note(const std::string& what) {
  if (g_fake->keep_log) g_fake->log.push_back(what);
}

std::byte* host(CUdeviceptr address) {
  return reinterpret_cast<std::byte*>(address);
}

CUresult launch(const CUlaunchConfig* config, CUfunction function, void** parameters, void**) {
  STEP("cuLaunchKernelEx");
  const auto* fake = reinterpret_cast<const FakeFunction*>(function);
  FakeLaunch seen{fake->name, *config, {config->attrs, config->attrs + config->numAttrs}};
  std::vector<std::vector<std::byte>> values;
  for (std::size_t i = 0; i < fake->kernel->parameters.size(); ++i) {
    const auto* from = static_cast<const std::byte*>(parameters[i]);
    values.emplace_back(from, from + fake->kernel->parameters[i]);
  }
  return enqueue([fake, seen, values]() mutable {
    g_fake->launches.push_back(seen);
    note(seen.kernel);
    st().now += fake->kernel->us;
    std::vector<void*> pointers;
    for (auto& value : values) pointers.push_back(value.data());
    if (fake->kernel->action) fake->kernel->action(pointers.data());
    if (fake->kernel->fault != CUDA_SUCCESS) st().pending = fake->kernel->fault;
  });
}

CUresult attribute_of_device(int* value, CUdevice_attribute attribute, CUdevice) {
  STEP("cuDeviceGetAttribute");
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = g_fake->major;
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = g_fake->minor;
      break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
      *value = g_fake->multiprocessors;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
      *value = 1024;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
      *value = 64;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
      *value = 2147483647;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
    case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
      *value = 65535;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = 232448;
      break;
    case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
      *value = g_fake->l2_bytes;
      break;
    default:
      *value = 1;
  }
  return CUDA_SUCCESS;
}

CUresult allocate(CUdeviceptr* address, std::size_t bytes) {
  STEP("cuMemAlloc");
  if (bytes == 0) return CUDA_ERROR_INVALID_VALUE;
  if (g_fake->null_memory) {
    *address = 0;
    return CUDA_SUCCESS;
  }
  if (g_fake->allocated() + bytes > g_fake->memory_bytes) return CUDA_ERROR_OUT_OF_MEMORY;
  // Addresses as the real driver gives them: at multiples of 4096.
  std::unique_ptr<std::byte[]> room(new std::byte[bytes + 4096]);  // untouched: a pool of gigabytes takes no memory
  const auto start = (reinterpret_cast<std::uintptr_t>(room.get()) + 4095) / 4096 * 4096;
  *address = start;
  st().sizes[start] = bytes;
  st().memory[start] = std::move(room);
  return CUDA_SUCCESS;
}

CUresult begin_capture(CUstream, CUstreamCaptureMode) {
  STEP("cuStreamBeginCapture");
  st().capturing = true;
  st().captured = {};
  return CUDA_SUCCESS;
}

CUresult end_capture(CUstream, CUgraph* graph) {
  st().capturing = false;
  STEP("cuStreamEndCapture");
  void* made = st().handle();
  st().graphs[made] = std::make_unique<FakeGraph>(std::move(st().captured));
  *graph = static_cast<CUgraph>(made);
  return CUDA_SUCCESS;
}

CUresult instantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  STEP("cuGraphInstantiateWithFlags");
  void* made = st().handle();
  st().executables[made] = std::make_unique<FakeGraph>(*st().graphs.at(graph));
  *executable = static_cast<CUgraphExec>(made);
  return CUDA_SUCCESS;
}

CUresult launch_graph(CUgraphExec executable, CUstream) {
  STEP("cuGraphLaunch");
  for (const Operation& operation : st().executables.at(executable)->operations) enqueue(operation);
  return CUDA_SUCCESS;
}

CUresult load_module(CUmodule* module, const void*, unsigned, CUjit_option*, void**) {
  STEP("cuModuleLoadDataEx");
  void* made = st().handle();
  auto& functions = st().modules[made];
  for (const auto& [name, kernel] : g_fake->kernels) {
    auto function = std::make_unique<FakeFunction>();
    function->kernel = &kernel;
    function->name = name;
    functions[name] = std::move(function);
  }
  *module = static_cast<CUmodule>(made);
  return CUDA_SUCCESS;
}

CUresult get_function(CUfunction* function, CUmodule module, const char* name) {
  STEP("cuModuleGetFunction");
  const auto& functions = st().modules.at(module);
  const auto found = functions.find(name);
  if (found == functions.end()) return CUDA_ERROR_NOT_FOUND;
  *function = reinterpret_cast<CUfunction>(found->second.get());
  return CUDA_SUCCESS;
}

CUresult attribute_of_function(int* value, CUfunction_attribute attribute, CUfunction function) {
  STEP("cuFuncGetAttribute");
  const auto* fake = reinterpret_cast<const FakeFunction*>(function);
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = fake->kernel->registers;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = fake->kernel->static_shared;
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = fake->kernel->local;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = fake->kernel->block_threads;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = fake->dynamic_shared;
      break;
    default:
      *value = 0;
  }
  return CUDA_SUCCESS;
}

CUresult set_attribute(CUfunction function, CUfunction_attribute attribute, int value) {
  STEP("cuFuncSetAttribute");
  if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES)
    reinterpret_cast<FakeFunction*>(function)->dynamic_shared = value;
  return CUDA_SUCCESS;
}

CUresult get_parameter(CUfunction function, std::size_t index, std::size_t* offset, std::size_t* bytes) {
  const auto* fake = reinterpret_cast<const FakeFunction*>(function);
  if (index >= fake->kernel->parameters.size()) return CUDA_ERROR_INVALID_VALUE;
  *offset = 8 * index;
  *bytes = fake->kernel->parameters[index];
  return CUDA_SUCCESS;
}

CUresult synchronised(const char* name) {
  if (fails(name)) return g_fake->failure;
  return st().pending;
}

template <typename Handle>
CUresult make(const char* name, Handle* handle, long& count) {
  STEP(name);
  *handle = static_cast<Handle>(st().handle());
  ++count;
  return CUDA_SUCCESS;
}

void fill_memory(runner::cuda::Driver& t) {
  t.memory_get_info = [](std::size_t* free, std::size_t* total) -> CUresult {
    STEP("cuMemGetInfo");
    *total = g_fake->total_bytes.value_or(g_fake->memory_bytes);
    *free = g_fake->memory_bytes - g_fake->allocated();
    return CUDA_SUCCESS;
  };
  t.memory_allocate = allocate;
  t.memory_free = [](CUdeviceptr address) -> CUresult {
    st().sizes.erase(address);
    return st().memory.erase(address) == 1 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  };
  t.host_allocate = [](void** address, std::size_t bytes) -> CUresult {
    STEP("cuMemAllocHost");
    *address = ::operator new(bytes);
    st().pinned.insert(*address);
    return CUDA_SUCCESS;
  };
  t.host_free = [](void* address) -> CUresult {
    st().pinned.erase(address);
    ::operator delete(address);
    return CUDA_SUCCESS;
  };
  t.copy_to_device = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) -> CUresult {
    STEP("cuMemcpyHtoDAsync");
    return enqueue([=] { std::memcpy(host(to), from, bytes); });
  };
  t.copy_to_host = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) -> CUresult {
    STEP("cuMemcpyDtoHAsync");
    return enqueue([=] { std::memcpy(to, host(from), bytes); });
  };
  t.copy_on_device = [](CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream) -> CUresult {
    STEP("cuMemcpyDtoDAsync");
    return enqueue([=] {
      note("copy " + std::to_string(bytes));
      std::memcpy(host(to), host(from), bytes);
      st().now += 1;
    });
  };
  t.set_bytes = [](CUdeviceptr to, unsigned char value, std::size_t count, CUstream) -> CUresult {
    STEP("cuMemsetD8Async");
    return enqueue([=] {
      note("set " + std::to_string(count));
      std::memset(host(to), value, count);
      st().now += 1;
    });
  };
  t.set_words = [](CUdeviceptr to, unsigned value, std::size_t count, CUstream) -> CUresult {
    STEP("cuMemsetD32Async");
    return enqueue([=] {
      for (std::size_t i = 0; i < count; ++i) std::memcpy(host(to) + 4 * i, &value, 4);
    });
  };
}

void fill_streams(runner::cuda::Driver& t) {
  t.stream_create = [](CUstream* stream, unsigned) { return make("cuStreamCreate", stream, st().streams); };
  t.stream_destroy = [](CUstream) -> CUresult {
    --st().streams;
    return CUDA_SUCCESS;
  };
  t.stream_synchronize = [](CUstream) { return synchronised("cuStreamSynchronize"); };
  t.stream_begin_capture = begin_capture;
  t.stream_end_capture = end_capture;
  t.event_create = [](CUevent* event, unsigned) -> CUresult {
    STEP("cuEventCreate");
    *event = static_cast<CUevent>(st().handle());
    st().events[*event] = 0;
    return CUDA_SUCCESS;
  };
  t.event_destroy = [](CUevent event) -> CUresult {
    st().events.erase(event);
    return CUDA_SUCCESS;
  };
  t.event_record = [](CUevent event, CUstream) -> CUresult {
    STEP("cuEventRecord");
    note("event");
    st().events.at(event) = st().now;
    return CUDA_SUCCESS;
  };
  t.event_synchronize = [](CUevent) { return synchronised("cuEventSynchronize"); };
  t.event_elapsed_time = [](float* milliseconds, CUevent start, CUevent end) -> CUresult {
    STEP("cuEventElapsedTime");
    if (g_fake->elapsed_ms) {
      *milliseconds = *g_fake->elapsed_ms;
      return CUDA_SUCCESS;
    }
    *milliseconds = static_cast<float>((st().events.at(end) - st().events.at(start)) / 1000);
    return CUDA_SUCCESS;
  };
  t.graph_instantiate = instantiate;
  t.graph_upload = [](CUgraphExec, CUstream) -> CUresult {
    STEP("cuGraphUpload");
    return CUDA_SUCCESS;
  };
  t.graph_launch = launch_graph;
  t.graph_executable_destroy = [](CUgraphExec executable) -> CUresult {
    st().executables.erase(executable);
    return CUDA_SUCCESS;
  };
  t.graph_destroy = [](CUgraph graph) -> CUresult {
    st().graphs.erase(graph);
    return CUDA_SUCCESS;
  };
}

void fill_device(runner::cuda::Driver& t) {
  t.init = [](unsigned) -> CUresult {
    STEP("cuInit");
    return CUDA_SUCCESS;
  };
  t.driver_get_version = [](int* version) -> CUresult {
    STEP("cuDriverGetVersion");
    *version = 13000;
    return CUDA_SUCCESS;
  };
  t.device_get_count = [](int* count) -> CUresult {
    STEP("cuDeviceGetCount");
    *count = g_fake->devices;
    return CUDA_SUCCESS;
  };
  t.device_get = [](CUdevice* device, int ordinal) -> CUresult {
    STEP("cuDeviceGet");
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  t.device_get_name = [](char* name, int, CUdevice) -> CUresult {
    STEP("cuDeviceGetName");
    std::strcpy(name, "Fake GPU");
    return CUDA_SUCCESS;
  };
  t.device_get_uuid = [](CUuuid* uuid, CUdevice device) -> CUresult {
    STEP("cuDeviceGetUuid");
    std::memset(uuid->bytes, 0x10 + device, sizeof uuid->bytes);
    return CUDA_SUCCESS;
  };
  t.device_get_attribute = attribute_of_device;
  t.primary_context_retain = [](CUcontext* context, CUdevice) {
    return make("cuDevicePrimaryCtxRetain", context, st().contexts);
  };
  t.primary_context_release = [](CUdevice) -> CUresult {
    --st().contexts;
    return CUDA_SUCCESS;
  };
  t.context_set_current = [](CUcontext) -> CUresult {
    STEP("cuCtxSetCurrent");
    return CUDA_SUCCESS;
  };
  t.context_set_limit = [](CUlimit, std::size_t) -> CUresult {
    STEP("cuCtxSetLimit");
    return CUDA_SUCCESS;
  };
  t.context_reset_persisting_cache = []() -> CUresult {
    STEP("cuCtxResetPersistingL2Cache");
    return CUDA_SUCCESS;
  };
}

void fill_modules(runner::cuda::Driver& t) {
  t.module_load = load_module;
  t.module_unload = [](CUmodule module) -> CUresult {
    st().modules.erase(module);
    return CUDA_SUCCESS;
  };
  t.module_get_function = get_function;
  t.function_get_attribute = attribute_of_function;
  t.function_set_attribute = set_attribute;
  if (g_fake->parameter_info) t.function_get_parameter = get_parameter;
  t.occupancy = [](int* blocks, CUfunction, int, std::size_t) -> CUresult {
    STEP("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    *blocks = 2;
    return CUDA_SUCCESS;
  };
  t.launch_kernel = launch;
}

}  // namespace

FakeDriver::FakeDriver() : state_(std::make_unique<State>()) {
  g_fake = this;
}
FakeDriver::~FakeDriver() {
  g_fake = nullptr;
}

runner::cuda::Driver FakeDriver::table() {
  runner::cuda::Driver table;
  fill_device(table);
  fill_memory(table);
  fill_streams(table);
  fill_modules(table);
  return table;
}

std::map<std::string, long> FakeDriver::alive() const {
  std::map<std::string, long> counts{{"memory", static_cast<long>(state_->memory.size())},
                                     {"pinned", static_cast<long>(state_->pinned.size())},
                                     {"stream", state_->streams},
                                     {"event", static_cast<long>(state_->events.size())},
                                     {"graph", static_cast<long>(state_->graphs.size())},
                                     {"executable", static_cast<long>(state_->executables.size())},
                                     {"module", static_cast<long>(state_->modules.size())},
                                     {"context", state_->contexts}};
  std::erase_if(counts, [](const auto& entry) { return entry.second == 0; });
  return counts;
}

std::uint64_t FakeDriver::allocated() const {
  std::uint64_t bytes = 0;
  for (const auto& [address, size] : state_->sizes) bytes += size;
  return bytes;
}

double FakeDriver::now() const {
  return state_->now;
}

}  // namespace kgate::test
