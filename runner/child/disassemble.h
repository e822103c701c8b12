#pragma once

#include "base/bytes.h"
#include "runner/child/role.h"

namespace kgate::runner {

// Runs the role's disassembler on machine code, in the child's private folder. The code is the change's, and so is what
// it makes of the program that reads it.
Disassembly disassemble(ByteView code, const Role& role);

}  // namespace kgate::runner
