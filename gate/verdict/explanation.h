#pragma once

#include "gate/verdict/preparation.h"

namespace kgate::verdict {

// Why a kernel got slower, beyond what its timed blocks say: since which record, and the machine's part.
class Explanation {
 public:
  Explanation(const JudgeOptions& options, const Preparation& ready, const Judgement& judgement)
      : options_(options), ready_(ready), judgement_(judgement) {}

  void name_record(KernelResult& kernel, const Subject& subject) const;
  // Of what got slower, or could not be decided, everybody asks whether it is the machine; of the others a profile that
  // blocks on it.
  bool wanted(const KernelResult& kernel, const Subject& subject) const;
  // Times what was accepted as it was timed then. A verdict stands without its explanation: what the machine does wrong
  // here is told as unknown.
  void measure(KernelResult& kernel, const Subject& subject) const;

 private:
  const JudgeOptions& options_;
  const Preparation& ready_;
  const Judgement& judgement_;
};

}  // namespace kgate::verdict
