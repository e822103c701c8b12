#include "gate/verdict/setting.h"

#include <cstdlib>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/version_rule.h"

namespace kgate::verdict {

std::string choose_backend(const std::string& wanted, const trust::EnvironmentRules& rules, bool gpu_expected) {
  std::string chosen = wanted;
  if (wanted == "auto") chosen = !rules.backend.empty() ? rules.backend : (gpu_expected ? "cuda" : "host");
  if (!rules.backend.empty() && chosen != rules.backend) {
    throw Error(ErrorKind::environment, "backend " + chosen,
                fmt::format("the policy wants [environment] backend = \"{}\"", rules.backend),
                "run without --backend on a machine that has it");
  }
  return chosen;
}

void check_versions(const trust::EnvironmentRules& rules, const Json& fingerprint) {
  const auto rule = [&](const std::string& constraint, const char* name, const Json& found) {
    if (constraint.empty()) return;
    if (!found.is_string() || !trust::version_satisfies(found.get<std::string>(), constraint)) {
      throw Error(
          ErrorKind::environment, fmt::format("{} {}", name, found.is_string() ? found.get<std::string>() : "unknown"),
          fmt::format("the policy wants [environment] {} = \"{}\"", name, constraint), "use a runner that has it");
    }
  };
  const auto at = [&](const char* axis, const char* field) -> Json {
    const auto found = fingerprint.find(axis);
    return found == fingerprint.end() || !found->contains(field) ? Json() : (*found)[field];
  };
  rule(rules.driver, "driver", at("driver", "version"));
  rule(rules.toolkit, "toolkit", at("toolkit", "nvrtc"));
}

void check_state(const trust::EnvironmentRules& rules, const fingerprint::GpuState* state) {
  for (const auto& wish : rules.require) {
    if (state == nullptr) {
      throw Error(ErrorKind::environment, fmt::format("require \"{}\"", wish), "the GPU's state cannot be read here");
    }
    // What NVML refuses to tell is no proof: an empty list of processes would pass for a GPU without any.
    const std::string& unread = wish == "exclusive" ? state->processes_unknown : state->throttle_unknown;
    if (!unread.empty()) {
      throw Error(ErrorKind::environment, fmt::format("require \"{}\"", wish),
                  fmt::format("{} cannot be read here: {}",
                              wish == "exclusive" ? "the GPU's processes" : "why the GPU's clock is low", unread),
                  fmt::format("use a runner where NVML tells it, or drop \"{}\" from [environment] require", wish));
    }
    if (wish == "exclusive" && !state->processes.empty()) {
      throw Error(ErrorKind::environment, "the GPU",
                  fmt::format("is used by {} other process(es), the first is {}", state->processes.size(),
                              state->processes.front().pid),
                  "wait for it, or drop \"exclusive\" from [environment] require");
    }
    if (wish == "not-throttled" && !state->throttle_reasons.empty()) {
      throw Error(ErrorKind::environment, "the GPU",
                  fmt::format("is throttled: {}", fmt::join(state->throttle_reasons, ", ")),
                  "let it cool down, or look at its power supply");
    }
  }
}

void check_sandbox(const trust::EnvironmentRules& rules, const runner::SandboxReport& report,
                   runner::SandboxLevel most) {
  if (rules.sandbox.empty()) return;
  const runner::SandboxLevel least = runner::sandbox_level_from_name(rules.sandbox);
  if (most < least) {
    throw Error(ErrorKind::environment, fmt::format("--sandbox {}", runner::name_of(most)),
                fmt::format("is weaker than the policy requires, [environment] sandbox = \"{}\"", rules.sandbox),
                "leave the option out");
  }
  if (report.level < least) throw runner::weaker_sandbox(report, least);
}

void check_toolkit(const fingerprint::Toolkit& toolkit, int driver_api) {
  if (toolkit.nvrtc.empty()) {
    throw Error(ErrorKind::environment, "nvrtc", "libnvrtc.so was not found",
                "install the CUDA toolkit (its NVRTC library is enough), or point CUDA_HOME or --cuda at it");
  }
  const int toolkit_major = std::atoi(toolkit.nvrtc_version.c_str());
  if (driver_api > 0 && toolkit_major > driver_api / 1000) {
    throw Error(ErrorKind::environment, "cuda driver",
                fmt::format("supports CUDA {}.{}, the toolkit is {}", driver_api / 1000, driver_api % 1000 / 10,
                            toolkit.nvrtc_version),
                "update the driver, or use a toolkit of its major version");
  }
}

void check_sanitizer(const std::string& backend, const fingerprint::ComputeSanitizer& found,
                     const trust::EnvironmentRules& rules) {
  if (backend != "cuda") {
    throw Error(ErrorKind::environment, "--sanitize", fmt::format("needs a GPU; the backend here is {}", backend),
                "run it on a machine with a GPU, or leave the option out");
  }
  if (!found.broken.empty()) {
    throw Error(ErrorKind::environment, "--sanitize", "compute-sanitizer does not start here: " + found.broken,
                "run it with --version to see why, or leave the option out");
  }
  if (found.path.empty()) {
    throw Error(ErrorKind::environment, "--sanitize",
                "compute-sanitizer was not found in PATH nor beside the CUDA toolkit",
                "install it (package cuda-sanitizer-13-0 or of your CUDA version), or leave the option out");
  }
  if (rules.sandbox == "landlock") {
    throw Error(ErrorKind::environment, "--sanitize",
                "runs its own children under sandbox seccomp, and the policy requires landlock",
                "leave the option out, or let the platform team lower [environment] sandbox");
  }
}

}  // namespace kgate::verdict
