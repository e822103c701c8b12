#include "gate/cases/array_file.h"

#include <cstddef>
#include <optional>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/npy.h"
#include "base/quote.h"
#include "base/safetensors.h"

namespace kgate::cases {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30;

std::string place_of(const Generator& generator) {
  return generator.where + ": " +
         (generator.key.empty() ? generator.file : generator.file + " " + kgate::quoted(generator.key));
}

bool is_raw_form(DType stored, DType wanted) {
  if (wanted == DType::bf16) return stored == DType::u16;
  return (wanted == DType::f8e4m3 || wanted == DType::f8e5m2) && stored == DType::u8;
}

void check_booleans(const Tensor& tensor, const std::string& place) {
  for (const std::byte value : tensor.data) {
    if (std::to_integer<int>(value) > 1) {
      throw Error(ErrorKind::usage, place, "has a bool that is neither 0 nor 1", "write the file with a bool type");
    }
  }
}

}  // namespace

Tensor read_array(const Generator& generator, DType dtype, const Shape& shape, const FileTree& tree) {
  const std::string place = place_of(generator);
  std::optional<Bytes> content;
  try {
    content = tree.read(generator.file, kMostBytes);
  } catch (const Error& error) {
    throw Error(error.kind(), generator.where, kgate::quoted(generator.file) + " " + error.fact(), error.hint());
  }
  if (!content) {
    throw Error(ErrorKind::usage, generator.where, kgate::quoted(generator.file) + " is not in " + tree.description(),
                "add the file, or correct its name");
  }
  const bool npy = generator.kind == Generator::Kind::file;
  Tensor tensor = npy ? read_npy(*content, place) : read_safetensor(*content, generator.key, place);
  if (tensor.dtype != dtype && !(npy && is_raw_form(tensor.dtype, dtype))) {
    throw Error(ErrorKind::usage, place,
                fmt::format("is of type {}, and the parameter is {}", name_of(tensor.dtype), name_of(dtype)),
                "convert the file");
  }
  tensor.dtype = dtype;
  if (tensor.shape != shape) {
    throw Error(ErrorKind::usage, place,
                fmt::format("has the shape [{}], and the parameter [{}]", fmt::join(tensor.shape, ", "),
                            fmt::join(shape, ", ")),
                "correct sizes, or the file");
  }
  if (dtype == DType::boolean) check_booleans(tensor, place);
  return tensor;
}

}  // namespace kgate::cases
