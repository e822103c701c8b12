#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "fingerprint/nvml.h"
#include "fingerprint/toolkit.h"
#include "gate/trust/policy.h"

namespace kgate::verdict {

// "cuda" or "host". `auto` is cuda where the policy wants it, an NVIDIA driver is installed or a GPU of NVIDIA's is
// visible, and never falls back: a lost GPU is `environment`, not a pass on the CPU. Throws Error(environment) where
// the choice breaks the policy.
std::string choose_backend(const std::string& wanted, const trust::EnvironmentRules& rules, bool gpu_expected);

// The environment rules of the policy against the fingerprint; throws Error(environment) with the rule and what was
// found.
void check_environment(const trust::EnvironmentRules& rules, const Json& fingerprint,
                       const fingerprint::GpuState* state);

// A toolkit newer than the driver makes code that the driver cannot load; CUDA's minor version compatibility covers one
// major version. Throws Error(environment) for that, and where there is no NVRTC. `driver_api`: 13000 is CUDA 13.0; 0
// is unknown.
void check_toolkit(const fingerprint::Toolkit& toolkit, int driver_api);

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
