#include "bench/samples.h"

#include <algorithm>
#include <cmath>

namespace kgate::bench {
namespace {

constexpr double kMinSamples = 10, kMinTimeUs = 0.5e6, kMaxNoise = 0.005;
constexpr std::int64_t kWindow = 64;
constexpr double kSettled = 0.05;

}  // namespace

Samples fixed_samples(Subject& subject, Sampling sampling, std::int64_t count) {
  Samples samples;
  samples.base_us.reserve(static_cast<std::size_t>(count));
  samples.candidate_us.reserve(static_cast<std::size_t>(count));
  subject.start_process();
  if (sampling == Sampling::interleaved) {
    for (std::int64_t i = 0; i < count; ++i) {
      const Block block = subject.block();
      samples.base_us.push_back(block.base_us);
      samples.candidate_us.push_back(block.candidate_us);
    }
    return samples;
  }
  for (std::int64_t i = 0; i < count; ++i) samples.base_us.push_back(subject.sample(Arm::base));
  subject.start_process();
  for (std::int64_t i = 0; i < count; ++i) samples.candidate_us.push_back(subject.sample(Arm::candidate));
  return samples;
}

StopAtRelativeDeviation::StopAtRelativeDeviation(double sample_us)
    : least_(static_cast<std::int64_t>(
          std::min(static_cast<double>(kMostSamples), std::max(kMinSamples, std::ceil(kMinTimeUs / sample_us))))),
      noises_(static_cast<std::size_t>(kWindow)) {}

void StopAtRelativeDeviation::add(double us) {
  ++count_;
  const double before = us - mean_;
  mean_ += before / static_cast<double>(count_);
  squares_ += before * (us - mean_);
  if (count_ < 2) return;
  // Only values near the place where stopping is allowed are ever looked at.
  if (count_ + kWindow < least_) return;
  const double noise = std::sqrt(squares_ / static_cast<double>(count_ - 1)) / mean_;
  noises_[static_cast<std::size_t>(count_ % kWindow)] = noise;
  if (count_ >= least_) finished_ = noise < kMaxNoise || count_ >= kMostSamples || settled();
}

bool StopAtRelativeDeviation::settled() const {
  if (count_ <= kWindow) return false;
  double sum = 0, squares = 0;
  for (const double noise : noises_) sum += noise;
  const double mean = sum / static_cast<double>(kWindow);
  for (const double noise : noises_) squares += (noise - mean) * (noise - mean);
  return std::sqrt(squares / static_cast<double>(kWindow - 1)) < kSettled * mean;
}

Samples stdrel_samples(Subject& subject, Sampling sampling) {
  Samples samples;
  const double sample_us = subject.model().kernel_us * subject.model().launches;
  StopAtRelativeDeviation base(sample_us), candidate(sample_us);
  samples.base_us.reserve(static_cast<std::size_t>(base.least()));
  samples.candidate_us.reserve(static_cast<std::size_t>(base.least()));
  subject.start_process();
  if (sampling == Sampling::interleaved) {
    while (!base.finished() || !candidate.finished()) {
      const Block block = subject.block();
      samples.base_us.push_back(block.base_us);
      samples.candidate_us.push_back(block.candidate_us);
      base.add(block.base_us);
      candidate.add(block.candidate_us);
    }
    return samples;
  }
  while (!base.finished()) {
    samples.base_us.push_back(subject.sample(Arm::base));
    base.add(samples.base_us.back());
  }
  subject.start_process();
  while (!candidate.finished()) {
    samples.candidate_us.push_back(subject.sample(Arm::candidate));
    candidate.add(samples.candidate_us.back());
  }
  return samples;
}

}  // namespace kgate::bench
