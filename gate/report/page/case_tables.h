#pragma once

#include <string>

#include "gate/report/page/markup.h"
#include "gate/verdict/result/result.h"

namespace kgate::report {

// The cases of a kernel, those that did not pass first; what there is no room for is counted.
std::string case_table(const verdict::KernelResult& kernel, Room& room);
// Their times beside every version, where there are several.
std::string case_comparisons(const verdict::KernelResult& kernel);
// Their errors against the reference, output by output.
std::string numerics_table(const verdict::KernelResult& kernel);

}  // namespace kgate::report
