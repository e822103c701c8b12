// Ten years of nights: how long reading and verifying the history takes, and its analysis.
//
//   bench_drift make|read [--nights N] [--kernels K] [--cases C] [--folder DIR] [--threads T]
//
// `make` appends a signed record a night to a repository in DIR, as kgate drift does, and packs it. `read` is a process
// of its own: nothing is warm but the disk's cache.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "bench/history.h"
#include "gate/drift/analysis.h"
#include "gate/trust/dsse.h"
#include "gate/trust/repository.h"

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

LedgerOptions branch() {
  LedgerOptions options;
  options.branch = "kgate/history";
  options.remote.clear();
  options.role = "history";
  options.predicate = kHistoryPredicate;
  return options;
}

fs::path key_file(const Options& options) {
  return options.folder / ".git" / "bench.pub.pem";
}

void run(std::vector<std::string> command) {
  ProcessOptions process;
  process.command = std::move(command);
  process.environment = {{"PATH", process.search_path}, {"HOME", "/nonexistent"}, {"GIT_CONFIG_NOSYSTEM", "1"}};
  CommandLimits limits;
  limits.deadline = std::chrono::minutes(30);
  const auto result = run_command(process, limits);
  if (!result.status.ok()) throw Error(ErrorKind::environment, process.command.front(), "failed: " + result.output);
}

void make(const Options& options) {
  fs::create_directories(options.folder);
  run({"git", "init", "-q", options.folder.string()});
  const auto key = PrivateKey::generate();
  write_file_atomic(key_file(options), key.public_key().pem());
  const Keyring keyring({{key.public_key(), "bench.pub.pem", {"history"}, {}, {}}}, {});
  const auto repository = Repository::open(options.folder.string());
  const GitProgram git(options.folder, {{"PATH", ProcessOptions().search_path}, {"HOME", "/nonexistent"}});
  const auto history = simulated(options);
  const auto start = Clock::now();
  std::int64_t made = 0;
  for (std::int64_t i = 0; i < options.nights; ++i) {
    const auto night = history.night(i);
    if (night.kernels.empty()) continue;
    append(repository, git, keyring, {branch(), 10, false}, drift::draft_of(night, history.fingerprint_of(i)),
           [&](Envelope& envelope) { add_signature(envelope, key); });
    ++made;
    if (made % 500 == 0) run({"git", "-C", options.folder.string(), "repack", "-q", "-a", "-d"});
  }
  run({"git", "-C", options.folder.string(), "repack", "-q", "-a", "-d"});
  fmt::print("made {} records in {:.0f} s\n", made, seconds_since(start));
}

void read(const Options& options) {
  const auto pem = read_file(key_file(options), 1 << 16);
  const Keyring keyring({{PublicKey::from_pem(text_of(pem), "key"), "bench.pub.pem", {"history"}, {}, {}}}, {});
  const auto repository = Repository::open(options.folder.string());
  auto start = Clock::now();
  const Ledger ledger = Ledger::open(repository, branch(), keyring);
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
  app.add_option("what", what)->required()->check(CLI::IsMember({"make", "read"}));
  app.add_option("--nights", options.nights);
  app.add_option("--kernels", options.kernels);
  app.add_option("--cases", options.cases);
  app.add_option("--folder", options.folder);
  app.add_option("--threads", options.threads);
  CLI11_PARSE(app, argc, argv);
  try {
    what == "make" ? make(options) : read(options);
  } catch (const Error& error) {
    std::cerr << "bench_drift: " << error.what() << '\n';
    return 1;
  }
  return 0;
}
