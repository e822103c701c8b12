#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/json.h"

namespace kgate::drift {

constexpr const char* kNightSchema = "kgate.night/1";

struct NightCase {
  double us = 0;      // a launch sequence
  double spread = 0;  // of its blocks: standard deviation of ln us, robust
  std::int64_t blocks = 0, rounds = 0, launches_per_sample = 0;
  std::string regime;
};

struct NightKernel {
  std::int64_t accepted = 0;   // the ledger's record whose version was timed; 0: not known
  std::string code;            // digest of the machine code; empty: not known
  bool compiled_here = false;  // the accepted source, for want of recorded code that runs here
  std::map<std::string, NightCase> cases;
};

// What one night's run measured on one machine: an object that a record of kgate/history names (docs/history.md).
struct NightFigures {
  std::string time;                    // UTC, when the run began
  std::string device_class, hardware;  // fingerprint::class_of, fingerprint::hardware_of
  std::string device_name, architecture, backend;
  std::string commit;  // of the source whose cases were timed
  std::map<std::string, NightKernel> kernels;
  std::map<std::string, std::string> missing;  // kernel -> why it has no figures, or not all
  Json environment = Json::object();           // the GPU's state meanwhile: verdict::Watch::summary
};

// A picosecond to eleven days: what lies beyond no clock has measured, and sums of it overflow.
bool is_time(double us);

Json to_json(const NightFigures& night);
// Strict, as records are: throws Error(untrusted, subject, ...) for keys that are not known or missing, for times that
// are not positive.
NightFigures night_from(std::string_view text, const std::string& subject);

}  // namespace kgate::drift
