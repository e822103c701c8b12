#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gate/trust/ledger_record.h"

// The rules by which records hang together, as pure functions (docs/ledger.md, "The chain").
namespace kgate::trust {

// What to do about a branch that does not hold.
constexpr const char* kRewritten =
    "the branch was damaged or rewritten: have it reset to its last commit that holds, docs/ledger.md says how";

// The last record in a kernel's folder.
struct Head {
  std::string digest;
  std::int64_t sequence = 0;
  bool ended = false;  // it retired the kernel, or renamed it
};
using Heads = std::map<std::string, Head>;  // by kernel

// heads.json: the canonical JSON {kernel: {"digest", "ended", "sequence"}}.
std::string heads_text(const Heads& heads);
// Throws Error(untrusted, subject, ...) for what heads_text did not write.
Heads heads_from(std::string_view text, const std::string& subject);

// What the records before one ask of it.
struct Place {
  std::int64_t sequence = 1;
  std::string previous, previous_time;  // of the record before it; empty for the first
  Heads heads;
};

// The kernel whose last record this one goes on from.
inline const std::string& origin_of(const Record& record) {
  return record.renamed_from.empty() ? record.kernel : record.renamed_from;
}
// Whether this record, the last in the folder of `kernel`, ends it.
inline bool ends(const Record& record, const std::string& kernel) {
  return record.retired || record.kernel != kernel;
}
// Digest of the record that a new one of this kernel goes on from; empty: it is the first.
std::string kernel_previous_in(const Heads& heads, const Record& record);

// Throws Error(untrusted, subject, ...) where the record does not belong there.
void check_place(const Record& record, const Place& place, const std::string& subject);
// The same for the folders that hold its file, by the kernels' names.
void check_folders(const Record& record, const std::vector<std::string>& folders, const std::string& subject);
// A record of the future: `now` and a day, for clocks that differ.
void check_not_future(const Record& record, std::int64_t now, const std::string& subject);

// The record, with its digest, is the last one now.
void advance(Place& place, const Record& record, const std::string& digest);

}  // namespace kgate::trust
