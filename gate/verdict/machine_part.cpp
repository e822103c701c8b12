#include "gate/verdict/machine_part.h"

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/comparison.h"
#include "gate/stats/absolute.h"
#include "gate/stats/weighted_ratio.h"

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
  std::map<std::string, StoredFigure> then;
  for (const auto& [name, one] : accepted.measured->cases)
    then[name] = {one.regime, recorded_samples(*ready.ledger, one)};
  found.part = compare_figures(subject.cases, then,
                               measure_figures(ready, {&subject, &accepted.version, accepted.recorded}, seed, {}));
  return found;
}

Part compare_figures(const cases::CasesSpec& cases, const std::map<std::string, StoredFigure>& then,
                     const std::map<std::string, Figure>& now) {
  stats::WeightedRatio all;
  for (const auto& one : cases.cases) {
    const auto before = then.find(one.name);
    const auto after = now.find(one.name);
    if (before == then.end() || after == now.end() || before->second.regime != after->second.regime) continue;
    all.add(stats::absolute_ratio(before->second.samples, after->second.samples, {}), one.weight);
  }
  if (all.empty()) return {.unknown = "the ledger has no figures that were taken as today's are"};
  const auto mean = all.mean();
  return {mean.ratio, mean.low, mean.high, "", Verdict::pass};
}

}  // namespace kgate::verdict
