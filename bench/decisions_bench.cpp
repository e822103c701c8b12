// Compares decision rules under noise models: bench_decisions --help. `--edges-only` is the evidence for the error that
// kgate promises.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <thread>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/edges.h"
#include "bench/noise.h"
#include "bench/plot.h"
#include "bench/rules.h"
#include "bench/table.h"
#include "bench/traces.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

constexpr std::array<double, 6> kEffects{0, 0.002, 0.005, 0.01, 0.02, 0.05};

struct Options {
  Study study;
  std::int64_t trials = 0, other_trials = 0;
  bool edges_only = false;
  std::string models, csv, svg, traces;
};

std::vector<NoiseModel> models_for(const Options& options) {
  std::vector<NoiseModel> models = noise_models();
  if (options.traces.empty()) {
    fmt::print("no --traces: synthetic models alone\n");
  } else {
    for (auto& model : trace_models(options.traces)) models.push_back(std::move(model));
  }
  std::erase_if(models, [&](const NoiseModel& model) { return model.name.find(options.models) == std::string::npos; });
  if (models.empty()) throw Error(ErrorKind::usage, "--models", "\"" + options.models + "\" is in no model's name");
  return models;
}

void print_models(const std::vector<NoiseModel>& models) {
  fmt::print("{:40} {:>9} {:>8} {:>8}  parameters\n", "model", "launch us", "launches", "tick %");
  for (const auto& model : models) {
    fmt::print("{:40} {:>9.4g} {:>8} {:>8.2g}  {}\n", model.name + (model.stated ? "" : " (beyond)"), model.kernel_us,
               model.launches, 100 * model.resolution(), model.parameters);
  }
  fmt::print("\n");
}

void write(const std::string& path, const std::string& content) {
  if (!path.empty()) write_file_atomic(path, content);
}

std::vector<Cell> run_all(const std::vector<NoiseModel>& models, const Options& options) {
  std::vector<Cell> all;
  const auto rules = all_rules();
  for (const auto& model : models) {
    std::vector<Cell> cells;
    for (const auto& set : rules) {
      Study study = options.study;
      if (&set != &rules.front() && options.other_trials != 0) study.trials = options.other_trials;
      for (const double effect : kEffects) {
        for (auto& cell : run_cells(set, model, effect, study)) cells.push_back(std::move(cell));
      }
    }
    print_model(model, cells);
    all.insert(all.end(), cells.begin(), cells.end());
  }
  return all;
}

int run(const Options& options) {
  const auto models = models_for(options);
  print_models(models);
  if (options.edges_only) {
    write(options.csv, csv_of(run_edges(models, options.study)));
    return 0;
  }
  const auto cells = run_all(models, options);
  print_summary("Stated models", cells, true);
  print_summary("Beyond the stated models", cells, false);
  write(options.csv, csv_of(cells));
  write(options.svg, plot_of(cells));
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  options.study.threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  CLI::App app("Compares decision rules (kgate's, nvbench's, Mann-Whitney, a fixed threshold) under noise models.");
  app.add_option("--trials", options.trials, "decisions a model and effect (default 20000; --edges-only: 2000000)")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--other-trials", options.other_trials,
         "the same for the other rules, whose rates are known sooner and whose trials cost more (default: as --trials)")
      ->check(CLI::PositiveNumber);
  app.add_flag("--edges-only", options.edges_only, "kgate's rule alone, at the edges of the zone");
  app.add_option("--threads", options.study.threads, "default: all cores")->check(CLI::Range(1, 1024));
  app.add_option("--seed", options.study.seed, "default 1");
  app.add_option("--models", options.models, "only models with this in their name");
  app.add_option("--csv", options.csv, "write a row for each rule, model and effect");
  app.add_option("--svg", options.svg, "draw the operating characteristics");
  app.add_option("--traces", options.traces, "folder of h200-idle.jsonl and h200-placement.jsonl");
  CLI11_PARSE(app, argc, argv);
  options.study.trials = options.trials != 0 ? options.trials : options.edges_only ? 2000000 : 20000;
  try {
    return run(options);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_decisions: {}\n", error.what());
    return 2;
  }
}
