#include "bench/traces.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <map>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "gate/stats/robust.h"

namespace kgate::bench {
namespace {

// A ratio whose mean and trimmed mean lie further apart than this (a fifth of the default `tolerate`) is not one
// number: which rule is right about it depends on which of them is called the truth.
constexpr double kSkewed = 0.001;

struct Recorded {
  std::vector<TraceProcess> processes;
  double kernel_us = 0;
};

// Each process of the trace once, in random order, and each of its samples once: more does not exist, and the same
// samples again would make a process's own chance look like the truth.
class Replay : public Machine {
 public:
  Replay(std::shared_ptr<const Recorded> recorded, Random& random) : recorded_(std::move(recorded)) {
    order_.resize(recorded_->processes.size());
    std::iota(order_.begin(), order_.end(), std::size_t{0});
    for (std::size_t left = order_.size(); left > 1; --left) std::swap(order_[left - 1], order_[random.below(left)]);
  }
  void start_process(Random& random) override {
    process_ = &recorded_->processes[order_[started_++ % order_.size()]];
    places_.fill(random.below(process_->base_us.size()));
    used_.fill(0);
  }
  double sample(Arm arm, Random& random) override {
    if (process_ == nullptr) start_process(random);
    const std::size_t index = arm == Arm::base ? 0 : 1;
    const auto& times = arm == Arm::base ? process_->base_us : process_->candidate_us;
    ++used_[index];
    return times[places_[index]++ % times.size()] / recorded_->kernel_us;
  }
  std::int64_t blocks_left() const override {
    if (started_ > order_.size()) return 0;
    const auto used = std::max(used_[0], used_[1]);
    return process_ == nullptr
               ? 0
               : static_cast<std::int64_t>(process_->base_us.size() - std::min(used, process_->base_us.size()));
  }

 private:
  std::shared_ptr<const Recorded> recorded_;
  const TraceProcess* process_ = nullptr;
  std::vector<std::size_t> order_;
  std::size_t started_ = 0;
  std::array<std::size_t, 2> places_{}, used_{};
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

// kernel (and placement) -> process -> arm -> times, in the order of the file's keys.
using Arms = std::map<std::string, std::vector<double>>;
using Traces = std::map<std::string, std::map<int, Arms>>;

Traces read_traces(const std::filesystem::path& path, bool placements) {
  std::ifstream file(path);
  if (!file)
    throw Error(ErrorKind::usage, path.string(), "cannot be read", "name the folder of the traces with --traces");
  Traces traces;
  for (std::string line; std::getline(file, line);) {
    const Json entry = Json::parse(line);
    std::string name = entry["kernel"];
    if (placements) {
      const std::string placement = entry["placement"];
      if (!placement.starts_with("new placement")) continue;
      name += placement.find("2 MiB") != std::string::npos ? ", 2 MiB grid" : ", 4 KiB grid";
    }
    traces[name][entry["process"]][entry["arm"]] = entry["us"].get<std::vector<double>>();
  }
  if (traces.empty()) throw Error(ErrorKind::usage, path.string(), "holds no traces");
  return traces;
}

TraceProcess process_of(const Arms& arms, const std::string& candidate) {
  TraceProcess process{arms.at("A"), arms.at(candidate)};
  const std::size_t count = std::min(process.base_us.size(), process.candidate_us.size());
  process.base_us.resize(count);
  process.candidate_us.resize(count);
  return process;
}

std::vector<double> log_ratios(const TraceProcess& process) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < process.base_us.size(); ++i)
    ratios.push_back(std::log(process.candidate_us[i] / process.base_us[i]));
  return ratios;
}

// The processes' trimmed means, averaged: what kgate's rule estimates. Of a skewed ratio that is not the mean.
double trimmed_log_ratio(const std::vector<TraceProcess>& processes) {
  double sum = 0;
  for (const auto& process : processes) sum += stats::trimmed_location(log_ratios(process)).center;
  return sum / static_cast<double>(processes.size());
}

double mean_log_ratio(const std::vector<TraceProcess>& processes) {
  double sum = 0, count = 0;
  for (const auto& process : processes) {
    for (const double ratio : log_ratios(process)) sum += ratio;
    count += static_cast<double>(process.base_us.size());
  }
  return sum / count;
}

std::vector<TraceProcess> divided(std::vector<TraceProcess> processes, double log_ratio) {
  for (auto& process : processes) {
    for (double& us : process.candidate_us) us /= std::exp(log_ratio);
  }
  return processes;
}

std::string ratio_words(double log_ratio, const char* kind, const std::vector<TraceProcess>& processes) {
  return fmt::format("recorded: a pair of kernels, {} ratio {:+.2f} % taken out, {} processes", kind,
                     100 * std::expm1(log_ratio), processes.size());
}

}  // namespace

NoiseModel trace_model(const std::string& name, const std::string& parameters, std::vector<TraceProcess> processes) {
  std::vector<double> all;
  for (const auto& process : processes) all.insert(all.end(), process.base_us.begin(), process.base_us.end());
  if (all.empty()) throw Error(ErrorKind::internal, name, "has no samples");
  NoiseModel model;
  model.name = name;
  model.parameters = parameters;
  model.kernel_us = median(all);
  model.launches = std::max(1, static_cast<int>(400 / model.kernel_us));
  model.already_cut = true;
  const auto recorded = std::make_shared<const Recorded>(Recorded{std::move(processes), model.kernel_us});
  model.machine = [recorded](Random& random) { return std::make_unique<Replay>(recorded, random); };
  return model;
}

std::vector<NoiseModel> trace_models(const std::filesystem::path& folder) {
  std::vector<NoiseModel> models;
  for (const auto& [kernel, by_process] : read_traces(folder / "h200-idle.jsonl", false)) {
    std::vector<TraceProcess> processes;
    for (const auto& [number, arms] : by_process) {
      for (const char* copy : {"A2", "A3"}) {
        if (arms.contains(copy)) processes.push_back(process_of(arms, copy));
      }
    }
    models.push_back(trace_model("idle " + kernel,
                                 fmt::format("recorded: a kernel against its copies, {} processes", processes.size()),
                                 processes));
  }
  for (const auto& [pair, by_process] : read_traces(folder / "h200-placement.jsonl", true)) {
    std::vector<TraceProcess> processes;
    for (const auto& [number, arms] : by_process) processes.push_back(process_of(arms, "B"));
    const double mean = mean_log_ratio(processes), trimmed = trimmed_log_ratio(processes);
    NoiseModel model = trace_model("placed " + pair, ratio_words(mean, "mean", processes), divided(processes, mean));
    if (std::abs(mean - trimmed) > kSkewed) {
      model.stated = false;
      model.parameters += fmt::format("; skewed: the trimmed mean is {:+.2f} %", 100 * std::expm1(trimmed));
      models.push_back(trace_model("placed " + pair + ", trimmed", ratio_words(trimmed, "trimmed mean", processes),
                                   divided(processes, trimmed)));
    }
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace kgate::bench
