#include "bench/noise.h"

#include <array>
#include <cmath>

#include <fmt/format.h>

// The problem: a rule's error rate is a statement about noise, and noise on a GPU is seldom normal. The choice: one
// model for each thing that was seen or is said to happen, alone, at a size that was measured or is worse; noise that
// both arms share (drift, clock states) is shared here too, because that is what a block is there to cancel. Every
// sample has a little normal noise beside, since without it no two blocks differ.
namespace kgate::bench {
namespace {

const double kPerArm = std::sqrt(0.5);  // a block's ratio has two samples in it
constexpr double kQuiet = 0.003;        // block spread of what is beside the effect that a model is about

std::size_t index_of(Arm arm) {
  return arm == Arm::base ? 0 : 1;
}

// Samples that know nothing of each other: the model is a function.
template <typename Log>
class Independent : public Machine {
 public:
  explicit Independent(Log log) : log_(log) {}
  void start_process(Random&) override {}
  double sample(Arm, Random& random) override { return std::exp(log_(random)); }

 private:
  Log log_;
};

template <typename Log>
auto independent(Log log) {
  return [log](Random&) { return std::make_unique<Independent<Log>>(log); };
}

template <typename Kind, typename... Values>
auto make(Values... values) {
  return [values...](Random& random) { return std::make_unique<Kind>(values..., random); };
}

// Heat and power: both arms get slower by `rise` over 200 blocks (400 samples) and faster again, with a slow sine on
// top. Where in it the trial begins is random.
class Drift : public Machine {
 public:
  Drift(double rise, double wave, Random& random)
      : rise_(rise), wave_(wave), sample_(std::floor(random.uniform() * kPeriod)), phase_(random.uniform()) {}
  void start_process(Random&) override {}
  double sample(Arm, Random& random) override {
    const double place = std::fmod(sample_, kPeriod) / kPeriod;
    const double ramp = place < 0.5 ? 2 * place : 2 - 2 * place;
    const double sine = std::sin(kTurn * (sample_ / kWave + phase_));
    sample_ += 1;
    return std::exp(rise_ * ramp + wave_ * sine + kQuiet * kPerArm * random.normal());
  }

 private:
  static constexpr double kPeriod = 800, kWave = 120, kTurn = 6.283185307179586;
  double rise_, wave_, sample_, phase_;
};

// Each arm's noise remembers its own last sample, so the log ratios of successive blocks correlate by `correlation`.
class Correlated : public Machine {
 public:
  Correlated(double correlation, double spread, Random& random) : correlation_(correlation), spread_(spread) {
    Correlated::start_process(random);
  }
  void start_process(Random& random) override { last_ = {random.normal(), random.normal()}; }
  double sample(Arm arm, Random& random) override {
    double& last = last_[index_of(arm)];
    last = correlation_ * last + std::sqrt(1 - correlation_ * correlation_) * random.normal();
    return std::exp(spread_ * kPerArm * last);
  }

 private:
  double correlation_, spread_;
  std::array<double, 2> last_{};
};

// The GPU's clock has two states `gap` apart and changes with a chance of `change` a sample, whichever arm runs.
class ClockStates : public Machine {
 public:
  ClockStates(double gap, double change, Random& random) : gap_(gap), change_(change), slow_(random.chance(0.5)) {}
  void start_process(Random&) override {}
  double sample(Arm, Random& random) override {
    if (random.chance(change_)) slow_ = !slow_;
    return std::exp((slow_ ? gap_ : 0) + kQuiet * kPerArm * random.normal());
  }

 private:
  double gap_, change_;
  bool slow_;
};

// A fresh process (its allocations, its context) makes the ratio of the arms a little different for as long as it
// lives.
class ProcessSpread : public Machine {
 public:
  ProcessSpread(double spread, Random& random) : spread_(spread) { ProcessSpread::start_process(random); }
  void start_process(Random& random) override {
    for (double& offset : offsets_) offset = spread_ * kPerArm * random.normal();
  }
  double sample(Arm arm, Random& random) override {
    return std::exp(offsets_[index_of(arm)] + kQuiet * kPerArm * random.normal());
  }

 private:
  double spread_;
  std::array<double, 2> offsets_{};
};

NoiseModel normal(double spread) {
  NoiseModel model;
  model.name = fmt::format("normal {:g} %", 100 * spread);
  model.parameters = fmt::format("normal, block spread {:g} %", 100 * spread);
  model.machine = independent([spread](Random& random) { return spread * kPerArm * random.normal(); });
  return model;
}

NoiseModel correlated(double correlation, bool stated) {
  NoiseModel model;
  model.name = fmt::format("correlated {:g}", correlation);
  model.parameters = fmt::format("AR(1) with coefficient {:g} in a process, block spread 1 %", correlation);
  model.stated = stated;
  model.machine = make<Correlated>(correlation, 0.01);
  return model;
}

NoiseModel process_spread(double spread, bool stated) {
  NoiseModel model;
  model.name = fmt::format("processes {:g} %", 100 * spread);
  model.parameters = fmt::format("ratio differs between processes by {:g} % (normal); block spread 0.3 %{}",
                                 100 * spread, stated ? "" : "; the machine's record says 0.06 %");
  model.stated = stated;
  model.machine = make<ProcessSpread>(spread);
  return model;
}

// One cold launch of about 7 us between two events that tick every 32 ns.
NoiseModel quantised(double spread) {
  NoiseModel model = normal(spread);
  model.name = fmt::format("ticks {:g} %", 100 * spread);
  model.parameters = fmt::format(
      "one launch of 7 us rounded to 32 ns (0.46 %); before that normal, block spread {:g} %", 100 * spread);
  model.kernel_us = 7;
  model.launches = 1;
  return model;
}

NoiseModel of(const char* name, const char* parameters, std::function<std::unique_ptr<Machine>(Random&)> machine,
              bool stated = true) {
  NoiseModel model;
  model.name = name;
  model.parameters = parameters;
  model.stated = stated;
  model.machine = std::move(machine);
  return model;
}

}  // namespace

std::vector<NoiseModel> noise_models() {
  std::vector<NoiseModel> models{normal(0.003), normal(0.01), normal(0.05)};
  models.push_back(of("student t3", "Student's t with 3 degrees of freedom, block spread 1 %",
                      independent([](Random& r) { return 0.01 * kPerArm / std::sqrt(3.0) * r.student3(); })));
  models.push_back(of("contaminated", "normal, block spread 1 %; 5 % of the samples are ten times as noisy",
                      independent([](Random& r) { return (r.chance(0.05) ? 10 : 1) * 0.01 * kPerArm * r.normal(); })));
  models.push_back(
      of("delays", "every sample delayed by an exponential of mean 1 %; block spread 0.3 % beside",
         independent([](Random& r) { return std::log1p(0.01 * r.exponential()) + kQuiet * kPerArm * r.normal(); })));
  models.push_back(of(
      "drift", "both arms slower by 5 % over 200 blocks, then back; a sine of 1 % over 60 blocks; block spread 0.3 %",
      make<Drift>(0.05, 0.01)));
  models.push_back(correlated(0.2, true));
  models.push_back(of("clock states",
                      "two clocks 3 % apart, changing with a chance of 0.1 a sample for both arms; block spread 0.3 %",
                      make<ClockStates>(0.03, 0.1)));
  models.push_back(
      of("bursts",
         "7.5 % of the samples (15 % of the blocks, either arm) slowed by 0 to 30 % (uniform); block spread 0.3 %",
         independent([](Random& r) {
           return (r.chance(0.075) ? std::log1p(0.3 * r.uniform()) : 0) + kQuiet * kPerArm * r.normal();
         })));
  models.push_back(quantised(0.003));
  models.push_back(quantised(0.0005));
  models.push_back(process_spread(0.0005, true));
  models.push_back(process_spread(0.001, false));
  models.push_back(correlated(0.3, false));
  models.push_back(correlated(0.6, false));
  models.push_back(of("bimodal", "every sample by itself one of two times 3 % apart; block spread 0.3 % beside",
                      independent([](Random& r) { return (r.chance(0.5) ? 0.03 : 0) + kQuiet * kPerArm * r.normal(); }),
                      false));
  return models;
}

}  // namespace kgate::bench
