#pragma once

#include <cstdint>

#include "base/philox.h"

namespace kgate::runner {

// Which variant of the inputs each launch of the fresh regime sees: never the one of the launch before where there are
// two or more, all others equally likely. A copy repeats the sequence, which is how every arm of a block gets the same.
class VariantSequence {
 public:
  // `variants` is how many there are, at least one.
  VariantSequence(std::uint32_t variants, const RandomStream& random) : variants_(variants), random_(random) {}

  // An index below `variants`.
  std::uint32_t next() {
    if (variants_ < 2) return 0;
    if (started_) {
      last_ = static_cast<std::uint32_t>((last_ + 1 + random_.below(variants_ - 1)) % variants_);
    } else {
      last_ = static_cast<std::uint32_t>(random_.below(variants_));
    }
    started_ = true;
    return last_;
  }

 private:
  std::uint32_t variants_;
  RandomStream random_;
  std::uint32_t last_ = 0;
  bool started_ = false;
};

}  // namespace kgate::runner
