// Ten years of nights: how long reading and verifying the history takes, and its analysis.
//
//   bench_drift make|sample|read [--nights N] [--kernels K] [--cases C] [--folder DIR] [--threads T]
//
// `make` writes a repository to DIR with K kernels, a ledger that accepted them, and a signed record a night in
// kgate/history; `sample` the one that docs/sample-drift.* are made from.
// `read` is a process of its own: nothing is warm but the disk's cache. So is kgate drift --no-measure --repo DIR.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.h"
#include "bench/drift_repository.h"
#include "gate/drift/analysis.h"
#include "gate/trust/authority.h"

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

struct Options {
  std::int64_t nights = 3650, kernels = 100, cases = 5;
  unsigned threads = 2;
  fs::path folder = "kgate-bench-drift";
};

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

struct Used {
  double cpu_s = 0, peak_mb = 0;
};
Used used() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return {of(usage.ru_utime) + of(usage.ru_stime), static_cast<double>(usage.ru_maxrss) / 1024};
}

// A driver each half year, up and down in turns, on the kernels that wait for memory; one night in ten missing, one in
// twenty bad.
bench::SimulatedHistory simulated(const Options& options) {
  bench::SimulatedHistory history;
  history.nights = options.nights;
  history.kernels = options.kernels;
  history.cases = options.cases;
  history.first_night = "2016-01-01";
  history.missing = 0.1;
  history.bad = 0.05;
  for (std::int64_t night = 180; night < options.nights; night += 180) {
    const std::int64_t number = night / 180;
    history.changes.push_back(
        {night, number % 2 == 1 ? 1.03 : 1 / 1.03, "memory", fmt::format("580.{}", 82 + number), "", 0});
  }
  return history;
}

// What docs/drift.md shows: a driver, an accepted version, a machine that nobody touched, a creep, two weeks without
// nights. The GPU's name says in every report that there is none.
bench::SimulatedHistory sample() {
  bench::SimulatedHistory history;
  history.nights = 210;
  history.kernels = 40;
  history.cases = 3;
  history.gpu = "NVIDIA H200 (simulated nights)";
  history.gap = 92;
  history.gap_nights = 12;
  history.first_night = "2026-01-02";
  history.missing = 0.05;
  history.bad = 0.03;
  history.changes = {{75, 1.042, "memory", "580.95.05", "", 0},
                     {110, 0.9, "", "", "kernel_005", 41},
                     {150, 1.016, "", "", "kernel_007", 0},
                     {180, 0.97, "compute", "590.44.01", "", 0}};
  for (std::int64_t night = 1; night < 210; ++night)
    history.changes.push_back({night, std::exp(0.045 / 210), "", "", "kernel_011", 0});
  return history;
}

void read(const Options& options) {
  auto start = Clock::now();
  const auto authority = read_authority(options.folder, {std::string("HEAD"), {}, {}, {}});
  const Ledger ledger = trust::read_history(authority, nullptr);
  const auto hardware = drift::hardware_in(ledger);
  auto history = drift::read_history(ledger, {hardware.at(0).key, {}, options.threads});
  fmt::print("read and verified {} nights: {:.2f} s ({:.2f} s of CPU), peak {:.0f} MB\n", history.nights.size(),
             seconds_since(start), used().cpu_s, used().peak_mb);
  std::map<std::string, drift::KernelFacts> facts;
  for (std::int64_t k = 0; k < options.kernels; ++k) {
    auto& known = facts[bench::SimulatedHistory::kernel_name(k)];
    known.records.push_back({1 + k, "2016-01-01T00:00:00Z", "v1", {}});
    for (std::int64_t c = 0; c < options.cases; ++c)
      known.bounds[fmt::format("case_{}", c)] = bench::SimulatedHistory::bound_of(k);
  }
  start = Clock::now();
  drift::AnalysisOptions analysis;
  analysis.backend = "cuda";
  analysis.profile.compare = {"accepted"};
  analysis.threads = options.threads;
  const auto found = drift::analyse(std::move(history), facts, analysis);
  std::size_t changes = 0;
  for (const auto& kernel : found.kernels) {
    for (const auto& one : kernel.cases) changes += one.changes.size();
  }
  fmt::print("analysed: {:.2f} s, {} changes in {} events; all {:.2f} s of CPU, peak {:.0f} MB\n", seconds_since(start),
             changes, found.events.size(), used().cpu_s, used().peak_mb);
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  std::string what;
  CLI::App app{"ten years of nights"};
  app.add_option("what", what)->required()->check(CLI::IsMember({"make", "sample", "read"}));
  app.add_option("--nights", options.nights);
  app.add_option("--kernels", options.kernels);
  app.add_option("--cases", options.cases);
  app.add_option("--folder", options.folder);
  app.add_option("--threads", options.threads);
  CLI11_PARSE(app, argc, argv);
  try {
    if (what == "read") {
      read(options);
    } else {
      const auto start = Clock::now();
      const auto records =
          bench::write_drift_repository(options.folder, what == "make" ? simulated(options) : sample());
      fmt::print("made {} records in {:.0f} s\n", records, seconds_since(start));
    }
  } catch (const Error& error) {
    std::cerr << "bench_drift: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
