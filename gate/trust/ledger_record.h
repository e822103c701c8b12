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
//
// A record with renamed_from ends one kernel and begins another, so it stands in both folders of the tree
// (records/OLD/NNNNNN.json and records/NEW/NNNNNN.json, the same bytes) and is the last record of both: each folder
// then tells by itself how its kernel ended, and where it came from.
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
  // The chain; append() fills these.
  std::int64_t sequence = 0;    // of all records, from 1
  std::string previous;         // digest of the record before it; empty in the first
  std::string kernel_previous;  // digest of the record that this one goes on from: the last of renamed_from, else of
                                // this kernel; empty where there is none
  std::string heads;            // digest of heads.json: the last record of every kernel before this record
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
  std::string renamed_from;               // the kernel that goes on under this name and ends here; empty: none
  bool retired = false;                   // ends the kernel: no files, no measurements
  std::vector<Measurement> measurements;  // one a class

  // Of kgate/history (kHistoryPredicate) alone: a night's figures on one kind of GPU, whose key `kernel` then is. Of
  // what is above only the chain is there.
  std::string night, fingerprint;  // digests of the objects
};

// Every object that a record names, sorted, each once.
std::vector<std::string> objects_of(const Record& record);
// What its statement is about: those objects, by their paths in the branch, so that `sha256sum --check` finds them. A
// retirement has none, and a statement needs one: it is about the record that it ends.
std::vector<StatementSubject> subjects_of(const Record& record);

// What `predicate_type` is made of: kAcceptedPredicate or kHistoryPredicate.
Statement to_statement(const Record& record, const std::string& predicate_type = kAcceptedPredicate);
// Predicates are strict both ways: keys that are not known, are missing or have another type or form, and subjects that
// are not the record's, are Error(untrusted, subject, ...).
Record record_from(const Statement& statement, const std::string& subject);

}  // namespace kgate::trust
