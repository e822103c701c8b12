#include "runner/host/places.h"

#include <cstring>
#include <utility>

#include "base/error.h"
#include "runner/host/plan.h"
#include "runner/placement.h"

namespace kgate::runner::host {
namespace {

constexpr std::byte kPoison{0xff};  // NaN in every float type

}  // namespace

Places::Places(const std::vector<Buffer>& buffers, std::vector<std::vector<const std::byte*>> contents,
               std::span<std::byte> pool)
    : buffers_(buffers), contents_(std::move(contents)), pool_(pool), payloads_(buffers.size()) {
  if (!pool_.empty()) return;
  own_ = Mapping(smallest_pool(buffers, Placement::fixed));
  pool_ = own_.bytes();
}

void Places::draw(Placement placement, RandomStream& random) {
  auto places = draw_places(sizes_of(buffers_), pool_.size(), placement, random);
  if (places.empty()) places = draw_places(sizes_of(buffers_), pool_.size(), Placement::fixed, random);
  if (places.size() != buffers_.size())
    throw Error(ErrorKind::internal, "host backend", "the buffers do not fit their own pool");
  for (std::size_t i = 0; i < places.size(); ++i) payloads_[i] = pool_.data() + places[i];
}

void Places::copy(std::size_t buffer, std::size_t variant) {
  const auto bytes = static_cast<std::size_t>(buffers_[buffer].bytes);
  if (bytes > 0) std::memcpy(payloads_[buffer], contents_[variant][buffer], bytes);
}

void Places::set(std::size_t buffer, std::byte value) {
  const auto bytes = static_cast<std::size_t>(buffers_[buffer].bytes);
  if (bytes > 0) std::memset(payloads_[buffer], std::to_integer<int>(value), bytes);
}

void Places::fill(std::size_t variant) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const Buffer& buffer = buffers_[i];
    if (buffer.role == BufferRole::output) set(i, buffer.zeroed ? std::byte{0} : kPoison);
    if (buffer.role == BufferRole::workspace) set(i, kPoison);
  }
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].role == BufferRole::input || buffers_[i].role == BufferRole::inout) copy(i, variant);
  }
}

void Places::put_back() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].role == BufferRole::inout) copy(i, 0);
    if (buffers_[i].role == BufferRole::output && buffers_[i].zeroed) set(i, std::byte{0});
  }
}

void Places::poison(std::byte value) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    const bool written = buffers_[i].role == BufferRole::output || buffers_[i].role == BufferRole::workspace;
    if (written && !buffers_[i].zeroed) set(i, value);
  }
}

void Places::lay_guards(std::byte value) {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    std::memset(payloads_[i] - kGuardBytes, std::to_integer<int>(value), kGuardBytes);
    std::memset(payloads_[i] + buffers_[i].bytes, std::to_integer<int>(value), kGuardBytes);
  }
}

void Places::read(const Region& region, std::span<std::byte> data) const {
  std::memcpy(data.data(), payloads_[region.buffer] - kGuardBytes + region.offset, data.size());
}

void Places::zero_workspaces() {
  for (std::size_t i = 0; i < buffers_.size(); ++i) {
    if (buffers_[i].role == BufferRole::workspace && buffers_[i].zeroed) set(i, std::byte{0});
  }
}

}  // namespace kgate::runner::host
