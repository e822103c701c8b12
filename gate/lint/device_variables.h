#pragma once

#include "base/bytes.h"
#include "gate/lint/finding.h"

namespace kgate::lint {

// Memory of a kernel's own that outlives a launch: __device__ variables, static ones in functions, file-local ones
// too. By it a kernel can remember what it saw. Read from the compiled code, so whatever macro or header declares
// them; what no code uses the compiler has dropped. `code` is a cubin, a shared object of the host backend, or PTX.
//
// Constants in constant memory and read-only data are none. A constant that the compiler keeps in writable memory
// (`__device__ const` tables) is one: the code does not say that nobody writes it; __constant__ does.
//
// Code that cannot be looked through (stripped, or no code) is told as a finding.
Findings device_variables(ByteView code);

}  // namespace kgate::lint
