#include <optional>

#include "base/error.h"
#include "base/utf8.h"
#include "gate/verdict/result/consistency.h"
#include "gate/verdict/result/reader.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/result/version_diff_json.h"

// result.json, read back. Keys that this kgate does not know are skipped, so that a result of a later kgate of the same
// schema can still be read.
namespace kgate::verdict {
namespace {

constexpr const char* kSchema = "kgate.result/1";

std::optional<Zone> zone_from(const Reader& reader) {
  const auto found = reader.maybe_object("zone");
  if (!found) return std::nullopt;
  Zone zone;
  found->get("tolerate", zone.tolerate);
  found->get("block", zone.block);
  return zone;
}

Timing timing_from(const Reader& reader) {
  Timing time;
  reader.get("base_us", time.base_us);
  reader.get("candidate_us", time.candidate_us);
  reader.get("ratio", time.ratio);
  reader.get("low", time.low);
  reader.get("high", time.high);
  reader.get("p95_ratio", time.p95_ratio);
  reader.get("blocks", time.blocks);
  reader.get("rounds", time.rounds);
  reader.get("dropped", time.dropped);
  reader.get("checked", time.checked);
  reader.get("launches_per_sample", time.launches_per_sample);
  reader.get("regime", time.regime);
  reader.get("gbps", time.gbps);
  reader.get("gflops", time.gflops);
  reader.get("trace", time.trace);
  time.zone = zone_from(reader);
  return time;
}

Numerics numerics_from(const Reader& reader) {
  Numerics output;
  reader.get("max_abs", output.max_abs);
  reader.get("max_rel", output.max_rel);
  reader.get("rms", output.rms);
  reader.get("bias", output.bias);
  reader.get("mismatched", output.mismatched);
  reader.get("elements", output.elements);
  for (const Json& index : reader.array("first_mismatch")) {
    const std::int64_t value = reader.integer(index, "first_mismatch");
    if (value < 0) reader.fail(reader.key_of("first_mismatch"), "must not be negative");
    output.first_mismatch.push_back(static_cast<std::uint64_t>(value));
  }
  if (!output.first_mismatch.empty()) {
    reader.get("first_expected", output.first_expected);
    reader.get("first_got", output.first_got);
  }
  reader.get("base_rms", output.base_rms);
  return output;
}

CaseComparison case_comparison_from(const Reader& reader) {
  CaseComparison one;
  reader.get("against", one.against);
  reader.get("verdict", one.verdict);
  reader.get("reason", one.reason);
  if (const auto time = reader.maybe_object("time")) {
    one.timed = true;
    time->get("before_us", one.before_us);
    time->get("candidate_us", one.candidate_us);
    time->get("ratio", one.ratio);
    time->get("low", one.low);
    time->get("high", one.high);
    one.zone = zone_from(*time);
  }
  return one;
}

CaseResult case_from(const Reader& reader) {
  CaseResult one;
  reader.get("name", one.name);
  reader.get("role", one.role);
  for (const auto& [name, size] : reader.any_object("sizes").items()) one.sizes[name] = reader.integer(size, "sizes");
  reader.get("verdict", one.verdict);
  reader.get("reason", one.reason);
  if (const auto time = reader.maybe_object("time")) one.time = timing_from(*time);
  if (reader.json().contains("comparisons")) {
    for (const Reader& other : reader.objects("comparisons")) one.comparisons.push_back(case_comparison_from(other));
  }
  const Reader numerics = reader.object("numerics");
  for (const auto& [name, output] : numerics.json().items())
    one.numerics[name] = numerics_from(numerics.object(name.c_str()));
  return one;
}

Comparison comparison_from(const Reader& reader) {
  Comparison one;
  reader.get("against", one.against);
  reader.get("commit", one.commit);
  reader.get("ratio", one.ratio);
  reader.get("low", one.low);
  reader.get("high", one.high);
  reader.get("verdict", one.verdict);
  if (reader.json().contains("artifact")) reader.get("artifact", one.artifact);
  if (reader.json().contains("sequence")) {
    reader.get("sequence", one.sequence);
    reader.get("class", one.device_class);
    if (reader.json().contains("signers")) reader.get("signers", one.signers);
    if (reader.json().contains("release")) reader.get("release", one.release);
  }
  return one;
}

Part part_from(const Reader& reader) {
  Part part;
  part.unknown.clear();
  if (reader.json().contains("unknown")) {
    reader.get("unknown", part.unknown);
    return part;
  }
  reader.get("ratio", part.ratio);
  reader.get("low", part.low);
  reader.get("high", part.high);
  if (reader.json().contains("verdict")) reader.get("verdict", part.verdict);
  return part;
}

Attribution attribution_from(const Reader& reader) {
  Attribution why;
  why.change = part_from(reader.object("change"));
  why.merged = part_from(reader.object("merged"));
  why.toolkit = part_from(reader.object("toolkit"));
  why.machine = part_from(reader.object("machine"));
  reader.get("since", why.since);
  reader.object("toolkit").get("before", why.toolkit_before);
  reader.object("toolkit").get("after", why.toolkit_after);
  reader.object("machine").get("differences", why.machine_differences);
  return why;
}

lint::Finding lint_from(const Reader& reader) {
  lint::Finding one;
  reader.get("rule", one.rule);
  reader.get("where", one.where);
  reader.get("what", one.what);
  reader.get("in_base", one.in_base);
  return one;
}

sanitize::Summary sanitizer_from(const Reader& reader) {
  sanitize::Summary summary;
  reader.get("available", summary.available);
  reader.get("version", summary.version);
  reader.get("sandbox", summary.sandbox);
  reader.get("tools", summary.tools);
  for (const Reader& finding : reader.objects("findings")) {
    sanitize::Finding& one = summary.findings.emplace_back();
    finding.get("tool", one.tool);
    finding.get("kind", one.kind);
    finding.get("severity", one.severity);
    finding.get("kernel", one.kernel);
    finding.get("case", one.case_name);
    finding.get("file", one.file);
    finding.get("line", one.line);
    finding.get("what", one.what);
    finding.get("count", one.count);
  }
  return summary;
}

KernelResult kernel_from(const Reader& reader) {
  KernelResult kernel;
  reader.get("name", kernel.name);
  reader.get("path", kernel.path);
  reader.get("verdict", kernel.verdict);
  reader.get("reason", kernel.reason);
  if (const auto place = reader.maybe_object("location")) {
    kernel.location.emplace();
    place->get("file", kernel.location->file);
    place->get("line", kernel.location->line);
  }
  if (reader.json().contains("seed")) reader.get("seed", kernel.seed);
  if (reader.json().contains("device")) reader.get("device", kernel.device_uuid);
  if (reader.json().contains("code")) reader.get("code", kernel.code);
  const Reader candidate = reader.object("candidate");
  candidate.get("sources", kernel.sources_digest);
  candidate.get("code", kernel.code_digest);
  candidate.get("cases", kernel.cases_digest);
  if (candidate.json().contains("cases_revision")) {
    candidate.get("cases_revision", kernel.cases_revision);
    candidate.get("cases_signers", kernel.cases_signers);
  }
  for (const Reader& one : reader.objects("comparisons")) kernel.comparisons.push_back(comparison_from(one));
  if (const auto resources = reader.maybe_object("resources")) {
    if (const auto use = resources->maybe_object("candidate")) kernel.candidate = resources_from(*use);
    if (const auto use = resources->maybe_object("base")) kernel.base = resources_from(*use);
  }
  const Reader diff = reader.object("diff");
  diff.get("source", kernel.source_diff);
  diff.get("options", kernel.option_changes);
  diff.get("launch", kernel.launch_changes);
  if (const auto code = diff.maybe_object("machine_code")) kernel.machine_code = machine_code_from(*code);
  if (const auto growth = diff.maybe_object("error_growth")) kernel.error_growth = error_growth_from(*growth);
  if (reader.json().contains("accepted_diffs")) {
    for (const Reader& one : reader.objects("accepted_diffs")) kernel.accepted_diffs.push_back(version_diff_from(one));
  }
  reader.get("compiler_log", kernel.compiler_log);
  if (reader.json().contains("blocks")) reader.get("blocks", kernel.blocks);
  reader.get("warnings", kernel.warnings);
  for (const Reader& one : reader.objects("cases")) kernel.cases.push_back(case_from(one));
  if (reader.json().contains("not_compared")) reader.get("not_compared", kernel.not_compared);
  if (reader.json().contains("causes")) reader.get("causes", kernel.causes);
  if (const auto why = reader.maybe_object("attribution")) kernel.attribution = attribution_from(*why);
  if (reader.json().contains("lint")) {
    for (const Reader& one : reader.objects("lint")) kernel.lint.push_back(lint_from(one));
  }
  return kernel;
}

void check_schema(const Reader& root, const std::string& subject) {
  std::string schema;
  root.get("schema", schema);
  if (schema == kSchema) return;
  throw Error(ErrorKind::usage, subject,
              "its schema is \"" + valid_utf8(schema) + "\", and this kgate reads " + kSchema,
              "read it with the kgate that wrote it");
}

}  // namespace

Result result_from_json(const Json& json, const std::string& subject) {
  const Reader root(json, subject, "");
  check_schema(root, subject);
  Result result;
  const Reader tool = root.object("tool");
  tool.get("version", result.tool_version);
  tool.get("commit", result.tool_commit);
  const Reader command = root.object("command");
  command.get("verb", result.verb);
  command.get("kernels", result.selection);
  root.get("started", result.started);
  root.get("seconds", result.seconds);
  root.get("profile", result.profile);
  root.get("verdict", result.verdict);
  root.get("exit_code", result.exit_code);
  root.get("reason", result.reason);
  root.get("backend", result.backend);
  const Reader source = root.object("source");
  source.get("commit", result.source_commit);
  source.get("dirty", result.source_dirty);
  source.get("base", result.source_base);
  const Reader policy = root.object("policy");
  policy.get("ref", result.policy_ref);
  policy.get("commit", result.policy_commit);
  policy.get("digest", result.policy_digest);
  if (const auto ledger = root.maybe_object("ledger")) {
    ledger->get("commit", result.ledger_commit);
    ledger->get("sequence", result.ledger_sequence);
    ledger->get("digest", result.ledger_digest);
  }
  result.fingerprint = root.any_object("fingerprint");
  root.get("class", result.device_class);
  const Reader device = root.object("device");
  device.get("name", result.device_name);
  device.get("uuid", result.device_uuid);
  root.object("sandbox").get("level", result.sandbox);
  root.get("seed", result.seed);
  const Reader shard = root.object("shard");
  shard.get("index", result.shard_index);
  shard.get("total", result.shard_total);
  shard.get("planned", result.shard_planned);
  if (shard.json().contains("plan")) shard.get("plan", result.shard_plan);
  root.get("warnings", result.warnings);
  for (const Reader& kernel : root.objects("kernels")) result.kernels.push_back(kernel_from(kernel));
  if (const auto sanitizer = root.maybe_object("sanitizer")) result.sanitizer = sanitizer_from(*sanitizer);
  result.environment = root.any_object("environment");
  const Reader timings = root.object("timings");
  timings.get("compile_s", result.compile_s);
  timings.get("check_s", result.check_s);
  timings.get("time_s", result.time_s);
  timings.get("wait_s", result.wait_s);
  if (timings.json().contains("idle_s")) timings.get("idle_s", result.idle_s);
  timings.get("total_s", result.total_s);
  if (root.json().contains("searches")) {
    for (const Reader& one : root.objects("searches")) {
      SearchFound found;
      one.get("kernel", found.kernel);
      one.get("better", found.better);
      one.get("headline", found.headline);
      one.get("folder", found.folder);
      one.get("patch", found.patch);
      result.searches.push_back(std::move(found));
    }
  }
  if (root.json().contains("devices")) {
    for (const Reader& one : root.objects("devices")) {
      DeviceUse use;
      one.get("name", use.name);
      one.get("uuid", use.uuid);
      one.get("kernels", use.kernels);
      one.get("seconds", use.seconds);
      one.get("wait_s", use.wait_s);
      use.environment = one.any_object("environment");
      result.devices.push_back(std::move(use));
    }
  }
  check_consistent(result, subject);
  return result;
}

}  // namespace kgate::verdict
