#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "runner/cuda/graph.h"
#include "runner/cuda/hold.h"
#include "runner/cuda/launch.h"
#include "runner/cuda/layout.h"
#include "runner/marks.h"
#include "runner/variants.h"

namespace kgate::runner::cuda {

// A version of a kernel as it is timed.
struct Arm {
  Sequence launches, tail;
};

// How one sample is made: `repeats` pairs of events, each around `runs` runs of a batch of launch sequences, and all of
// that again until the timed parts reach `length_us`.
struct Plan {
  std::uint32_t batch = 1;
  std::uint32_t repeats = 1;  // over 1: averaged, and what a launch changes is put back before each
  std::uint64_t runs = 1;     // over 1: back to back, where nothing has to be put back
  double length_us = 0;       // of a stretch
  bool tails = true;
};

// What an arm finds, the same for all arms of a block.
struct Setting {
  const Layout& layout;
  const Graph* restore = nullptr;  // puts back what a batch changes; where there is none, it is enqueued piece by piece
  VariantSequence variants;        // indices of the memory's variants
  std::optional<Marks> marks = {};  // of a checked block
};

struct Sample {
  double us = 0;              // a launch sequence
  std::uint32_t variant = 0;  // what the last launch saw
};

// Takes samples: one arm, one layout, between events.
class Sampler {
 public:
  Sampler(const Device& device, const Layouts& layouts, std::vector<std::uint32_t> variants, Regime regime,
          CacheState cache);

  bool fresh() const { return regime_ == Regime::fresh; }
  bool cold() const { return flush_.has_value(); }
  // Whether the tail is part of every batch. Else, where a sample is made of repeats of single launches, it follows the
  // last one.
  bool tail_in_batch() const { return !fresh() && !cold(); }

  // Once untimed, then the sample.
  Sample take(Arm& arm, const Plan& plan, Setting setting);

 private:
  std::uint32_t put_back(Setting& setting) const;  // the variant that is there then
  void hold(const Arm& arm, const Plan& plan);
  void make_events(std::size_t count);

  const Device& device_;
  const Layouts& layouts_;
  std::vector<std::uint32_t> variants_;
  Regime regime_;
  std::optional<DeviceBlock> flush_;
  std::optional<Hold> hold_;
  std::vector<Event> events_;
};

}  // namespace kgate::runner::cuda
