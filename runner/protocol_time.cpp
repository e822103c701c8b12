// The bodies that have launches in them: what is run and timed, and what came of it.
#include "runner/fields.h"
#include "runner/protocol.h"

namespace kgate::runner {
namespace {

Json encode_launch(const Launch& launch) {
  Json arguments = Json::array();
  for (const auto& argument : launch.arguments) {
    arguments.push_back(argument.buffer ? Json(*argument.buffer) : binary(argument.scalar));
  }
  Json body{{"entry", launch.entry},
            {"grid", launch.grid},
            {"block", launch.block},
            {"shared", launch.shared_bytes},
            {"cooperative", launch.cooperative},
            {"arguments", std::move(arguments)}};
  if (launch.cluster) body["cluster"] = *launch.cluster;
  if (launch.code) body["code"] = *launch.code;
  return body;
}

Json encode_launches(const Launches& launches) {
  Json list = Json::array();
  for (const auto& launch : launches) list.push_back(encode_launch(launch));
  return list;
}

Launch decode_launch(const Json& body) {
  Launch launch;
  launch.entry = field<std::string>(body, "entry");
  launch.grid = triple(member(body, "grid"), "grid");
  launch.block = triple(member(body, "block"), "block");
  launch.shared_bytes = field<std::uint32_t>(body, "shared");
  launch.cooperative = field<bool>(body, "cooperative");
  if (body.contains("cluster")) launch.cluster = triple(body["cluster"], "cluster");
  if (body.contains("code")) launch.code = field<std::uint32_t>(body, "code");
  for (const auto& item : array_field(body, "arguments")) {
    Argument argument;
    if (item.is_binary()) {
      argument.scalar = bytes_field(item, "arguments");
    } else {
      argument.buffer = get<std::uint32_t>(item, "arguments");
    }
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

Launches decode_launches(const Json& body, const char* key) {
  Launches launches;
  for (const auto& launch : array_field(body, key)) launches.push_back(decode_launch(launch));
  return launches;
}

}  // namespace

Json encode(const TimedArm& arm) {
  return {{"arm", arm.arm}, {"launches", encode_launches(arm.launches)}, {"tail", encode_launches(arm.tail)}};
}

TimedArm decode_timed_arm(const Json& body) {
  return {field<std::uint32_t>(body, "arm"), decode_launches(body, "launches"), decode_launches(body, "tail")};
}

Json encode(const RunOutcome& outcome) {
  return {{"ok", outcome.ok}, {"unsupported", outcome.unsupported}, {"fault", outcome.fault}};
}

RunOutcome decode_run_outcome(const Json& body) {
  return {field<bool>(body, "ok"), field<bool>(body, "unsupported"), field<std::string>(body, "fault")};
}

Json encode(const std::vector<GuardReport>& reports) {
  Json list = Json::array();
  for (const auto& report : reports) list.push_back({{"buffer", report.buffer}, {"finding", report.finding}});
  return list;
}

std::vector<GuardReport> decode_guard_reports(const Json& body) {
  if (!body.is_array()) throw broken("guard reports are no array");
  std::vector<GuardReport> reports;
  for (const auto& item : body) {
    reports.push_back({field<std::uint32_t>(item, "buffer"), field<std::string>(item, "finding")});
  }
  return reports;
}

Json encode(const TimeJob& job) {
  Json arms = Json::array();
  for (const auto& arm : job.arms) arms.push_back(encode(arm));
  return {{"arms", std::move(arms)},
          {"blocks", job.blocks},
          {"launches_per_sample", job.launches_per_sample},
          {"sample_us", job.sample_us},
          {"placement", number_of(job.placement)},
          {"cache", number_of(job.cache)},
          {"seed", job.seed},
          {"first_block", job.first_block},
          {"regime", number_of(job.regime)},
          {"stretch_ms", job.stretch_ms},
          {"checked", job.checked},
          {"looks", job.looks},
          {"check_inputs", job.check_inputs},
          {"whole", job.whole ? Json(*job.whole) : Json()},
          {"keep", job.keep ? Json(*job.keep) : Json()}};
}

TimeJob decode_time_job(const Json& body) {
  TimeJob job;
  for (const auto& arm : array_field(body, "arms")) job.arms.push_back(decode_timed_arm(arm));
  job.blocks = field<std::uint32_t>(body, "blocks");
  job.launches_per_sample = field<std::uint32_t>(body, "launches_per_sample");
  job.sample_us = length_field(body, "sample_us", 1000 * kLongestStretchMs);
  job.placement = enum_field(body, "placement", Placement::fixed);
  job.cache = enum_field(body, "cache", CacheState::cold);
  job.seed = field<std::uint64_t>(body, "seed");
  job.first_block = field<std::uint64_t>(body, "first_block");
  job.regime = enum_field(body, "regime", Regime::fresh);
  job.stretch_ms = length_field(body, "stretch_ms", kLongestStretchMs);
  for (const auto& block : array_field(body, "checked")) {
    job.checked.push_back(get<std::uint32_t>(block, "checked"));
    if (job.checked.back() >= job.blocks) throw broken("\"checked\" names a block that is not in the job");
    if (job.checked.size() > 1 && job.checked[job.checked.size() - 2] >= job.checked.back())
      throw broken("\"checked\" is not ascending");
  }
  job.looks = field<std::uint64_t>(body, "looks");
  job.check_inputs = field<bool>(body, "check_inputs");
  if (!member(body, "whole").is_null()) job.whole = field<std::uint32_t>(body, "whole");
  if (!member(body, "keep").is_null()) job.keep = field<std::uint32_t>(body, "keep");
  return job;
}

namespace {

Json encode(const CheckedSample& sample) {
  Json digests = Json::array();
  for (const auto& [buffer, digest] : sample.digests) digests.push_back({{"buffer", buffer}, {"sha256", digest}});
  Json wholes = Json::array();
  for (const auto& [buffer, digest] : sample.wholes) wholes.push_back({{"buffer", buffer}, {"sha256", digest}});
  return {{"arm", sample.arm},
          {"block", sample.block},
          {"variant", sample.variant},
          {"kept", sample.kept},
          {"digests", std::move(digests)},
          {"wholes", std::move(wholes)},
          {"guards", encode(sample.guards)}};
}

CheckedSample decode_checked_sample(const Json& body) {
  CheckedSample sample;
  sample.arm = field<std::uint32_t>(body, "arm");
  sample.block = field<std::uint32_t>(body, "block");
  sample.variant = field<std::uint32_t>(body, "variant");
  sample.kept = field<bool>(body, "kept");
  for (const auto& item : array_field(body, "digests"))
    sample.digests[field<std::uint32_t>(item, "buffer")] = field<std::string>(item, "sha256");
  for (const auto& item : array_field(body, "wholes"))
    sample.wholes[field<std::uint32_t>(item, "buffer")] = field<std::string>(item, "sha256");
  sample.guards = decode_guard_reports(member(body, "guards"));
  return sample;
}

}  // namespace

Json encode(const TimeOutcome& outcome) {
  Json checked = Json::array();
  for (const auto& sample : outcome.checked) checked.push_back(encode(sample));
  return {{"run", encode(outcome.run)}, {"launches_per_sample", outcome.launches_per_sample},
          {"regime", outcome.regime},   {"moved", outcome.moved},
          {"us", outcome.us},           {"checked", std::move(checked)}};
}

TimeOutcome decode_time_outcome(const Json& body) {
  TimeOutcome outcome;
  outcome.run = decode_run_outcome(member(body, "run"));
  outcome.launches_per_sample = field<std::uint32_t>(body, "launches_per_sample");
  outcome.regime = field<std::string>(body, "regime");
  outcome.moved = field<bool>(body, "moved");
  for (const auto& arm : array_field(body, "us")) {
    if (!arm.is_array()) throw broken("\"us\" holds no arrays");
    std::vector<double> samples;
    // Whether they can be times, plausible.h knows.
    for (const auto& value : arm) samples.push_back(get<double>(value, "us"));
    outcome.us.push_back(std::move(samples));
  }
  for (const auto& sample : array_field(body, "checked")) outcome.checked.push_back(decode_checked_sample(sample));
  return outcome;
}

}  // namespace kgate::runner
