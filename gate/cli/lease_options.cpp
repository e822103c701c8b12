#include "gate/cli/lease_options.h"

#include <CLI/CLI.hpp>

#include "gate/lease/claim.h"

namespace kgate::cli {

void add_lease_folder(CLI::App& app, Arguments& arguments) {
  app.add_option("--lease-dir", arguments.lease_folder,
                 "folder of the GPU queue (else the policy's [lease] folder, else /var/lock/kgate)")
      ->type_name("DIR");
}

void add_lease_options(CLI::App& app, Arguments& arguments) {
  app.add_option("ACTION", arguments.lease_action, "status: who holds and who waits; run: a command that holds a GPU")
      ->check(CLI::IsMember({"status", "run"}))
      ->required();
  app.add_option("COMMAND", arguments.names, "run: the command and its arguments, after --");
  app.add_option(
         "--device", arguments.lease_devices,
         "run: a GPU by UUID or index, all, or host (the processor); more than once for several; else the first "
         "GPU")
      ->type_name("GPU")
      ->allow_extra_args(false);
  app.add_option("--priority", arguments.lease_priority, "run: release, pull-request, nightly or search")
      ->check(CLI::IsMember(std::vector<std::string>(lease::kPriorityNames.begin(), lease::kPriorityNames.end())))
      ->capture_default_str();
  app.add_option("--wait", arguments.lease_wait,
                 "run: how many seconds to wait at most (else the policy's [lease] wait_s, else 1800)")
      ->check(CLI::Range(std::int64_t{0}, std::int64_t{7} * 24 * 3600))
      ->type_name("SECONDS");
  add_lease_folder(app, arguments);
  app.add_option("--format", arguments.format, "status: text or json")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "run: says nothing while it waits");
  app.add_flag("--no-fetch", arguments.no_fetch, "take the target branch as it lies here, in a CI job too");
  app.add_option("--repo", arguments.repo, "a folder of the repository whose policy holds")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--policy-ref", arguments.policy_ref,
                 "read the policy from this ref (else from the CI job, else HEAD)")
      ->type_name("REF");
}

}  // namespace kgate::cli
