#include "gate/verdict/machine_part.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/comparison.h"
#include "gate/stats/absolute.h"
#include "gate/stats/weighted_ratio.h"
#include "gate/verdict/figures.h"

namespace kgate::verdict {
namespace {

using Samples = std::vector<std::vector<double>>;  // [round][block], us

Json json_object(const trust::Ledger& ledger, const std::string& digest) {
  return parse_json(text_of(ledger.object(digest)), "the ledger's object " + digest);
}

// As samples_of in acceptance.cpp wrote them. What the ledger holds was signed; what it does not hold tells nothing.
Samples recorded_samples(const trust::Ledger& ledger, const trust::MeasuredCase& one) {
  if (one.samples.empty()) return {};
  const Json object = json_object(ledger, one.samples);
  if (!object.is_object() || !object.contains("us")) return {};
  Samples samples;
  for (const auto& round : object["us"]) {
    auto& times = samples.emplace_back();
    for (const auto& us : round) {
      if (!us.is_number() || !(us.get<double>() > 0)) return {};
      times.push_back(us.get<double>());
    }
  }
  return samples;
}

std::vector<std::string> fingerprint_differences(const trust::Ledger& ledger, const trust::Measurement& then,
                                                 const Json& now) {
  if (then.fingerprint.empty()) return {};
  const auto before =
      fingerprint::read_fingerprint(text_of(ledger.object(then.fingerprint)), "the record's fingerprint");
  std::vector<std::string> lines;
  for (const auto& one : fingerprint::compare(before, now).differences)
    lines.push_back(fmt::format("{}.{}: {} -> {}", one.axis, one.field, one.before, one.after));
  return lines;
}

}  // namespace

MachinePart measure_machine(const Preparation& ready, const Subject& subject, const AcceptedVersion& accepted,
                            const Json& fingerprint, std::uint64_t seed) {
  MachinePart found;
  if (!accepted.recorded || !accepted.measured) {
    found.part.unknown = "it was accepted on another kind of machine";
    return found;
  }
  found.differences = fingerprint_differences(*ready.ledger, *accepted.measured, fingerprint);
  if (accepted.cases_digest != "sha256:" + subject.cases_digest) {
    found.part.unknown = "the cases have changed since it was accepted";
    return found;
  }
  stats::WeightedRatio all;
  for (const auto& [name, figure] :
       measure_figures(ready, {&subject, &accepted.version, accepted.recorded}, seed, {})) {
    const auto then = accepted.measured->cases.find(name);
    if (then == accepted.measured->cases.end() || then->second.regime != figure.regime) continue;
    const auto spec = std::find_if(subject.cases.cases.begin(), subject.cases.cases.end(),
                                   [&, &name = name](const auto& one) { return one.name == name; });
    all.add(stats::absolute_ratio(recorded_samples(*ready.ledger, then->second), figure.samples, {}), spec->weight);
  }
  if (all.empty()) {
    found.part.unknown = "the ledger has no figures that were taken as today's are";
    return found;
  }
  const auto mean = all.mean();
  found.part = {mean.ratio, mean.low, mean.high, "", Verdict::pass};
  return found;
}

}  // namespace kgate::verdict
