#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "gate/drift/drift.h"
#include "gate/drift/night.h"
#include "gate/trust/ledger.h"

namespace kgate::drift {

// Nights of one kind of GPU, from wherever they come, in any order.
struct History {
  std::vector<Night> nights;
  std::vector<std::shared_ptr<const Json>> fingerprints;                     // of each night; equal ones are one
  std::map<std::string, std::map<std::string, std::vector<Point>>> figures;  // kernel -> case

  void add(const NightFigures& night, std::shared_ptr<const Json> fingerprint, std::string origin);
  // A fingerprint that is there already; else this one.
  std::shared_ptr<const Json> shared(Json fingerprint) const;
};

// What the history of nights remembers of a machine's fingerprint: all but the moment's state, so that quiet nights
// name one object.
Json lasting(Json fingerprint);

// The record of a night, to be chained and signed by trust::append.
trust::Draft draft_of(const NightFigures& night, const Json& fingerprint);

// The kinds of GPU that the history has, by key; each one's newest record is verified.
std::vector<Hardware> hardware_in(const trust::Ledger& ledger);

struct ReadOptions {
  std::string hardware;
  std::optional<std::int64_t> since;  // day of the first night; nothing: all
  unsigned threads = 1;
};
// The nights of one kind of GPU, each record verified on the way. Throws Error(untrusted) for what does not hold.
History read_history(const trust::Ledger& ledger, const ReadOptions& options);

}  // namespace kgate::drift
