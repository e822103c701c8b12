#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gate/drift/history.h"

namespace kgate::bench {

// From a night on, some kernels take another time.
struct PlantedChange {
  std::int64_t night = 0;
  double ratio = 1;
  std::string bound;          // of the kernels that it is on: "memory", "compute"; empty: all
  std::string driver;         // that came that night; empty: nothing that a fingerprint shows
  std::string kernel;         // of that one alone; empty: of all of that bound
  std::int64_t accepted = 0;  // the record that the kernel was accepted by that night; 0: none was
};

// Nights of a machine that never was: fixed seeds, known changes, so that what an analysis finds can be checked.
struct SimulatedHistory {
  std::int64_t nights = 100, kernels = 40, cases = 1;
  std::string first_night = "2026-01-01";
  double noise = 0.005;                  // standard deviation of ln us
  double missing = 0, bad = 0;           // shares of the nights: without a figure; 20 % too slow
  std::int64_t gap = 0, gap_nights = 0;  // from that night on so many are missing
  std::string driver = "580.82.07";      // of the first night
  std::string gpu = "NVIDIA H200";
  std::vector<PlantedChange> changes;
  std::uint64_t seed = 1;
  Json fingerprint = Json::object();  // empty: `gpu`'s, as far as an analysis looks

  // "kernel_007"; one in four waits for memory, one in four computes, of the others nobody says.
  static std::string kernel_name(std::int64_t kernel);
  static std::string bound_of(std::int64_t kernel);
  static double level(std::int64_t kernel, std::int64_t one);  // us of a case before anything changes

  // Night `number`, from 0; without kernels where it is missing.
  drift::NightFigures night(std::int64_t number) const;
  Json fingerprint_of(std::int64_t number) const;
};

}  // namespace kgate::bench
