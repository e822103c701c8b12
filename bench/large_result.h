#pragma once

#include <cstddef>

#include "gate/verdict/result/result.h"

namespace kgate::bench {

// A run of many kernels with many timed cases each, of which some regressed and some are wrong: for the tests of the
// reports, and for how long they take. The same for the same numbers.
verdict::Result large_result(std::size_t kernels, std::size_t cases);

}  // namespace kgate::bench
