#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/tensor.h"
#include "gate/verdict/subject/case_data.h"
#include "gate/verdict/check/compare.h"
#include "gate/verdict/qualify/mutants.h"
#include "gate/verdict/qualify/qualify.h"
#include "gate/verdict/qualify/self_check.h"
#include "gate/verdict/check/worker.h"

namespace kgate::verdict {

// A case with what does not depend on the seed.
struct OpenCase {
  const cases::CaseSpec* spec = nullptr;
  cases::Binding binding;
  std::map<std::uint32_t, Tensor> files;  // expected outputs, by buffer
  bool by_reference = true;               // not all of them come from files
};

// All outputs of a case with one seed, as the reference has them from two runs on differently poisoned memory.
struct Answers {
  CaseInputs inputs;
  Outputs first, second;  // nothing where all come from files
  std::string fault;      // "the reference failed: ..."; empty: there are answers
};

// Where right answers come from: the reference, compiled, in a process of its own, and the files of the cases. Throws
// as qualify() says.
class RightAnswers {
 public:
  RightAnswers(const Subject& subject, const QualifyOptions& options);

  std::uint64_t bytes_of(const cases::CaseSpec& one) const;  // of all its buffers
  OpenCase open(const cases::CaseSpec& one) const;
  Answers answer(const OpenCase& open, std::uint64_t seed);

  // What outputs are compared with.
  ElementView view(const OpenCase& open, const Answers& answers, const OutputParam& output) const;
  SelfCheck self_check(const OpenCase& open, const Answers& answers, const OutputParam& output) const;
  // For mutants; `rounded` and `earlier` must outlive it.
  RightAnswer right_answer(const OpenCase& open, const Answers& answers, const OutputParam& output, ByteView rounded,
                           ByteView earlier) const;

 private:
  void compile();
  cases::Binding bind(const cases::CaseSpec& one) const;
  ElementView view(const OpenCase& open, const Outputs& outputs, const OutputParam& output) const;

  const Subject& subject_;
  const QualifyOptions& options_;
  std::vector<OutputParam> outputs_;
  CheckProcess process_;
  std::optional<Worker> reference_;
};

}  // namespace kgate::verdict
