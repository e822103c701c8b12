#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/dtype.h"

// What `kgate init` finds in an existing source, and the files that it makes of it: a beginning that a person
// completes.
namespace kgate::scaffold {

struct EntryParameter {
  std::string name;            // "arg3" where the source gives none
  std::string type;            // as written, less the name: "const float*"
  bool pointer = false;        // one level; what points to pointers has no dtype
  bool writable = false;       // a pointer to what is not const
  std::optional<DType> dtype;  // of the element or the scalar; nothing: a type that a case cannot have, or a template's
  int lanes = 1;               // of a vector type: 4 of float4
};

// A __global__ function that has a body.
struct Entry {
  std::string name;  // with its namespaces: "nn::softmax"
  bool templated = false;
  std::vector<EntryParameter> parameters;
};

// In the order of the text. By the text alone: what macros or headers add is not seen.
std::vector<Entry> find_entries(std::string_view source);
// The names of #include "...", as written.
std::vector<std::string> quoted_includes(std::string_view source);

}  // namespace kgate::scaffold
