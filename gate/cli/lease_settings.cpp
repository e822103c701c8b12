#include "gate/cli/lease_settings.h"

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/authority.h"

namespace kgate::cli {
namespace {

std::string job_address(const std::map<std::string, std::string>& environment) {
  const auto value = [&](const char* name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
  };
  if (const std::string run = value("GITHUB_RUN_ID"); !run.empty())
    return fmt::format("{}/{}/actions/runs/{}", value("GITHUB_SERVER_URL"), value("GITHUB_REPOSITORY"), run);
  for (const char* name : {"CI_JOB_URL", "BUILDKITE_BUILD_URL", "CIRCLE_BUILD_URL", "BUILD_URL"}) {
    if (const std::string url = value(name); !url.empty()) return url;
  }
  if (const std::string slurm = value("SLURM_JOB_ID"); !slurm.empty()) return "Slurm job " + slurm;
  return "";
}

}  // namespace

std::string job_text(const std::map<std::string, std::string>& environment, const std::string& doing) {
  const std::string address = job_address(environment);
  return address.empty() ? doing : fmt::format("{} ({})", doing, address);
}

lease::LeaseRequest lease_request(const Invocation& invocation, const trust::LeaseRules& rules,
                                  const std::string& doing) {
  const auto& arguments = invocation.arguments;
  lease::LeaseRequest request;
  if (!rules.folder.empty()) request.folder = rules.folder;
  if (arguments.lease_folder) request.folder = *arguments.lease_folder;
  request.wait = std::chrono::seconds(arguments.lease_wait.value_or(rules.wait_s));
  request.who = lease::own_claim(job_text(invocation.surroundings.environment, doing));
  request.inherited = invocation.surroundings.lease;
  request.interrupt = &invocation.interrupt;
  return request;
}

trust::LeaseRules lease_rules(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.lease_folder && (arguments.lease_wait || arguments.lease_action == "status")) return {};
  const auto& surroundings = invocation.surroundings;
  trust::BaseRequest base{arguments.policy_ref, {}, surroundings.ci, github_event(surroundings)};
  if (!arguments.no_fetch && trust::is_ci_job(surroundings.ci))
    base.fetch = trust::fetch_from_origin(surroundings.environment, &invocation.interrupt);
  try {
    // Its warnings are about what is judged; here nothing is.
    return trust::read_authority(arguments.repo, base).policy.lease;
  } catch (const Error& error) {
    if (error.fact() != trust::kNoRepository || arguments.policy_ref) throw;
    return {};
  }
}

}  // namespace kgate::cli
