#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "gate/trust/statement.h"

// A record of the ledger: one version of a kernel, accepted by people with a key, as measured on one or more classes of
// GPU. docs/ledger.md has every byte.
namespace kgate::trust {

constexpr const char* kAcceptedPredicate = "https://kgate.dev/accepted/v1";
constexpr const char* kHistoryPredicate = "https://kgate.dev/history/v1";

// All digests of records read "sha256:" and 64 hex digits.

struct MeasuredCase {
  double us = 0;  // a launch sequence
  std::int64_t blocks = 0, rounds = 0, launches_per_sample = 0;
  std::string regime;
  std::string samples;  // digest of the object with the raw samples; empty: none
};

struct Measurement {
  std::string device_class;  // fingerprint::class_of
  std::string backend;       // "cuda", "host"
  std::string device_name, architecture, toolkit;
  std::string code;                            // digest of the object: machine code
  std::map<std::string, std::string> symbols;  // entry -> its name in the code
  std::string fingerprint;                     // digest of the object: fingerprint.json
  std::int64_t registers = 0, shared_bytes = 0, spill_bytes = 0, code_bytes = 0;
  std::map<std::string, MeasuredCase> cases;  // performance cases by name
};

struct Record {
  std::string kernel;
  // The chain; Ledger::append fills these four.
  std::int64_t sequence = 0;    // of all records, from 1
  std::string previous;         // digest of the record before it; empty in the first
  std::string kernel_previous;  // digest of this kernel's record before it; empty in its first
  std::string heads;            // digest of the canonical JSON {kernel: digest of its last record} before this record
  std::string time;             // UTC, "2026-11-29T22:55:27Z"; never earlier than in the record before

  std::string commit;   // of the source, 40 hex digits; squash merges lose it
  std::string path;     // kernel.toml's
  std::string content;  // digest over kernel.toml and the declared files: what `preapproved` goes by
  std::map<std::string, std::string> files;  // path -> digest of the object: kernel.toml, sources, headers
  std::string cases_digest;                  // of cases.toml
  std::int64_t cases_revision = 0;
  std::string reason;
  std::string slower;                     // why a slowdown was accepted; empty: it was none
  std::string release;                    // "v1.4"; empty: none
  std::string renamed_from;               // the kernel that goes on under this name; empty: none
  bool retired = false;                   // ends the kernel: no files, no measurements
  std::vector<Measurement> measurements;  // one a class
};

// Subjects are the objects that the record names. Predicates are strict both ways: keys that are not known, are missing
// or have another type are Error(untrusted, subject, ...).
Statement to_statement(const Record& record);
Record record_from(const Statement& statement, const std::string& subject);

// Every object that a record names.
std::vector<std::string> objects_of(const Record& record);

}  // namespace kgate::trust
