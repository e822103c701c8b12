#include "gate/verdict/check/answers.h"

#include <deque>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/philox.h"
#include "gate/verdict/check/compare.h"
#include "gate/verdict/check/second_try.h"
#include "runner/looked_at.h"

namespace kgate::verdict {
namespace {

constexpr std::uint32_t kCandidateArm = 0, kReferenceArm = 1, kFirstVersion = 3;  // 2: the base, in a check
constexpr std::uint64_t kPoisonStream = 0x706f69736f6e;
constexpr std::uint64_t kMostKept = 64u << 20;  // bytes of a case's outputs that may differ

class AnswerFinder {
  struct Version {
    Worker worker;
    cases::Binding binding;
    bool asked = false;
    std::set<std::uint32_t> unsteady = {};  // outputs
  };

 public:
  AnswerFinder(const AnswerJob& job, const cases::CaseSpec& one, const AnswerOptions& options)
      : job_(job),
        one_(one),
        options_(options),
        cases_(job.subject->cases),
        outputs_(outputs_of(cases_)),
        poisons_(stream_of({options.seed, job.subject->name, one.name}), kPoisonStream),
        candidate_(*job.own, kCandidateArm, job.candidate),
        candidate_binding_(cases::bind(cases_, one, cases::version_of(job.subject->candidate.spec))) {
    if (job.reference) {
      reference_.emplace(*job.trusted, kReferenceArm, job.reference);
      reference_binding_ = cases::bind(cases_, one, cases::version_of(*cases_.reference));
    }
    for (const auto& reference : *job.references) {
      const auto arm = kFirstVersion + static_cast<std::uint32_t>(versions_.size());
      versions_.push_back({Worker(*job.trusted, arm, reference.artifact), cases::bind(cases_, one, reference.version)});
    }
    answers_.references.resize(versions_.size());
  }

  CaseAnswers find(PassedCase passed) {
    const CaseSeed seeds{options_.seed, job_.subject->name, one_.name};
    answers_.looks = stream_of({seeds.run, seeds.kernel, seeds.name + "/looks"});
    note(passed.inputs, passed.candidate, passed.expected);
    ask_versions(passed.inputs);
    const std::uint32_t count = content_count(passed.inputs);
    for (variant_ = 1; variant_ < count && answers_.wrong.empty(); ++variant_) {
      const auto inputs = make_case_inputs(*job_.subject, one_, content_seed(seeds, variant_), options_.threads);
      ask_candidate(inputs);
      if (answers_.wrong.empty()) ask_versions(inputs);
    }
    return std::move(answers_);
  }

 private:
  Digests digests_of_inputs(const CaseInputs& inputs) const {
    Digests digests;
    for (const auto& [buffer, content] : inputs) {
      if (candidate_binding_.buffers[buffer].role == runner::BufferRole::input)
        digests[buffer] = digest_of(buffer, content.bytes());
    }
    return digests;
  }

  std::string digest_of(std::uint32_t buffer, ByteView content) const {
    return runner::digest_of_looked(content, {answers_.looks, buffer, variant_});
  }

  // Nobody is called wrong for a process that somebody else ended.
  Worker::Ran run(Worker& worker, const cases::Binding& binding, const CaseInputs& inputs) {
    const auto poison = static_cast<std::uint8_t>(poisons_.below(256));
    return run_with_second_try(worker, {binding, inputs, outputs_, poison, options_.run_limit_s}, options_.child,
                               answers_.notes);
  }

  void ask_versions(const CaseInputs& inputs) {
    answers_.inputs.push_back(digests_of_inputs(inputs));
    for (std::size_t i = 0; i < versions_.size(); ++i)
      answers_.references[i].push_back(ask_version(versions_[i], inputs));
  }

  void ask_candidate(const CaseInputs& inputs) {
    candidate_.forget_case();
    const auto ran = run(candidate_, candidate_binding_, inputs);
    if (const std::string fault = fault_of(ran); !fault.empty()) {
      answers_.wrong = fault;
      return;
    }
    Outputs expected = ask_reference(inputs);
    for (const auto& output : outputs_) {
      const auto right = expected.find(output.buffer);
      if (right == expected.end() || one_.expected.contains(output.param->name)) continue;
      const DType wide = dtype_of(output);
      const auto finding =
          compare_output({wide, right->second.bytes()}, {output.param->dtype, ran.outputs.at(output.buffer).bytes()},
                         candidate_binding_.shapes[output.buffer], tolerance_of(one_, *output.param));
      if (!finding.right) {
        answers_.wrong = fmt::format("\"{}\": {}", output.param->name, finding.reason);
        return;
      }
    }
    note(inputs, ran.outputs, expected);
  }

  // A right answer of the candidate's, and what is right where it may differ.
  void note(const CaseInputs& inputs, const Outputs& candidate, Outputs& expected) {
    Digests digests, wholes;
    for (const auto& [buffer, content] : inputs) {
      if (candidate_binding_.buffers[buffer].role == runner::BufferRole::input)
        wholes[buffer] = runner::digest_of_whole(content.bytes(), options_.threads);
    }
    std::map<std::uint32_t, ExpectedOutput> may_differ;
    for (const auto& output : outputs_) {
      if (output.param->deterministic) {
        digests[output.buffer] = digest_of(output.buffer, candidate.at(output.buffer).bytes());
        wholes[output.buffer] = runner::digest_of_whole(candidate.at(output.buffer).bytes(), options_.threads);
        continue;
      }
      const auto right = expected.find(output.buffer);
      if (right == expected.end() || one_.expected.contains(output.param->name)) continue;
      const DType wide = dtype_of(output);
      if (kept_ + right->second.size() > kMostKept) continue;
      kept_ += right->second.size();
      may_differ.emplace(output.buffer, ExpectedOutput{wide, std::move(right->second)});
    }
    answers_.candidate.push_back(std::move(digests));
    answers_.wholes.push_back(std::move(wholes));
    answers_.may_differ.push_back(std::move(may_differ));
  }

  DType dtype_of(const OutputParam& output) const {
    const auto wide = cases_.reference->out_dtype.find(output.param->name);
    return wide == cases_.reference->out_dtype.end() ? output.param->dtype : wide->second;
  }

  // Nothing where there is no reference: then outputs are only held against each other.
  Outputs ask_reference(const CaseInputs& inputs) {
    if (!reference_) return {};
    reference_->forget_case();
    auto ran = run(*reference_, reference_binding_, inputs);
    if (const std::string fault = fault_of(ran); !fault.empty())
      throw Error(ErrorKind::environment, one_.where, "the reference could not answer further inputs: " + fault);
    return std::move(ran.outputs);
  }

  static std::string fault_of(const Worker::Ran& ran) {
    if (!ran.report.outcome.ok || ran.report.outcome.unsupported) return ran.report.outcome.fault;
    return ran.report.guards.empty() ? "" : ran.report.guards.front().finding;
  }

  // On the first content twice: what the two disagree about is asked no more.
  Digests ask_version(Version& version, const CaseInputs& inputs) {
    version.worker.forget_case();
    Digests found = run_version(version, inputs);
    if (!version.asked) {
      const Digests again = run_version(version, inputs);
      for (const auto& [buffer, digest] : found) {
        const auto same = again.find(buffer);
        if (same == again.end() || same->second != digest) version.unsteady.insert(buffer);
      }
      version.asked = true;
    }
    std::erase_if(found, [&](const auto& one) { return version.unsteady.contains(one.first); });
    return found;
  }

  Digests run_version(Version& version, const CaseInputs& inputs) {
    const auto ran = run(version.worker, version.binding, inputs);
    Digests digests;
    if (!fault_of(ran).empty()) return digests;
    for (const auto& output : outputs_) {
      if (output.param->deterministic)
        digests[output.buffer] = digest_of(output.buffer, ran.outputs.at(output.buffer).bytes());
    }
    return digests;
  }

  const AnswerJob& job_;
  const cases::CaseSpec& one_;
  const AnswerOptions& options_;
  const cases::CasesSpec& cases_;
  std::vector<OutputParam> outputs_;
  RandomStream poisons_;
  Worker candidate_;
  cases::Binding candidate_binding_, reference_binding_;
  std::optional<Worker> reference_;
  std::deque<Version> versions_;  // a worker remembers a binding by its address
  CaseAnswers answers_;
  std::uint32_t variant_ = 0;  // that is asked about now
  std::uint64_t kept_ = 0;
};

}  // namespace

CaseAnswers find_answers(const AnswerJob& job, PassedCase passed, const AnswerOptions& options) {
  AnswerFinder finder(job, passed.spec, options);
  return finder.find(std::move(passed));
}

}  // namespace kgate::verdict
