#pragma once

#include <cstdlib>

// What must hold in a fuzz target, in every build: a fuzzer takes an abort for a find.
inline void require(bool holds) {
  if (!holds) std::abort();
}
