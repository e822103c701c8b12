#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "fingerprint/nvml.h"
#include "gate/trust/policy.h"

namespace kgate::verdict {

// "cuda" or "host". `auto` is cuda where the policy wants it, an NVIDIA driver is installed or a GPU of NVIDIA's is visible, and never falls
// back: a lost GPU is `environment`, not a pass on the CPU. Throws Error(environment) where the choice breaks the policy.
std::string choose_backend(const std::string& wanted, const trust::EnvironmentRules& rules, bool gpu_expected);

// The environment rules of the policy against the fingerprint; throws Error(environment) with the rule and what was found.
void check_environment(const trust::EnvironmentRules& rules, const Json& fingerprint, const fingerprint::GpuState* state);

// The GPU's live state before and after a run, as result.json's `environment`.
class LiveState {
 public:
  // Null NVML: the host backend, or no NVML.
  LiveState(const fingerprint::Nvml* nvml, unsigned index) : nvml_(nvml), index_(index) {}
  void sample();
  Json summary() const;

 private:
  const fingerprint::Nvml* nvml_;
  unsigned index_;
  std::vector<fingerprint::GpuState> states_;
};

}  // namespace kgate::verdict
