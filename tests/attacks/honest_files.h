#pragma once

#include <map>
#include <string>

// What the protected branch holds: two kernels with signed cases, a header that kernel and reference share, input data
// in a file, a policy with keys. "scale" is right to a part in a thousand and has no performance case, so that nothing
// of it depends on the speed of a machine: its regressions are of accuracy. "wide" is timed.
std::map<std::string, std::string> honest_files();

// kernels/scale/scale.cu: the one that the base has, and one whose error is a thousand times larger.
extern const char* const kScale;
extern const char* const kCoarseScale;
// A hundred times the work of the base's kernels/wide/wide.cu.
extern const char* const kSlowWide;

// kernels/scale/cases.toml: revision 1 has looser tolerances than revision 2, which is the base's.
std::string scale_cases(int revision);
