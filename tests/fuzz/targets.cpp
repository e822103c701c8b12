#include "tests/fuzz/targets.h"

#include "base/error.h"
#include "base/json.h"
#include "base/npy.h"
#include "base/safetensors.h"
#include "tests/fuzz/require.h"

using namespace kgate;

namespace {

ByteView bytes(const std::uint8_t* data, std::size_t size) {
  return std::as_bytes(std::span(data, size));
}

// A message must be one that a report can hold: UTF-8, one line.
template <typename Read>
int refused_or_read(Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::usage);
    canonical_json(error.what());
  }
  return 0;
}

}  // namespace

int fuzz_npy(const std::uint8_t* data, std::size_t size) {
  return refused_or_read([&] {
    const Tensor tensor = read_npy(bytes(data, size), "x.npy");
    require(tensor.data.size() == element_count(tensor.shape, "x") * size_of(tensor.dtype));
    const Tensor again = read_npy(write_npy(tensor), "again.npy");
    require(again.dtype == tensor.dtype && again.shape == tensor.shape && again.data == tensor.data);
  });
}

int fuzz_safetensors(const std::uint8_t* data, std::size_t size) {
  return refused_or_read([&] {
    const auto tensors = read_safetensors(bytes(data, size), "x.safetensors");
    const auto again = read_safetensors(write_safetensors(tensors), "again.safetensors");
    require(again.size() == tensors.size());
    for (const auto& [key, tensor] : tensors)
      require(again.at(key).shape == tensor.shape && again.at(key).data == tensor.data);
  });
}

int fuzz_json(const std::uint8_t* data, std::size_t size) {
  return refused_or_read([&] {
    const Json value = parse_json(text_of(bytes(data, size)), "x.json");
    const std::string text = canonical_json(value);
    require(canonical_json(parse_json(text, "again.json")) == text);
  });
}
