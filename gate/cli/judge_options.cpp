#include "gate/cli/judge_options.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "base/philox.h"
#include "fingerprint/disassembler.h"
#include "fingerprint/gpu_choice.h"
#include "gate/cli/lease_settings.h"
#include "gate/cli/runner_path.h"
#include "gate/cli/version.h"
#include "gate/verdict/result/consistency.h"

namespace kgate::cli {
namespace {

std::uint64_t seed_of(const std::optional<std::string>& text) {
  if (!text) return fresh_seed();
  if (text->empty() || text->size() > 16 || text->find_first_not_of("0123456789abcdefABCDEF") != std::string::npos) {
    throw Error(ErrorKind::usage, fmt::format("--seed \"{}\"", *text), "is no number of up to 16 hex digits",
                "take the one that the report of a run prints");
  }
  return std::stoull(*text, nullptr, 16);
}

verdict::Shard shard_of(const std::optional<std::string>& text) {
  if (!text) return {};
  const auto bad = [&](const std::string& fact, const std::string& remedy) {
    return Error(ErrorKind::usage, fmt::format("--shard \"{}\"", *text), fact, remedy);
  };
  const auto slash = text->find('/');
  const auto number = [&](std::string_view digits) {
    std::int64_t value = -1;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || digits.front() == '-' || failure == std::errc::invalid_argument ||
        end != digits.data() + digits.size())
      throw bad("is not of the form I/N", "the first of four shards is 1/4");
    return failure == std::errc{} ? value : std::numeric_limits<std::int64_t>::max();
  };
  if (slash == std::string::npos) throw bad("is not of the form I/N", "the first of four shards is 1/4");
  const verdict::Shard shard{number(std::string_view(*text).substr(0, slash)),
                             number(std::string_view(*text).substr(slash + 1))};
  if (shard.total > verdict::kMostShards)
    throw bad(fmt::format("has too many shards: the most are {}", verdict::kMostShards), "a shard a GPU is enough");
  if (shard.total < 1) throw bad("has no shard", "the first of four shards is 1/4");
  if (shard.index < 1 || shard.index > shard.total)
    throw bad("is none of its shards", fmt::format("they are 1/{0} to {0}/{0}", shard.total));
  return shard;
}

std::filesystem::path cache_path(const Arguments& arguments, const Surroundings& surroundings) {
  if (arguments.cache) return *arguments.cache;
  // A relative one is to be ignored (XDG base directories): it would be a folder of the repository that is judged.
  if (std::filesystem::path(surroundings.cache_home).is_absolute())
    return std::filesystem::path(surroundings.cache_home) / "kgate";
  return surroundings.home.empty() ? std::filesystem::path{}
                                   : std::filesystem::path(surroundings.home) / ".cache" / "kgate";
}

// Where what was learnt about this machine is kept, beyond caches that may be emptied.
std::filesystem::path state_path(const Surroundings& surroundings) {
  // As above.
  if (std::filesystem::path(surroundings.state_home).is_absolute())
    return std::filesystem::path(surroundings.state_home) / "kgate";
  return surroundings.home.empty() ? std::filesystem::path{}
                                   : std::filesystem::path(surroundings.home) / ".local" / "state" / "kgate";
}

// What others who wait for its GPU are told a run is.
std::string doing(const Arguments& arguments) {
  std::string command = "kgate " + arguments.verb;
  for (const auto& name : arguments.names) command += " " + name;
  return command;
}

}  // namespace

verdict::JudgeOptions judge_options(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  const auto& surroundings = invocation.surroundings;
  verdict::JudgeOptions options;
  options.repository = arguments.repo;
  options.base = {arguments.policy_ref, arguments.baseline, surroundings.ci, github_event(surroundings)};
  options.selection = arguments.names;
  options.shard = shard_of(arguments.shard);
  options.profile = arguments.profile;
  options.backend = arguments.backend;
  options.device = arguments.device;
  const auto& verb = arguments.verb;
  if (fingerprint::may_be_several(options.device) && verb != "run" && verb != "check" && verb != "doctor") {
    throw Error(ErrorKind::usage, "--device " + options.device,
                fmt::format("may mean several GPUs, and kgate {} works on one", verb), "name it by its index or UUID");
  }
  options.queue.folder = arguments.lease_folder.value_or("");
  options.queue.job = job_text(surroundings.environment, doing(arguments));
  options.queue.inherited = surroundings.lease;
  options.check_only = arguments.verb == "check";
  options.sanitize = arguments.sanitize;
  options.time_unchanged = arguments.time_unchanged;
  options.fetch_ledger = !arguments.no_fetch && trust::is_ci_job(surroundings.ci);
  options.environment = surroundings.environment;
  if (options.fetch_ledger) options.base.fetch = trust::fetch_from_origin(options.environment, &invocation.interrupt);
  options.seed = seed_of(arguments.seed);
  options.threads = arguments.threads != 0 ? arguments.threads : std::max(1u, std::thread::hardware_concurrency());
  options.runner = runner_path();
  options.sandbox = arguments.sandbox == "none" ? runner::SandboxLevel::none : runner::SandboxLevel::landlock;
  options.cache = cache_path(arguments, surroundings);
  options.state = state_path(surroundings);
  options.toolkit = find_toolkit(arguments, surroundings);
  const auto path = surroundings.environment.find("PATH");
  const std::string search_path = path == surroundings.environment.end() ? "" : path->second;
  options.disassembler = fingerprint::find_disassembler(search_path, options.toolkit.root);
  if (arguments.sanitize) options.sanitizer = fingerprint::find_compute_sanitizer(search_path, options.toolkit.root);
  options.version = kVersion;
  options.commit = kCommit;
  options.interrupt = &invocation.interrupt;
  return options;
}

}  // namespace kgate::cli
