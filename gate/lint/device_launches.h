#pragma once

#include <map>
#include <string>

#include "base/bytes.h"
#include "gate/lint/finding.h"

namespace kgate::lint {

// Where the sources of a kernel start further kernels from the device: <<<...>>> and the calls of CUDA's device
// runtime, outside comments and strings. What is started so runs beside what is launched, checked and timed. Names
// that macros paste together are not seen.
Findings device_launches(const std::map<std::string, Bytes>& files);

}  // namespace kgate::lint
