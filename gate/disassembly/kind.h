#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string_view>

namespace kgate::disassembly {

// What an instruction is for, as far as somebody asks who reads a change of machine code.
enum class Kind {
  global_load,  // with those that do not say which memory they mean, and asynchronous copies into shared memory
  global_store,
  shared,  // loads, stores and matrices, of the cluster too
  local_load,
  local_store,
  atomic,
  fp32,
  fp64,
  half,  // FP16, BF16
  tensor,
  integer,  // with logic and comparisons
  conversion,
  special,  // reciprocals, square roots, exponentials, sines
  control,
  barrier,  // with fences and waits for asynchronous work
  other,    // moves, predicates, constants, textures, shuffles, all that is not known
};

// "local_load", in result.json.
const char* key_of(Kind kind);
// "global loads", for people.
const char* words_of(Kind kind);
std::optional<Kind> kind_from_key(std::string_view key);

// Of an opcode with its modifiers: "LDG.E.128.CONSTANT".
Kind kind_of(std::string_view opcode);

using Counts = std::map<Kind, std::int64_t>;  // of what is there
std::int64_t total(const Counts& counts);

}  // namespace kgate::disassembly
