#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

// Processes that fight for a few leases while some of them are killed at random moments.
namespace kgate::bench {

struct FightOptions {
  std::filesystem::path folder;  // of leases; must not be in use
  int processes = 50, devices = 2;
  int acquisitions = 10000;
  int kills_per_thousand = 100;  // of acquisitions
  int longest_hold_us = 10000;
  std::uint64_t seed = 1;
};

struct FightReport {
  int acquisitions = 0, killed_holding = 0, killed_waiting = 0, killed_otherwise = 0;
  double seconds = 0;
  // Of what must hold: never two holders; in order within a priority; no lower priority first; nothing left.
  std::vector<std::string> breaches;
  // How long the device was free although somebody waited, sorted.
  std::vector<double> after_release_ms, after_death_ms;
};

// Throws Error where the processes or their shared memory cannot be made.
FightReport fight(const FightOptions& options);

}  // namespace kgate::bench
