#include "gate/verdict/result/json_values.h"
#include "gate/verdict/result/result.h"
#include "gate/verdict/result/version_diff_json.h"

// result.json; result_reader.cpp reads it. The keys are those of docs/result-json.md.
namespace kgate::verdict {
namespace {

constexpr const char* kSchema = "kgate.result/1";

Json to_json(const Zone& zone) {
  return {{"tolerate", number(zone.tolerate)}, {"block", number(zone.block)}};
}

Json to_json(const Timing& time) {
  Json json{{"base_us", number(time.base_us)},
            {"candidate_us", number(time.candidate_us)},
            {"ratio", number(time.ratio)},
            {"low", number(time.low)},
            {"high", number(time.high)},
            {"p95_ratio", number(time.p95_ratio)},
            {"blocks", time.blocks},
            {"rounds", time.rounds},
            {"dropped", time.dropped},
            {"checked", time.checked},
            {"launches_per_sample", time.launches_per_sample},
            {"regime", text(time.regime)},
            {"trace", texts(time.trace)}};
  if (time.gbps) json["gbps"] = number(*time.gbps);
  if (time.gflops) json["gflops"] = number(*time.gflops);
  if (time.zone) json["zone"] = to_json(*time.zone);
  return json;
}

Json to_json(const Numerics& output) {
  Json json{{"max_abs", number(output.max_abs)},
            {"max_rel", number(output.max_rel)},
            {"rms", number(output.rms)},
            {"bias", number(output.bias)},
            {"mismatched", output.mismatched},
            {"elements", output.elements},
            {"first_mismatch", output.first_mismatch}};
  if (!output.first_mismatch.empty()) {
    json["first_expected"] = number(output.first_expected);
    json["first_got"] = number(output.first_got);
  }
  if (output.base_rms) json["base_rms"] = number(*output.base_rms);
  return json;
}

Json to_json(const CaseComparison& one) {
  Json json{{"against", text(one.against)}, {"verdict", name_of(one.verdict)}, {"reason", text(one.reason)}};
  if (!one.timed) return json;
  json["time"] = {{"before_us", number(one.before_us)},
                  {"candidate_us", number(one.candidate_us)},
                  {"ratio", number(one.ratio)},
                  {"low", number(one.low)},
                  {"high", number(one.high)}};
  if (one.zone) json["time"]["zone"] = to_json(*one.zone);
  return json;
}

Json to_json(const CaseResult& one) {
  Json json{{"name", text(one.name)},
            {"role", text(one.role)},
            {"sizes", one.sizes},
            {"verdict", name_of(one.verdict)},
            {"reason", text(one.reason)}};
  if (one.time) json["time"] = to_json(*one.time);
  for (const CaseComparison& other : one.comparisons) json["comparisons"].push_back(to_json(other));
  json["numerics"] = Json::object();
  for (const auto& [name, output] : one.numerics) json["numerics"][valid_utf8(name)] = to_json(output);
  return json;
}

Json to_json(const Comparison& one) {
  Json json{{"against", text(one.against)},   {"commit", text(one.commit)}, {"artifact", text(one.artifact)},
            {"ratio", number(one.ratio)},     {"low", number(one.low)},     {"high", number(one.high)},
            {"verdict", name_of(one.verdict)}};
  if (one.sequence != 0) {
    json["sequence"] = one.sequence;
    json["class"] = text(one.device_class);
    if (!one.signers.empty()) json["signers"] = texts(one.signers);
    if (!one.release.empty()) json["release"] = text(one.release);
  }
  return json;
}

Json to_json(const Part& part) {
  if (!part.known()) return {{"unknown", text(part.unknown)}};
  return {{"ratio", number(part.ratio)}, {"low", number(part.low)}, {"high", number(part.high)}};
}

Json to_json(const Attribution& why) {
  Json json{{"change", to_json(why.change)},
            {"merged", to_json(why.merged)},
            {"toolkit", to_json(why.toolkit)},
            {"machine", to_json(why.machine)},
            {"since", text(why.since)}};
  // The others are judged by comparisons[].
  if (why.toolkit.known()) json["toolkit"]["verdict"] = name_of(why.toolkit.verdict);
  if (why.machine.known()) json["machine"]["verdict"] = name_of(why.machine.verdict);
  json["toolkit"]["before"] = text(why.toolkit_before);
  json["toolkit"]["after"] = text(why.toolkit_after);
  json["machine"]["differences"] = texts(why.machine_differences);
  return json;
}

Json to_json(const lint::Finding& one) {
  return {{"rule", text(one.rule)}, {"where", text(one.where)}, {"what", text(one.what)}, {"in_base", one.in_base}};
}

Json to_json(const sanitize::Summary& summary) {
  Json json{{"available", summary.available},
            {"version", text(summary.version)},
            {"sandbox", text(summary.sandbox)},
            {"tools", texts(summary.tools)},
            {"findings", Json::array()}};
  for (const sanitize::Finding& one : summary.findings) {
    json["findings"].push_back({{"tool", text(one.tool)},
                                {"kind", text(one.kind)},
                                {"severity", text(one.severity)},
                                {"kernel", text(one.kernel)},
                                {"case", text(one.case_name)},
                                {"file", text(one.file)},
                                {"line", one.line},
                                {"what", text(one.what)},
                                {"count", one.count}});
  }
  return json;
}

Json to_json(const KernelResult& kernel) {
  Json json{{"name", text(kernel.name)},
            {"path", text(kernel.path)},
            {"verdict", name_of(kernel.verdict)},
            {"reason", text(kernel.reason)},
            {"candidate",
             {{"sources", text(kernel.sources_digest)},
              {"code", text(kernel.code_digest)},
              {"cases", text(kernel.cases_digest)},
              {"cases_revision", kernel.cases_revision},
              {"cases_signers", texts(kernel.cases_signers)}}},
            {"diff",
             {{"source", text(kernel.source_diff)},
              {"options", texts(kernel.option_changes)},
              {"launch", texts(kernel.launch_changes)}}},
            {"compiler_log", text(kernel.compiler_log)},
            {"warnings", texts(kernel.warnings)},
            {"comparisons", Json::array()},
            {"cases", Json::array()}};
  if (kernel.location) json["location"] = {{"file", text(kernel.location->file)}, {"line", kernel.location->line}};
  if (!kernel.seed.empty()) json["seed"] = text(kernel.seed);
  if (!kernel.device_uuid.empty()) json["device"] = text(kernel.device_uuid);
  if (kernel.blocks) json["blocks"] = true;
  if (!kernel.not_compared.empty()) json["not_compared"] = texts(kernel.not_compared);
  if (!kernel.causes.empty()) json["causes"] = texts(kernel.causes);
  if (kernel.attribution) json["attribution"] = to_json(*kernel.attribution);
  if (!kernel.code.empty()) json["code"] = text(kernel.code);
  if (kernel.machine_code) json["diff"]["machine_code"] = to_json(*kernel.machine_code);
  if (!kernel.error_growth.empty()) json["diff"]["error_growth"] = error_growth_json(kernel.error_growth);
  for (const VersionDiff& one : kernel.accepted_diffs) json["accepted_diffs"].push_back(to_json(one));
  for (const Comparison& one : kernel.comparisons) json["comparisons"].push_back(to_json(one));
  if (kernel.candidate) json["resources"]["candidate"] = to_json(*kernel.candidate);
  if (kernel.base) json["resources"]["base"] = to_json(*kernel.base);
  for (const CaseResult& one : kernel.cases) json["cases"].push_back(to_json(one));
  for (const lint::Finding& one : kernel.lint) json["lint"].push_back(to_json(one));
  return json;
}

}  // namespace

Json to_json(const Result& result) {
  Json json{
      {"schema", kSchema},
      {"tool", {{"name", "kgate"}, {"version", text(result.tool_version)}, {"commit", text(result.tool_commit)}}},
      {"command", {{"verb", text(result.verb)}, {"kernels", texts(result.selection)}}},
      {"started", text(result.started)},
      {"seconds", number(result.seconds)},
      {"profile", text(result.profile)},
      {"verdict", name_of(result.verdict)},
      {"exit_code", result.exit_code},
      {"reason", text(result.reason)},
      {"backend", text(result.backend)},
      {"source",
       {{"commit", text(result.source_commit)}, {"dirty", result.source_dirty}, {"base", text(result.source_base)}}},
      {"policy",
       {{"ref", text(result.policy_ref)},
        {"commit", text(result.policy_commit)},
        {"digest", text(result.policy_digest)}}},
      {"ledger",
       {{"commit", text(result.ledger_commit)},
        {"sequence", result.ledger_sequence},
        {"digest", text(result.ledger_digest)}}},
      {"fingerprint", result.fingerprint},
      {"class", text(result.device_class)},
      {"device", {{"name", text(result.device_name)}, {"uuid", text(result.device_uuid)}}},
      {"sandbox", {{"level", text(result.sandbox)}}},
      {"seed", text(result.seed)},
      {"shard",
       {{"index", result.shard_index}, {"total", result.shard_total}, {"planned", texts(result.shard_planned)}}},
      {"warnings", texts(result.warnings)},
      {"kernels", Json::array()},
      {"environment", result.environment},
      {"timings",
       {{"compile_s", number(result.compile_s)},
        {"check_s", number(result.check_s)},
        {"time_s", number(result.time_s)},
        {"wait_s", number(result.wait_s)},
        {"idle_s", number(result.idle_s)},
        {"total_s", number(result.total_s)}}}};
  if (!result.shard_plan.empty()) json["shard"]["plan"] = text(result.shard_plan);
  for (const KernelResult& kernel : result.kernels) json["kernels"].push_back(to_json(kernel));
  for (const DeviceUse& one : result.devices) {
    json["devices"].push_back({{"name", text(one.name)},
                               {"uuid", text(one.uuid)},
                               {"kernels", one.kernels},
                               {"seconds", number(one.seconds)},
                               {"wait_s", number(one.wait_s)},
                               {"environment", one.environment}});
  }
  if (result.sanitizer) json["sanitizer"] = to_json(*result.sanitizer);
  for (const SearchFound& one : result.searches) {
    json["searches"].push_back({{"kernel", text(one.kernel)},
                                {"better", one.better},
                                {"headline", text(one.headline)},
                                {"folder", text(one.folder)},
                                {"patch", text(one.patch)}});
  }
  return json;
}

}  // namespace kgate::verdict
