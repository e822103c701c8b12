#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace kgate::cli {

// What was typed, as typed: raw flags, nothing resolved.
struct Arguments {
  std::string verb;     // "run", "check", "sign", "keygen", "fingerprint", "doctor", "report"; empty: only --help or
                        // --version was asked for
  std::string message;  // what --help or --version print
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
  std::string sandbox = "best";      // or "none": for people who look for a fault
  bool sanitize = false;             // run, check: correctness cases under compute-sanitizer too
  bool noise = false;                // doctor: measure what this machine can see
  bool try_sandbox = false;          // doctor: what can be done from inside of it
  std::string good, bad;             // bisect: revisions
  // accept
  std::string reason, slower, release, renamed_from;
  bool retire = false, no_push = false;
  std::int64_t limit = 20;                       // log: records; 0: all
  bool no_fetch = false;                         // the ledger as the last fetch left it
  std::optional<std::filesystem::path> prepare;  // write drafts here
  std::vector<std::string> drafts;               // sign these
  bool time_unchanged = false;                   // run: time what has the base's machine code too
  // drift
  std::string since, hardware;       // "2026-03-01"; key or name
  std::vector<std::string> imports;  // results taken as nights
  bool no_measure = false;
  std::optional<std::string> report_out;  // report: folder for the files of all formats
  bool merge = false;                     // report: the results are shards of one run
  std::optional<std::string> shard;       // run, check: "3/8"
  // plan
  std::optional<std::int64_t> shards;
  std::optional<double> seconds_per_shard;
  bool plan_check = false;       // of kgate check
  std::string gres, constraint;  // for Slurm
  bool quiet = false;
  bool no_color = false;
  // The key to sign with.
  std::string key, key_command;  // file; command that prints the PEM
  std::string passphrase_file;
  bool sign_keys = false;          // sign: the policy's keys, not cases
  std::string accept_weak;         // sign: why cases that let a mutant pass are signed nevertheless
  std::uint32_t seeds = 32;        // sign: on which the reference must pass itself
  bool dry_run = false;            // sign: qualify alone
  std::vector<std::string> roles;  // keygen: what the key is for
  std::string ci = "auto";         // init: github, gitlab, none
  // lease; --lease-dir for whoever takes one
  std::string lease_action;                // "status", "run"
  std::vector<std::string> lease_devices;  // as typed; `names` is the command
  std::string lease_priority = "pull-request";
  std::optional<std::int64_t> lease_wait;  // seconds
  std::optional<std::filesystem::path> lease_folder;
  // search; also of the one that a run begins
  std::vector<std::string> proposers;
  std::optional<std::int64_t> iterations, patience, tokens;
  std::optional<double> seconds, gpu_seconds, cost_usd;
  double usd_per_gpu_hour = 0;
  std::string keys_out;  // keygen: folder of the new files; empty: the current one
};

// Throws Error(usage) for what is not understood, with the nearest verb or flag.
Arguments parse_arguments(int argc, const char* const* argv);

}  // namespace kgate::cli
