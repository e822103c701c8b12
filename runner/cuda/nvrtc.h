#pragma once

#include <memory>
#include <string>
#include <vector>

#include <nvrtc.h>

#include "base/bytes.h"

namespace kgate::runner::cuda {

// NVRTC, opened from the path that the judge found.
class Nvrtc {
 public:
  // Throws Error(environment) where it cannot be opened or is older than 11.8.
  explicit Nvrtc(const std::string& path);

  int major() const { return major_; }
  int minor() const { return minor_; }
  std::string version() const;
  // "nvrtc 13.0"
  std::string name() const { return "nvrtc " + version(); }
  // The numbers of the architectures that it compiles for: 75, 80, 90, ...
  std::vector<int> architectures() const;

  struct Output {
    nvrtcResult result = NVRTC_SUCCESS;
    std::string log;
    Bytes cubin;
    std::vector<std::string> symbols;  // of the name expressions, in their order; only where it compiled
  };
  struct Input {
    std::string text, name;
    std::vector<std::string> options, name_expressions;
  };
  // Runs the compiler. Only a result that is the source's fault comes back; everything else is Error(environment).
  Output compile(const Input& input) const;

 private:
  struct Functions;
  std::shared_ptr<const Functions> functions_;
  int major_ = 0, minor_ = 0;
};

}  // namespace kgate::runner::cuda
