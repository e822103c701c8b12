#include "gate/lease/lease.h"

#include <csignal>
#include <iostream>

#include <fmt/format.h>
#include <poll.h>

#include "base/error.h"
#include "base/process.h"
#include "fingerprint/nvml.h"
#include "gate/cli/lease_settings.h"
#include "gate/cli/verbs.h"
#include "gate/lease/devices.h"
#include "gate/lease/lease_variable.h"
#include "gate/report/report.h"

// kgate lease run CMD. The command inherits the descriptors that the leases' locks belong to: where this process is
// killed, it keeps them until it has ended too, so nobody measures beside it. It stays in our process group, in which
// the terminal reaches it: so it can read from there, and Ctrl-C comes to both.
namespace kgate::cli {
namespace {

std::vector<std::string> devices_of(const std::vector<std::string>& wanted) {
  std::vector<std::string> names = wanted;
  if (names.empty()) names.push_back(fingerprint::nvidia_gpu_expected() ? "" : lease::kHostDevice);
  std::string why_not;
  std::unique_ptr<fingerprint::Nvml> nvml;
  std::vector<std::string> devices;
  for (const auto& name : names) {
    if (nvml == nullptr && name != lease::kHostDevice) nvml = fingerprint::Nvml::open(&why_not);
    for (auto& device : lease::lease_devices(nvml.get(), name)) devices.push_back(std::move(device));
  }
  return devices;
}

std::map<std::string, std::string> environment_of(const Surroundings& surroundings,
                                                  const std::vector<lease::Lease>& leases) {
  auto environment = surroundings.environment;
  // What was taken out of our own memory is the command's as it was given.
  if (!surroundings.key.empty()) environment["KGATE_KEY"] = surroundings.key;
  if (!surroundings.key_passphrase.empty()) environment["KGATE_KEY_PASSPHRASE"] = surroundings.key_passphrase;
  std::string& held = environment[lease::kLeaseVariable];
  held += (held.empty() ? "" : ",") + lease::variable_of(leases);
  std::string gpus;
  for (const auto& one : leases) {
    if (one.device() != lease::kHostDevice) gpus += (gpus.empty() ? "" : ",") + one.device();
  }
  if (!gpus.empty()) environment.emplace("CUDA_VISIBLE_DEVICES", gpus);
  return environment;
}

Process start(const std::vector<std::string>& command, const Surroundings& surroundings,
              const std::vector<lease::Lease>& leases) {
  ProcessOptions options;
  options.command = command;
  options.environment = environment_of(surroundings, leases);
  if (const auto path = options.environment.find("PATH"); path != options.environment.end())
    options.search_path = path->second;
  for (const int standard : {0, 1, 2}) options.descriptors.emplace_back(standard, standard);
  for (const auto& one : leases) options.descriptors.emplace_back(one.descriptor(), one.descriptor());
  options.own_group = false;
  options.dies_with_parent = false;
  return Process::start(options);
}

// Takes the signals that have arrived and hands them on, but for those of the terminal, which the command has had.
void hand_on_signals(pid_t command) {
  sigset_t set;
  sigemptyset(&set);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, number);
  const timespec at_once{};
  siginfo_t info{};
  while (::sigtimedwait(&set, &info, &at_once) > 0) {
    if (info.si_code != SI_KERNEL) ::kill(command, info.si_signo);
  }
}

ExitStatus wait_for(Process& process, const Interrupt& interrupt) {
  while (true) {
    pollfd watched[] = {{process.fd(), POLLIN, 0}, {interrupt.fd(), POLLIN, 0}};
    ::poll(watched, 2, -1);
    if (const auto status = process.wait(std::chrono::milliseconds(0))) return *status;
    hand_on_signals(process.id());
  }
}

// What the command's exit code says is its own affair, so this does not change it.
void warn_where_lost(const lease::Lease& held) {
  try {
    held.check();
  } catch (const Error& error) {
    std::cerr << "warning: " << report::neutral(error.what()) << '\n';
  }
}

ExitCode run_command_with_lease(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.names.empty() || arguments.names.front().empty())
    throw Error(ErrorKind::usage, "kgate lease run", "has no command",
                "write it after --: kgate lease run -- make bench");
  auto request = lease_request(invocation, lease_rules(invocation), fmt::format("{}", fmt::join(arguments.names, " ")));
  request.priority = *lease::priority_from_name(arguments.lease_priority);
  if (!arguments.quiet) {
    request.on_wait = [](const lease::Waiting& waiting) {
      std::cerr << "kgate lease: " << report::neutral(in_words(waiting)) << std::endl;
    };
  }
  auto leases = lease::acquire_all(devices_of(arguments.lease_devices), request);
  Process process = start(arguments.names, invocation.surroundings, leases);
  const ExitStatus status = wait_for(process, invocation.interrupt);
  for (auto& one : leases) {
    warn_where_lost(one);
    one.leave_to_those_within();
  }
  return static_cast<ExitCode>(status.signal != 0 ? 128 + status.signal : status.code);
}

}  // namespace

ExitCode lease_gpu(const Invocation& invocation) {
  return invocation.arguments.lease_action == "run" ? run_command_with_lease(invocation)
                                                    : show_lease_status(invocation);
}

}  // namespace kgate::cli
