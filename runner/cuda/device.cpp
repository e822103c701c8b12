#include "runner/cuda/device.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {
namespace {

std::uint32_t positive(int value) {
  return value > 0 ? static_cast<std::uint32_t>(value) : 0;
}

// The hex digits alone: "GPU-", "MIG-" and dashes do not matter for finding a device.
std::string uuid_digits(const std::string& text) {
  std::string digits;
  const std::size_t start = text.size() > 4 && text[3] == '-' ? 4 : 0;
  for (const char c : text.substr(start)) {
    if (c != '-') digits += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return digits;
}

}  // namespace

std::string uuid_text(const CUuuid& uuid) {
  std::string text = "GPU";
  for (std::size_t i = 0; i < sizeof uuid.bytes; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    text += fmt::format("{:02x}", static_cast<unsigned char>(uuid.bytes[i]));
  }
  return text;
}

Device::Device(Driver driver, const std::string& choice) : driver_(std::move(driver)) {
  check_machine(driver_.init(0), "cuInit");
  select(choice);
  limits_.multiprocessors = positive(attribute(CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT));
  limits_.block_threads = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK));
  limits_.shared_bytes = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN));
  limits_.block[0] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X));
  limits_.block[1] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y));
  limits_.block[2] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z));
  limits_.grid[0] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X));
  limits_.grid[1] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y));
  limits_.grid[2] = positive(attribute(CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z));
  limits_.major = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR);
  limits_.minor = attribute(CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR);
  limits_.cooperative = attribute(CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH) != 0;
  limits_.clusters = limits_.major >= 9;
  l2_bytes_ = positive(attribute(CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE));

  check_machine(driver_.primary_context_retain(&context_, device_), "cuDevicePrimaryCtxRetain");
  try {
    enter();
    bound_kernels();
    // Not the legacy default stream, which cannot be captured and waits for everybody.
    check_machine(driver_.stream_create(&stream_, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  } catch (...) {
    driver_.primary_context_release(device_);
    throw;
  }
}

Device::~Device() {
  // After a fault these calls fail, and the process ends soon: there is nothing better to do than to try.
  driver_.context_set_current(context_);
  driver_.stream_destroy(stream_);
  driver_.primary_context_release(device_);
}

// What a kernel can take beside its buffers: memory by malloc, and room for printf, whose output nobody reads.
void Device::bound_kernels() const {
  constexpr std::size_t kHeap = 8u << 20, kPrintf = 64u << 10;
  check_machine(driver_.context_set_limit(CU_LIMIT_MALLOC_HEAP_SIZE, kHeap), "cuCtxSetLimit");
  check_machine(driver_.context_set_limit(CU_LIMIT_PRINTF_FIFO_SIZE, kPrintf), "cuCtxSetLimit");
}

void Device::select(const std::string& choice) {
  int count = 0;
  check_machine(driver_.device_get_count(&count), "cuDeviceGetCount");
  if (count <= 0) check_machine(CUDA_ERROR_NO_DEVICE, "cuDeviceGetCount");

  int index = 0;
  const auto [end, error] = std::from_chars(choice.data(), choice.data() + choice.size(), index);
  const bool is_index =
      choice.empty() || (error == std::errc() && end == choice.data() + choice.size() && choice.size() < 4);
  if (is_index) {
    if (index >= count || index < 0) {
      throw Error(ErrorKind::environment, "device " + choice,
                  fmt::format("the driver sees {} GPU{}", count, count == 1 ? "" : "s"),
                  "list them with nvidia-smi -L");
    }
    check_machine(driver_.device_get(&device_, index), "cuDeviceGet");
    return;
  }
  std::vector<CUdevice> matches;
  for (int i = 0; i < count; ++i) {
    CUdevice device = 0;
    CUuuid uuid{};
    check_machine(driver_.device_get(&device, i), "cuDeviceGet");
    check_machine(driver_.device_get_uuid(&uuid, device), "cuDeviceGetUuid");
    if (uuid_digits(uuid_text(uuid)).rfind(uuid_digits(choice), 0) == 0) matches.push_back(device);
  }
  if (matches.size() != 1) {
    throw Error(ErrorKind::environment, "device " + choice,
                matches.empty() ? "no GPU that the driver sees has this UUID"
                                : "more than one GPU has a UUID that begins like this",
                "list them with nvidia-smi -L");
  }
  device_ = matches.front();
}

int Device::attribute(CUdevice_attribute attribute) const {
  int value = 0;
  check_machine(driver_.device_get_attribute(&value, attribute, device_), "cuDeviceGetAttribute");
  return value;
}

void Device::enter() const {
  check_machine(driver_.context_set_current(context_), "cuCtxSetCurrent");
}

void Device::synchronize() const {
  check(driver_.stream_synchronize(stream_), "cuStreamSynchronize");
}

DeviceInfo Device::info() const {
  DeviceInfo info;
  info.backend = "cuda";
  std::array<char, 256> name{};
  check_machine(driver_.device_get_name(name.data(), static_cast<int>(name.size()) - 1, device_), "cuDeviceGetName");
  info.name = name.data();
  CUuuid uuid{};
  check_machine(driver_.device_get_uuid(&uuid, device_), "cuDeviceGetUuid");
  info.uuid = uuid_text(uuid);
  info.architecture = fmt::format("sm_{}{}", limits_.major, limits_.minor);
  info.multiprocessors = limits_.multiprocessors;
  std::size_t free = 0, total = 0;
  check_machine(driver_.memory_get_info(&free, &total), "cuMemGetInfo");
  info.memory_bytes = total;
  info.free_bytes = free;
  info.l2_bytes = l2_bytes_;
  check_machine(driver_.driver_get_version(&info.driver_api), "cuDriverGetVersion");
  info.max_shared_bytes = limits_.shared_bytes;
  return info;
}

}  // namespace kgate::runner::cuda
