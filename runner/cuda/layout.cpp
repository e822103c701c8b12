#include "runner/cuda/layout.h"

#include <algorithm>

#include "runner/cuda/errors.h"
#include "runner/placement.h"

namespace kgate::runner::cuda {
namespace {

constexpr unsigned char kPoison = 0xFF;  // a NaN in every float format, -1 in integers
constexpr std::uint32_t kMostLaunches = 1024;
// Restoring is not timed but takes as long as the work: no more than this for one sample.
constexpr std::uint64_t kMostRestored = 2ull << 30;

// A red zone follows; the one before is the end of what lies there.
std::uint64_t size_in_pool(const Buffer& buffer) {
  return buffer.bytes + kGuardBytes;
}

bool takes_content(const Buffer& buffer) {
  return buffer.role == BufferRole::input || buffer.role == BufferRole::inout;
}

// Zeroed in the timed work.
bool is_arms_work(const Buffer& buffer) {
  return buffer.role == BufferRole::workspace && buffer.zeroed;
}

}  // namespace

Layouts::Layouts(const Device& device, const DeviceMemory& memory, Placement placement, Regime regime)
    : device_(&device), memory_(&memory), placement_(placement) {
  const std::vector<Buffer>& buffers = memory.buffers();
  std::vector<std::uint64_t> sizes;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    sizes.push_back(size_in_pool(buffers[i]));
    if (is_restored(buffers[i])) restored_.push_back(i);
  }
  RandomStream trial(0, 0);
  moved_ = !draw_places(sizes, memory.pool_bytes(), placement, trial).empty();
  largest_batch_ = find_largest_batch();
  if (regime == Regime::fresh) fits_ = memory.variants().fit();
  if (!moved_ && fits_) keep_contents(regime);
}

void Layouts::keep_contents(Regime regime) {
  const std::vector<Buffer>& buffers = memory_->buffers();
  pristine_.resize(buffers.size());
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const bool overwritten =
        buffers[i].role == BufferRole::inout || (buffers[i].role == BufferRole::input && regime == Regime::fresh);
    if (!overwritten || buffers[i].bytes == 0) continue;
    if (regime == Regime::batch) {
      pristine_[i] = DeviceBlock(*device_, buffers[i].bytes);
    } else if (!DeviceBlock::try_make(*device_, buffers[i].bytes, pristine_[i])) {
      fits_ = false;
      return;
    }
    check(
        device_->driver().copy_on_device(pristine_[i].address(), memory_->home(i), buffers[i].bytes, device_->stream()),
        "cuMemcpyDtoDAsync");
  }
}

CUdeviceptr Layouts::content(std::size_t buffer, std::uint32_t variant) const {
  const CUdeviceptr own = memory_->variants().find(variant, buffer);
  if (own != 0) return own;
  return moved_ ? memory_->home(buffer) : pristine_[buffer].address();
}

bool Layouts::is_restored(const Buffer& buffer) const {
  return buffer.role == BufferRole::inout || (buffer.role == BufferRole::output && buffer.zeroed);
}

std::uint32_t Layouts::find_largest_batch() const {
  if (restored_.empty()) return kMostLaunches;
  if (!moved_) return 1;
  const std::uint64_t step = placement_ == Placement::segment ? 2u << 20 : 4096;
  // A quarter of the pool stays free, or there would be little to draw from.
  const std::uint64_t room = memory_->pool_bytes() / step / 4 * 3;
  std::uint64_t shared = 0, own = 0, bytes = 0;
  for (const Buffer& buffer : memory_->buffers()) {
    const std::uint64_t steps = (size_in_pool(buffer) + step - 1) / step;
    (is_restored(buffer) ? own : shared) += steps;
    if (is_restored(buffer)) bytes += size_in_pool(buffer);
  }
  const std::uint64_t fit = room > shared ? (room - shared) / own : 0;
  return static_cast<std::uint32_t>(std::clamp<std::uint64_t>(std::min(fit, kMostRestored / bytes), 1, kMostLaunches));
}

Layout Layouts::draw(std::uint32_t batch, RandomStream& random) const {
  Layout layout;
  if (!moved_) {
    layout.launches.push_back(memory_->homes());
    return layout;
  }
  const std::vector<Buffer>& buffers = memory_->buffers();
  const std::uint32_t instances = restored_.empty() ? 1 : batch;
  std::vector<std::uint64_t> sizes;
  for (const Buffer& buffer : buffers)
    sizes.insert(sizes.end(), is_restored(buffer) ? instances : 1, size_in_pool(buffer));
  const std::vector<std::uint64_t> places = draw_places(sizes, memory_->pool_bytes(), placement_, random);
  if (places.empty()) throw Error(ErrorKind::internal, "timing", "a batch does not fit into the pool");

  layout.launches.resize(instances);
  std::size_t next = 0;
  for (const Buffer& buffer : buffers) {
    const bool own = is_restored(buffer);
    for (std::uint32_t i = 0; i < instances; ++i)
      layout.launches[i].push_back(memory_->pool() + places[next + (own ? i : 0)]);
    next += own ? instances : 1;
  }
  return layout;
}

void Layouts::fill(const Layout& layout) const {
  const Driver& driver = device_->driver();
  const std::vector<Buffer>& buffers = memory_->buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const Buffer& buffer = buffers[i];
    if (buffer.bytes == 0 || is_restored(buffer)) continue;
    const CUdeviceptr place = layout.of(0)[i];
    if (buffer.role == BufferRole::input) {
      if (place == memory_->home(i)) continue;
      check(driver.copy_on_device(place, memory_->home(i), buffer.bytes, device_->stream()), "cuMemcpyDtoDAsync");
    } else if (!buffer.zeroed) {  // workspaces that begin as zero are zeroed in the timed work
      check(driver.set_bytes(place, kPoison, buffer.bytes, device_->stream()), "cuMemsetD8Async");
    }
  }
}

void Layouts::restore(const Layout& layout) const {
  const Driver& driver = device_->driver();
  for (const auto& places : layout.launches) {
    for (const std::size_t i : restored_) {
      const Buffer& buffer = memory_->buffers()[i];
      if (buffer.bytes == 0) continue;
      if (buffer.role == BufferRole::inout) {
        check(driver.copy_on_device(places[i], content(i, 0), buffer.bytes, device_->stream()), "cuMemcpyDtoDAsync");
      } else {
        check(driver.set_bytes(places[i], 0, buffer.bytes, device_->stream()), "cuMemsetD8Async");
      }
    }
  }
}

void Layouts::lay_guards(const Layout& layout, std::size_t launch, std::byte value) const {
  const std::span<const CUdeviceptr> places = layout.of(launch);
  for (std::size_t i = 0; i < places.size(); ++i) {
    for (const CUdeviceptr zone : {places[i] - kGuardBytes, places[i] + memory_->buffers()[i].bytes})
      check(device_->driver().set_bytes(zone, std::to_integer<unsigned char>(value), kGuardBytes, device_->stream()),
            "cuMemsetD8Async");
  }
}

void Layouts::poison(const Layout& layout, std::byte value) const {
  const std::vector<Buffer>& buffers = memory_->buffers();
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0 || buffers[i].zeroed || takes_content(buffers[i])) continue;
    check(device_->driver().set_bytes(layout.of(0)[i], std::to_integer<unsigned char>(value), buffers[i].bytes,
                                      device_->stream()),
          "cuMemsetD8Async");
  }
}

void Layouts::refresh(const Layout& layout, std::uint32_t variant, std::byte poison) const {
  const Driver& driver = device_->driver();
  const std::vector<Buffer>& buffers = memory_->buffers();
  const std::span<const CUdeviceptr> places = layout.of(0);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0 || takes_content(buffers[i]) || is_arms_work(buffers[i])) continue;
    const unsigned char value = buffers[i].zeroed ? 0 : std::to_integer<unsigned char>(poison);
    check(driver.set_bytes(places[i], value, buffers[i].bytes, device_->stream()), "cuMemsetD8Async");
  }
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (buffers[i].bytes == 0 || !takes_content(buffers[i])) continue;
    check(driver.copy_on_device(places[i], content(i, variant), buffers[i].bytes, device_->stream()),
          "cuMemcpyDtoDAsync");
  }
}

std::uint32_t Layouts::refresh_steps() const {
  const std::vector<Buffer>& buffers = memory_->buffers();
  return static_cast<std::uint32_t>(std::count_if(
      buffers.begin(), buffers.end(), [](const Buffer& buffer) { return buffer.bytes > 0 && !is_arms_work(buffer); }));
}

std::uint64_t Layouts::refresh_bytes() const {
  std::uint64_t bytes = 0;
  for (const Buffer& buffer : memory_->buffers()) {
    if (!is_arms_work(buffer)) bytes += buffer.bytes;
  }
  return bytes;
}

void Layouts::restore_homes() const {
  if (moved_) return;
  for (std::size_t i = 0; i < pristine_.size(); ++i) {
    if (pristine_[i].bytes() == 0) continue;
    check(device_->driver().copy_on_device(memory_->home(i), pristine_[i].address(), pristine_[i].bytes(),
                                           device_->stream()),
          "cuMemcpyDtoDAsync");
  }
  device_->synchronize();
}

}  // namespace kgate::runner::cuda
