#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kgate::cli {

// What was typed, as typed: raw flags, nothing resolved.
struct Arguments {
  std::string verb;  // "run", "check", "fingerprint", "doctor", "report"; empty: only --help or --version was asked for
  std::string message;             // what --help or --version print
  std::vector<std::string> names;  // kernels; recorded fingerprints; results
  std::string repo = ".";
  std::optional<std::string> policy_ref, baseline;
  std::string profile = "pr";
  std::string backend = "auto";
  std::string device;
  std::string out = "kgate-out";
  std::string format = "text";
  std::optional<std::string> seed;   // hex
  std::optional<std::string> cache;  // folder; "" is none
  std::optional<std::string> cuda;   // toolkit's root
  std::uint32_t threads = 0;         // 0: all cores
  std::string accept_weak;           // sign: why mutants may pass every case
  std::uint32_t seeds = 32;          // sign: on which the reference must pass itself
  bool dry_run = false;              // sign: qualify alone
  bool noise = false;                // doctor: measure what this machine can see
  bool quiet = false;
  bool no_color = false;
};

// Throws Error(usage) for what is not understood, with the nearest verb or flag.
Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace kgate::cli
