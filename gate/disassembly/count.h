#pragma once

#include <string_view>

#include "gate/disassembly/kind.h"

namespace kgate::disassembly {

// The instructions in what nvdisasm --print-code prints (CUDA 11 to 13), of all functions of the file. NOP is left out:
// it fills a function up to its alignment. What is no instruction is skipped; empty: there was none.
Counts count_instructions(std::string_view text);

}  // namespace kgate::disassembly
