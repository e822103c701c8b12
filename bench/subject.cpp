#include "bench/subject.h"

#include <cmath>

namespace kgate::bench {

// Where a kernel's length lies between two ticks decides which way all its samples are rounded, so every trial draws a
// length of its own, up to one tick longer: a rule must be right for kernels in general, not for one lucky length.
Subject::Subject(const NoiseModel& model, double effect, Random& random)
    : model_(model), random_(random), machine_(model.machine(random)) {
  base_us_ = model.kernel_us;
  if (!model.already_cut) base_us_ += random.uniform() * model.tick_us / model.launches;
  candidate_us_ = base_us_ * (1 + effect);
}

double Subject::sample(Arm arm) {
  const double us = (arm == Arm::base ? base_us_ : candidate_us_) * machine_->sample(arm, random_);
  if (model_.already_cut) return us;
  const double tick = model_.tick_us / model_.launches;
  return std::round(us / tick) * tick;
}

Block Subject::block() {
  Block block;
  if (random_.chance(0.5)) {
    block.base_us = sample(Arm::base);
    block.candidate_us = sample(Arm::candidate);
  } else {
    block.candidate_us = sample(Arm::candidate);
    block.base_us = sample(Arm::base);
  }
  return block;
}

}  // namespace kgate::bench
