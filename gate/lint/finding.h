#pragma once

#include <string>
#include <vector>

namespace kgate::lint {

// Names of rules, as the policy's keys.
constexpr const char* kDeviceLaunches = "device_launches";
constexpr const char* kDeviceVariables = "device_variables";

// Something in a candidate that a reviewer should know of. Best effort: it helps the honest and slows the others down;
// the defence against a hostile kernel is how it is checked and timed.
struct Finding {
  std::string rule;
  std::string where;     // "kernels/softmax/softmax.cu:12", ".nv.global"
  std::string what;      // "child<<<1, 32>>>(x);", "counter, 4 bytes"
  bool in_base = false;  // the base version has it too: this change did not bring it
};
using Findings = std::vector<Finding>;

// Marks those that `base` has too, wherever they stand there; one of the base's accounts for one of the candidate's.
void mark_known(Findings& candidate, const Findings& base);

}  // namespace kgate::lint
