#pragma once

#include <string>

#include "gate/verdict/result/result.h"

namespace kgate::verdict {

// What the judge tells while it works. Called from one thread at a time.
class Progress {
 public:
  virtual ~Progress() = default;
  virtual void phase(const std::string& what, int total) = 0;  // "compile", "check", "time"; total steps
  virtual void step(const std::string& what) = 0;              // one step begins: "softmax: wide"
  // A step is still running after a while, and may take so long in all: one launch of a kernel that does not end.
  virtual void slow(const std::string& what, double limit_s) = 0;
  virtual void done(const KernelResult& kernel) = 0;  // a kernel's verdict is final
  virtual void note(const std::string& line) = 0;     // a warning to say loudly
  virtual void wait(const std::string& line) = 0;     // others have the device: how many, who, for how long
};

}  // namespace kgate::verdict
