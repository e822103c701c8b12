#include "gate/verdict/check/correctness.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/npy.h"
#include "gate/verdict/check/compare.h"
#include "gate/verdict/check/second_try.h"
#include "gate/verdict/check/worker.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

// The errors of two versions that round differently compare by chance where there are few elements.
constexpr std::uint64_t kEnoughElements = 1024;
constexpr std::size_t kPiece = 4096;  // bytes
constexpr std::uint32_t kCandidateArm = 0, kReferenceArm = 1, kBaseArm = 2;

struct Expected {
  std::map<std::uint32_t, Tensor> tensors;  // from files
  Outputs outputs;                          // from the reference
  std::map<std::uint32_t, DType> dtypes;

  ElementView view(std::uint32_t buffer, DType own) const {
    if (const auto file = tensors.find(buffer); file != tensors.end()) return {file->second.dtype, file->second.data};
    const auto wide = dtypes.find(buffer);
    return {wide == dtypes.end() ? own : wide->second, outputs.at(buffer).bytes()};
  }
};

class Checker {
 public:
  Checker(const CheckJob& job, const CheckOptions& options)
      : job_(job),
        options_(options),
        subject_(*job.subject),
        outputs_(outputs_of(subject_.cases)),
        own_(*job.own),
        candidate_(own_, kCandidateArm, job.candidate),
        reference_(*job.trusted, kReferenceArm, job.reference),
        base_(*job.trusted, kBaseArm, job.base) {}

  KernelCheck run() {
    const bool shared = own_.used();
    for (const auto* one : cases_for(subject_, options_.child.backend)) {
      if (options_.on_case) options_.on_case(one->name);
      case_name_ = one->name;
      check_.cases.push_back(check_case(*one));
      if (shared && check_.cases.back().verdict == Verdict::wrong) {
        // Nobody is called wrong for what another kernel left behind.
        candidate_.replace();
        check_.cases.back() = check_case(*one);
      }
    }
    own_.mark_used();
    check_.candidate = candidate_.resources();
    check_.base = base_.resources();
    return std::move(check_);
  }

 private:
  CaseResult check_case(const cases::CaseSpec& one) {
    CaseResult result;
    result.name = one.name;
    result.role = one.role == cases::CaseRole::correctness   ? "correctness"
                  : one.role == cases::CaseRole::performance ? "performance"
                                                             : "holdout";
    result.sizes = one.sizes;
    const auto binding = cases::bind(subject_.cases, one, cases::version_of(subject_.candidate.spec));
    require_memory(binding, one.where);
    const CaseInputs inputs =
        make_case_inputs(subject_, one, seed_of(one, {options_.seed, subject_.name, one.name}), options_.threads);
    Expected expected;
    if (!expect(one, inputs, expected, result)) return result;
    Outputs answer = judge_candidate(one, binding, inputs, expected, result);
    // The worker remembers what it holds by the binding's address, which ends here.
    candidate_.forget_case();
    if (job_.base) note_base(one, inputs, expected, result);
    if (options_.on_passed && result.verdict == Verdict::pass)
      options_.on_passed({one, inputs, std::move(expected.outputs), std::move(answer)});
    return result;
  }

  // False where the reference could not answer: the result then says why.
  bool expect(const cases::CaseSpec& one, const CaseInputs& inputs, Expected& expected, CaseResult& result) {
    for (const auto& output : outputs_) {
      const auto file = one.expected.find(output.param->name);
      if (file == one.expected.end()) continue;
      cases::Generator generator;
      generator.kind = cases::Generator::Kind::file;
      generator.file = file->second;
      generator.where = one.where;
      const auto shape =
          cases::bind(subject_.cases, one, cases::version_of(subject_.candidate.spec)).shapes[output.buffer];
      expected.tensors.emplace(output.buffer,
                               cases::generate(generator, {output.param->dtype, shape, 0, 0, 1}, *subject_.cases_tree));
    }
    if (expected.tensors.size() == outputs_.size()) return true;
    if (!job_.reference) throw Error(ErrorKind::usage, one.where, "has neither a reference nor all expected outputs");
    const auto& reference = *subject_.cases.reference;
    const auto binding = cases::bind(subject_.cases, one, cases::version_of(reference));
    auto ran = run_version(reference_, {binding, inputs, outputs_, kPoison[0], options_.run_limit_s}, "the reference");
    reference_.forget_case();
    std::string fault = ran.report.outcome.fault;
    if (ran.report.outcome.ok && !ran.report.outcome.unsupported && !ran.report.guards.empty())
      fault = ran.report.guards.front().finding;
    if (!ran.report.outcome.ok || ran.report.outcome.unsupported || !fault.empty()) {
      result.verdict = Verdict::environment;
      result.reason = "the reference could not run here: " + fault;
      return false;
    }
    expected.outputs = std::move(ran.outputs);
    for (const auto& output : outputs_) {
      const auto wide = reference.out_dtype.find(output.param->name);
      if (wide != reference.out_dtype.end()) expected.dtypes[output.buffer] = wide->second;
    }
    return true;
  }

  // What its last run answered; nothing where it is not right.
  Outputs judge_candidate(const cases::CaseSpec& one, const cases::Binding& binding, const CaseInputs& inputs,
                          const Expected& expected, CaseResult& result) {
    Outputs answer;
    std::map<std::uint32_t, std::vector<std::size_t>> first_run;
    for (std::size_t i = 0; i < kPoison.size(); ++i) {
      answer.clear();
      auto ran = candidate_run({binding, inputs, outputs_, kPoison[i], options_.run_limit_s});
      if (ran.report.outcome.unsupported) {
        result.verdict = Verdict::environment;
        result.reason = ran.report.outcome.fault;
        return {};
      }
      if (!ran.report.outcome.ok || !ran.report.guards.empty()) {
        wrong(result, ran.report.outcome.ok ? ran.report.guards.front().finding : ran.report.outcome.fault);
        return {};
      }
      for (const auto& output : outputs_) {
        compare(one, binding, output, expected, ran.outputs, kPoison[i], i == 0, result);
        const auto bytes = ran.outputs.at(output.buffer).bytes();
        if (i == 0) {
          first_run[output.buffer] = hashes_of(bytes);
        } else if (output.param->deterministic) {
          compare_runs(first_run[output.buffer], bytes, output, binding.shapes[output.buffer], result);
        }
      }
      if (result.verdict == Verdict::wrong) return {};
      answer = std::move(ran.outputs);
    }
    return answer;
  }

  // A hash for every piece of an output, so that two runs can be compared without holding both: an output of a gigabyte
  // and what is expected of it are all that is in memory at once.
  static std::vector<std::size_t> hashes_of(ByteView bytes) {
    std::vector<std::size_t> hashes;
    for (std::size_t start = 0; start < bytes.size(); start += kPiece) {
      hashes.push_back(
          std::hash<std::string_view>{}(text_of(bytes.subspan(start, std::min(kPiece, bytes.size() - start)))));
    }
    return hashes;
  }

  static void compare_runs(const std::vector<std::size_t>& first, ByteView second, const OutputParam& output,
                           const Shape& shape, CaseResult& result) {
    const auto again = hashes_of(second);
    const auto piece =
        static_cast<std::size_t>(std::mismatch(first.begin(), first.end(), again.begin()).first - first.begin());
    if (piece == first.size()) return;
    const std::size_t size = size_of(output.param->dtype);
    const auto from = unravel(piece * kPiece / size, shape);
    const auto to = unravel((std::min((piece + 1) * kPiece, second.size()) - 1) / size, shape);
    wrong(result, fmt::format("\"{}\" differs between two runs on the same inputs, first between [{}] and [{}]: a "
                              "race? where rounding may "
                              "differ, the cases say deterministic = false",
                              output.param->name, fmt::join(from, ", "), fmt::join(to, ", ")));
  }

  // What fresh processes cannot load, although they can load another version, is the candidate's doing: an array larger
  // than the device's memory.
  Worker::Ran candidate_run(const RunJob& job) {
    try {
      return run_version(candidate_, job, "the candidate");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment || candidate_.has_run()) throw;
      if (loads(job_.candidate) || (!loads(job_.reference) && !loads(job_.base))) throw;
      Worker::Ran ran;
      ran.report.outcome = {false, false, error.what()};
      return ran;
    }
  }

  // With a second try for what need not be the version's doing; what that came to is told with the kernel.
  Worker::Ran run_version(Worker& worker, const RunJob& job, const std::string& who) {
    std::vector<std::string> notes;
    auto ran = run_with_second_try(worker, job, options_.child, notes);
    for (const auto& note : notes) check_.warnings.push_back(fmt::format("case \"{}\", {}: {}", case_name_, who, note));
    return ran;
  }

  bool loads(const Artifact& version) const {
    if (!version || version->status != runner::Compiled::Status::ok) return false;
    try {
      runner::Client control(options_.child);
      const runner::Client::Seconds limit(kHandOverLimit);
      return control.load({kReferenceArm, version->code, version->symbols}, limit).outcome.ok;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment) throw;
      return false;
    }
  }

  void compare(const cases::CaseSpec& one, const cases::Binding& binding, const OutputParam& output,
               const Expected& expected, const Outputs& outputs, std::uint8_t poison, bool first, CaseResult& result) {
    const auto& param = *output.param;
    const Shape& shape = binding.shapes[output.buffer];
    const ElementView got{param.dtype, outputs.at(output.buffer).bytes()};
    auto finding = compare_output(expected.view(output.buffer, param.dtype), got, shape, tolerance_of(one, param));
    if (!finding.right) {
      if (is_poison(finding.numerics.first_mismatch, shape, got, poison)) {
        finding.reason += "; the first of them was never written";
      } else {
        finding.reason += rounding_hint(finding, param.dtype);
      }
      wrong(result, fmt::format("\"{}\": {}", param.name, finding.reason));
    }
    if (first || !finding.right) result.numerics[param.name] = std::move(finding.numerics);
  }

  static bool is_poison(const std::vector<std::uint64_t>& index, const Shape& shape, const ElementView& got,
                        std::uint8_t poison) {
    if (index.size() != shape.size() || index.empty()) return false;
    std::uint64_t flat = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
    const std::size_t size = size_of(got.dtype);
    const auto element = got.bytes.subspan(flat * size, size);
    return std::all_of(element.begin(), element.end(),
                       [poison](std::byte value) { return value == std::byte{poison}; });
  }

  // How the base version does on the same inputs: its error, and whether it is wrong too.
  void note_base(const cases::CaseSpec& one, const CaseInputs& inputs, const Expected& expected, CaseResult& result) {
    const auto binding = cases::bind(subject_.cases, one, cases::version_of(subject_.base->spec));
    auto ran = run_version(base_, {binding, inputs, outputs_, kPoison[0], options_.run_limit_s}, "the base version");
    base_.forget_case();
    if (!ran.report.outcome.ok || ran.report.outcome.unsupported) {
      if (result.verdict == Verdict::wrong)
        result.reason += "; the base version fails too: " + ran.report.outcome.fault;
      return;
    }
    bool base_right = true;
    for (const auto& output : outputs_) {
      const auto finding = compare_output(expected.view(output.buffer, output.param->dtype),
                                          {output.param->dtype, ran.outputs.at(output.buffer).bytes()},
                                          binding.shapes[output.buffer], tolerance_of(one, *output.param));
      base_right = base_right && finding.right;
      if (element_count(binding.shapes[output.buffer], one.where) >= kEnoughElements) {
        result.numerics[output.param->name].base_rms = finding.numerics.rms;
      }
    }
    if (!base_right && result.verdict == Verdict::wrong) result.reason += "; the base version is wrong here too";
  }

  static void wrong(CaseResult& result, std::string reason) {
    if (result.verdict == Verdict::wrong) return;
    result.verdict = Verdict::wrong;
    result.reason = std::move(reason);
  }

  const CheckJob& job_;
  const CheckOptions& options_;
  const Subject& subject_;
  std::vector<OutputParam> outputs_;
  CheckProcess& own_;  // the candidate's
  Worker candidate_, reference_, base_;
  KernelCheck check_;
  std::string case_name_;  // that is checked now
};

}  // namespace

KernelCheck check_kernel(const CheckJob& job, const CheckOptions& options) {
  return Checker(job, options).run();
}

}  // namespace kgate::verdict
