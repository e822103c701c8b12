#include "gate/search/evaluate/common_briefing.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/search/evaluate/feasibility.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::search {
namespace {

const char* word_for(cases::ParamKind kind) {
  switch (kind) {
    case cases::ParamKind::in:
      return "in";
    case cases::ParamKind::out:
      return "out";
    case cases::ParamKind::inout:
      return "inout";
    case cases::ParamKind::scalar:
      return "scalar";
  }
  return "";
}

Json contract_of(const cases::CasesSpec& cases) {
  Json params = Json::array();
  for (const auto& one : cases.params) {
    Json param{{"name", one.name}, {"kind", word_for(one.kind)}, {"dtype", std::string(name_of(one.dtype))}};
    if (one.kind != cases::ParamKind::scalar) {
      Json shape = Json::array();
      for (const auto& extent : one.shape) shape.push_back(extent.text);
      param["shape"] = std::move(shape);
      param["deterministic"] = one.deterministic;
    }
    params.push_back(std::move(param));
  }
  return {{"kernel", cases.kernel}, {"params", std::move(params)}};
}

Json tolerance_json(const cases::Tolerance& tolerance) {
  Json json{{"matched", tolerance.matched}, {"allow_nan", tolerance.allow_nan}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) json[name] = *value;
  };
  add("rtol", tolerance.rtol);
  add("atol", tolerance.atol);
  add("ulp", tolerance.ulp);
  add("norm", tolerance.norm);
  add("bias", tolerance.bias);
  return json;
}

HardwareFacts facts_of(const runner::DeviceInfo& device, double bandwidth) {
  HardwareFacts facts;
  facts.name = device.name;
  facts.architecture = device.architecture;
  if (device.backend == "host") {
    facts.traps.emplace_back("the host backend runs the grid on the CPU: times say nothing about a GPU");
    return facts;
  }
  const auto limits = limits_of(device);
  facts.limits = {{"multiprocessors", device.multiprocessors},
                  {"threads_per_block", limits.threads_a_block},
                  {"threads_per_multiprocessor", limits.threads},
                  {"blocks_per_multiprocessor", limits.blocks},
                  {"registers_per_thread", limits.registers_a_thread},
                  {"registers_per_block", limits.registers},
                  {"shared_bytes_per_block", device.max_shared_bytes},
                  {"l2_bytes", static_cast<double>(device.l2_bytes)},
                  {"memory_bytes", static_cast<double>(device.memory_bytes)}};
  if (bandwidth > 0) facts.limits["memory_bytes_per_second"] = bandwidth;
  facts.traps.emplace_back("more than 48 KiB of shared memory a block has to be dynamic: [[launch]] shared");
  facts.traps.emplace_back("plain sm_NN code has no instructions of one architecture alone (wgmma, tcgen05)");
  return facts;
}

std::vector<std::string> rules_of(const trust::Policy& policy) {
  std::vector<std::string> rules;
  rules.push_back(
      fmt::format("compiler options may be {} and no others", fmt::join(policy.compile.allow_options, ", ")));
  for (const auto& token : policy.compile.forbid)
    rules.push_back(fmt::format("\"{}\" may not stand in a source", token));
  if (policy.compile.refuse_launches) rules.emplace_back("kernels may not start kernels");
  if (policy.compile.refuse_variables) rules.emplace_back("writable __device__ variables are refused");
  const auto& limits = policy.resources;
  if (limits.max_registers) rules.push_back(fmt::format("at most {} registers a thread", *limits.max_registers));
  if (limits.spill_bytes_growth)
    rules.push_back(fmt::format("spills may grow by {} bytes a thread", *limits.spill_bytes_growth));
  rules.push_back(fmt::format("the error may grow to {:.3g} times the baseline's", policy.error_growth));
  return rules;
}

}  // namespace

Briefing common_briefing(const GateEvaluator& evaluator) {
  const auto& subject = evaluator.subject();
  Briefing briefing;
  briefing.kernel = subject.name;
  briefing.contract = contract_of(subject.cases);
  for (const auto* one : verdict::cases_for(subject, evaluator.ready().child.backend)) {
    VisibleCase visible;
    visible.name = one->name;
    visible.role = one->role == cases::CaseRole::performance ? "performance" : "correctness";
    visible.sizes = one->sizes;
    visible.weight = one->weight;
    for (const auto& [output, tolerance] : one->tolerances) visible.tolerance[output] = tolerance_json(tolerance);
    briefing.cases.push_back(std::move(visible));
  }
  briefing.hardware = facts_of(evaluator.ready().device, evaluator.bandwidth());
  briefing.rules = rules_of(evaluator.ready().policy());
  return briefing;
}

std::string bottleneck_on_paper(const GateEvaluator& evaluator, const Evaluation& best, const Candidate& version,
                                const std::string& why_not) {
  const auto& subject = evaluator.subject();
  const auto& device = evaluator.ready().device;
  const std::string none = "no hardware counters were read" + (why_not.empty() ? "" : ": " + why_not);
  std::string text = none + "; from times and the work that cases.toml says:";
  bool any = false;
  for (const CaseTime& time : best.cases) {
    const auto* one = verdict::case_named(subject, time.name);
    if (one == nullptr || !(time.us > 0)) continue;
    const auto rate = [&](const std::optional<cases::Expression>& amount, const char* unit) {
      return amount ? fmt::format(", {:.4g} {}",
                                  static_cast<double>(cases::evaluate(*amount, one->sizes)) / time.us * 1e-3, unit)
                    : std::string();
    };
    const std::string bound = verdict::bound_of(subject, *one);
    text += fmt::format(" {}: {:.4g} us{}{}{};", time.name, time.us, rate(subject.cases.work_bytes, "GB/s"),
                        rate(subject.cases.work_flops, "GFLOP/s"),
                        bound.empty() ? "" : fmt::format(", by its arithmetic intensity bound by {}", bound));
    any = true;
  }
  if (!any) return none + "; nothing is known of what it waits for";
  if (device.backend == "host") return text;
  const auto limits = limits_of(device);
  const auto spec = spec_of(version);
  for (const auto& one : subject.cases.cases) {
    if (one.role != cases::CaseRole::performance) continue;
    try {
      for (const auto& launch : cases::bind(subject.cases, one, cases::version_of(spec)).launches) {
        const auto found = best.resources.find(launch.entry);
        if (found == best.resources.end()) continue;
        const runner::Resources use{found->value("registers", 0U), found->value("shared_bytes", 0U),
                                    found->value("spill_bytes", 0U), 0};
        const double blocks = static_cast<double>(launch.grid[0]) * launch.grid[1] * launch.grid[2];
        text += fmt::format(
            " {} in {}: occupancy {:.0f} % of a multiprocessor's threads at most, {:.0f} blocks for {} "
            "multiprocessors, {} registers, {} bytes spilled a thread;",
            launch.entry, one.name, 100 * occupancy(launch, use, limits), blocks, device.multiprocessors, use.registers,
            use.spill_bytes);
      }
    } catch (const Error&) {
      // A launch that cannot be worked out for one case says nothing about the others.
    }
    break;
  }
  return text;
}

}  // namespace kgate::search
