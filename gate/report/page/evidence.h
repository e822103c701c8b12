#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::report {

// What the verdict stands on, beside the kernels: the machine and its state, policy, signatures and ledger, what it
// cost, what wrote it.
std::string evidence_of(const verdict::Result& result);

}  // namespace kgate::report
