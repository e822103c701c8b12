#pragma once

#include <map>
#include <optional>
#include <string>

#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_reader.h"

namespace kgate::trust {

// One open ledger, as the functions over it share it.
struct Ledger::State {
  LedgerOptions options;
  Keyring keyring;
  GitObjects objects;
  std::string label;                   // "origin/kgate/ledger"
  std::optional<ObjectName> tip;       // nothing: there is no ledger
  ObjectName tree;                     // of the tip
  std::optional<LedgerReader> reader;  // nothing: there is no ledger
  Place before;                        // what the newest record had to fit
  LedgerEntry newest;
  Place next;  // what a record after it has to fit

  State(GitObjects git, LedgerOptions wanted, Keyring keys);
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  // The ledger as `commit` has it, as `name` for messages; verified as Ledger::open says.
  void open_at(const ObjectName& commit, std::string name);
  // Throws Error(untrusted) unless record `sequence` is there, with that digest; `who` wants that: "the policy".
  void require(std::int64_t sequence, const std::string& digest, const std::string& who) const;

 private:
  void verify_newest();
};

}  // namespace kgate::trust
