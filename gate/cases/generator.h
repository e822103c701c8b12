#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "base/tensor.h"

namespace kgate::cases {

// How an input is made (docs/cases-toml.md, "Generators").
struct Generator {
  enum class Kind { normal, uniform, integers, constant, arange, permutation, special, file, safetensors };
  Kind kind = Kind::normal;
  double a = 0, b = 1;                // mean and deviation; low and high; start and step; the constant in a
  std::vector<std::string> specials;  // "zero", "-zero", "inf", "-inf", "nan", "denormal", "max", "min"
  std::string file, key;              // from the repository's root
  std::string where;                  // for messages
};

struct GeneratorRequest {
  DType dtype = DType::f32;
  Shape shape;
  std::uint64_t seed = 0;
  std::uint64_t stream = 0;  // the parameter's index: two inputs of one case differ
  unsigned threads = 1;
};

// The tensor, made in f64 and rounded once; element i depends on (seed, stream, i) alone, so the bytes are the same on
// every platform and for any number of threads. Throws Error(usage, where, ...) where a file's type or shape does not
// fit, or a value does not fit the type.
Tensor generate(const Generator& generator, const GeneratorRequest& request, const FileTree& tree);

}  // namespace kgate::cases
