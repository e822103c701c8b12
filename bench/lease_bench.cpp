// Fifty processes fight for two leases, and every tenth acquisition one of them is killed: never two holders, in order,
// nothing left; and how long a GPU stays free although somebody waits. kgate promises 100 ms.
//
//   bench_lease [--processes N] [--devices N] [--acquisitions N] [--kills N] [--seed N]
//
// Ends with 1 where something that must hold did not.
#include <cmath>
#include <iostream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/lease_fight.h"

namespace {

double quantile(const std::vector<double>& sorted, double share) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(std::floor(share * static_cast<double>(sorted.size() - 1)))];
}

void print(const char* what, const std::vector<double>& sorted) {
  std::cout << fmt::format("{}: {} times, median {:.2f} ms, p99 {:.2f} ms, max {:.2f} ms\n", what, sorted.size(),
                           quantile(sorted, 0.5), quantile(sorted, 0.99), quantile(sorted, 1));
}

}  // namespace

int main(int argc, char** argv) {
  kgate::bench::FightOptions options;
  CLI::App app{"Processes that fight for leases while some are killed."};
  app.add_option("--processes", options.processes)->capture_default_str();
  app.add_option("--devices", options.devices)->capture_default_str();
  app.add_option("--acquisitions", options.acquisitions)->capture_default_str();
  app.add_option("--kills", options.kills_per_thousand, "in a thousand acquisitions")->capture_default_str();
  app.add_option("--longest-hold-us", options.longest_hold_us)->capture_default_str();
  app.add_option("--seed", options.seed)->capture_default_str();
  CLI11_PARSE(app, argc, argv);
  try {
    const kgate::TemporaryFolder folder("kgate-fight");
    options.folder = folder.path() / "leases";
    const auto report = kgate::bench::fight(options);
    std::cout << fmt::format(
        "{} acquisitions of {} devices by {} processes in {:.1f} s; killed: {} holders, {} waiting, {} otherwise\n",
        report.acquisitions, options.devices, options.processes, report.seconds, report.killed_holding,
        report.killed_waiting, report.killed_otherwise);
    print("free after a release", report.after_release_ms);
    print("free after a death", report.after_death_ms);
    for (const auto& breach : report.breaches) std::cout << "BREACH: " << breach << '\n';
    std::cout << (report.breaches.empty() ? "held: one holder a device, order, nothing left in the folder\n" : "");
    return report.breaches.empty() ? 0 : 1;
  } catch (const kgate::Error& error) {
    std::cerr << "bench_lease: " << error.what() << '\n';
    return 2;
  }
}
