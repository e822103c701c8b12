#pragma once

#include <string>

#include "base/json.h"
#include "fingerprint/compute_sanitizer.h"
#include "fingerprint/gpu_state.h"
#include "fingerprint/toolkit.h"
#include "gate/trust/policy.h"
#include "runner/sandbox.h"

namespace kgate::verdict {

// "cuda" or "host". `auto` is cuda where the policy wants it, an NVIDIA driver is installed or a GPU of NVIDIA's is
// visible, and never falls back: a lost GPU is `environment`, not a pass on the CPU. Throws Error(environment) where
// the choice breaks the policy.
std::string choose_backend(const std::string& wanted, const trust::EnvironmentRules& rules, bool gpu_expected);

// The policy's rules about versions against the fingerprint, and those about the GPU's state (null: it cannot be read);
// throw Error(environment) with the rule and what was found.
void check_versions(const trust::EnvironmentRules& rules, const Json& fingerprint);
void check_state(const trust::EnvironmentRules& rules, const fingerprint::GpuState* state);

// Throws Error(environment) for a child whose sandbox is weaker than the policy's [environment] sandbox. `most`: the
// level that was asked for.
void check_sandbox(const trust::EnvironmentRules& rules, const runner::SandboxReport& report,
                   runner::SandboxLevel most);

// A toolkit newer than the driver makes code that the driver cannot load; CUDA's minor version compatibility covers one
// major version. Throws Error(environment) for that, and where there is no NVRTC. `driver_api`: 13000 is CUDA 13.0; 0
// is unknown.
void check_toolkit(const fingerprint::Toolkit& toolkit, int driver_api);

// Throws Error(environment) where --sanitize cannot be done: on the host backend, without the program, where the policy
// wants a stronger sandbox than its children can be under.
void check_sanitizer(const std::string& backend, const fingerprint::ComputeSanitizer& found,
                     const trust::EnvironmentRules& rules);

}  // namespace kgate::verdict
