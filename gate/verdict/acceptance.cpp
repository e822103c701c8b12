#include "gate/verdict/acceptance.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/json.h"
#include "base/utc.h"
#include "gate/verdict/figures.h"
#include "gate/verdict/outcome.h"
#include "gate/verdict/preparation.h"

namespace kgate::verdict {
namespace {

std::string add_object(trust::Draft& draft, Bytes content) {
  const std::string digest = "sha256:" + sha256_hex(content);
  draft.objects.emplace(digest, std::move(content));
  return digest;
}

// What was measured, as one object a case.
Bytes samples_of(const KernelResult& kernel, const std::string& name, const Figure& figure) {
  return bytes_of(canonical_json(Json{
                      {"schema", "kgate.samples/1"}, {"kernel", kernel.name}, {"case", name}, {"us", figure.samples}}) +
                  "\n");
}

class Acceptor {
 public:
  Acceptor(const JudgeOptions& options, const Word& word, const Judgement& judgement)
      : options_(options), word_(word), judgement_(judgement) {}

  Acceptance accept(const Preparation& ready, std::size_t index) const {
    Acceptance acceptance;
    const Subject& subject = ready.suite.subjects[index];
    acceptance.kernel = kernel_named(subject.name);
    acceptance.refusal = refusal(acceptance.kernel);
    if (acceptance.refusal.empty()) acceptance.draft = draft(ready, index, acceptance.kernel);
    return acceptance;
  }

 private:
  const KernelResult& kernel_named(const std::string& name) const {
    const auto& all = judgement_.result.kernels;
    return *std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  }

  std::string refusal(const KernelResult& kernel) const {
    if (kernel.verdict == Verdict::regressed && word_.slower.empty())
      return fmt::format("{}: accept that with --slower REASON, or mend it", kernel.reason);
    // Who accepts a slowdown need not have its size proved.
    if (kernel.verdict == Verdict::inconclusive && word_.slower.empty())
      return fmt::format("inconclusive: {}; accept it nevertheless with --slower REASON", kernel.reason);
    if (kernel.verdict == Verdict::fresh || kernel.verdict == Verdict::regressed ||
        kernel.verdict == Verdict::inconclusive || passes(kernel.verdict))
      return {};
    return fmt::format("{}: {}", name_of(kernel.verdict), kernel.reason);
  }

  trust::Draft draft(const Preparation& ready, std::size_t index, const KernelResult& kernel) const {
    const Subject& subject = ready.suite.subjects[index];
    trust::Draft draft;
    trust::Record& record = draft.record;
    record.kernel = subject.name;
    record.time = utc_time(std::time(nullptr));
    record.commit = judgement_.result.source_commit;
    record.path = subject.path;
    record.content = "sha256:" + subject.candidate.digest;
    record.files[subject.path] = add_object(draft, bytes_of(subject.candidate.toml));
    for (const auto& [path, content] : subject.candidate.files) record.files[path] = add_object(draft, content);
    record.cases_digest = "sha256:" + subject.cases_digest;
    record.cases_revision = subject.cases.revision;
    record.reason = word_.reason.empty() ? word_.slower : word_.reason;
    record.slower = word_.slower;
    record.release = word_.release;
    record.renamed_from = word_.renamed_from;
    record.measurements.push_back(measurement(ready, index, kernel, draft));
    return draft;
  }

  trust::Measurement measurement(const Preparation& ready, std::size_t index, const KernelResult& kernel,
                                 trust::Draft& draft) const {
    const Result& result = judgement_.result;
    const Subject& subject = ready.suite.subjects[index];
    const auto& code = ready.artifacts[index].candidate;
    trust::Measurement here;
    here.device_class = result.device_class;
    here.backend = result.backend;
    here.device_name = result.device_name;
    here.architecture = ready.device.architecture;
    here.toolkit = result.backend == "cuda" ? options_.toolkit.nvrtc_version : options_.toolkit.host_compiler_version;
    here.code = add_object(draft, code->code);
    here.symbols = code->symbols;
    here.fingerprint = add_object(draft, bytes_of(canonical_json(result.fingerprint) + "\n"));
    if (kernel.candidate) {
      here.registers = kernel.candidate->registers;
      here.shared_bytes = kernel.candidate->shared_bytes;
      here.spill_bytes = kernel.candidate->spill_bytes;
      here.code_bytes = kernel.candidate->code_bytes;
    }
    for (const auto& [name, figure] : measure_figures(ready, {&subject, &subject.candidate, code}, options_.seed, {})) {
      here.cases[name] = {figure.us,     figure.blocks,
                          figure.rounds, figure.launches_per_sample,
                          figure.regime, add_object(draft, samples_of(kernel, name, figure))};
    }
    return here;
  }

  const JudgeOptions& options_;
  const Word& word_;
  const Judgement& judgement_;
};

}  // namespace

std::vector<Acceptance> measure_acceptance(const JudgeOptions& options, const Word& word, Progress& progress,
                                           Judgement& judgement) {
  JudgeOptions wanted = options;
  wanted.compare = {"accepted"};
  wanted.renamed_from = word.renamed_from;
  wanted.committed_only = true;
  // What others know under the old name is what they lose.
  if (!word.renamed_from.empty()) wanted.compare = {"base", "accepted"};
  std::vector<Acceptance> found;
  judge(wanted, progress, judgement, [&](Preparation& ready) {
    const Acceptor acceptor(wanted, word, judgement);
    progress.phase("accept", static_cast<int>(ready.suite.subjects.size()));
    for (std::size_t i = 0; i < ready.suite.subjects.size(); ++i) {
      progress.step(ready.suite.subjects[i].name);
      found.push_back(acceptor.accept(ready, i));
    }
  });
  for (const auto& kernel : judgement.result.kernels) {
    const bool here =
        std::any_of(found.begin(), found.end(), [&](const auto& one) { return one.kernel.name == kernel.name; });
    if (!here) found.push_back({kernel, std::nullopt, fmt::format("{}: {}", name_of(kernel.verdict), kernel.reason)});
  }
  return found;
}

trust::Draft retirement(const trust::Record& head, const std::string& reason) {
  trust::Draft draft;
  draft.record.kernel = head.kernel;
  draft.record.time = utc_time(std::time(nullptr));
  draft.record.path = head.path;
  draft.record.cases_digest = head.cases_digest;
  draft.record.cases_revision = head.cases_revision;
  draft.record.reason = reason;
  draft.record.retired = true;
  return draft;
}

}  // namespace kgate::verdict
