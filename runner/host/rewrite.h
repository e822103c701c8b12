#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

// What the C++ preprocessor cannot do for CUDA's language, done on the source's text. Lines stay where they are, so
// that the compiler's messages carry the user's own line numbers.
namespace kgate::runner::host {

inline constexpr const char* kInlinePtx = "kgate_host_inline_ptx";

struct Rewritten {
  std::string text;
  std::vector<std::size_t>
      unknown_extern_shared;  // lines (from 1) with an extern __shared__ declaration of a form that is not understood
};

// Outside comments and strings:
// - `extern __shared__ T name[];` becomes a static thread_local reference to the worker's dynamic shared array, which
// is valid at every
//   scope (a worker's array stays where it is for as long as its thread lives).
// - `asm`, `__asm__` and `__asm` become kInlinePtx, which nothing declares: the compiler's complaint about it, with the
// place, becomes kgate's.
Rewritten rewrite_cuda(std::string_view source);

}  // namespace kgate::runner::host
