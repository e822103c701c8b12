#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "gate/trust/ledger.h"
#include "tests/trust/git_fixture.h"

// Ledgers in real repositories, signed with fixed keys, and damaged by plain git.
class LedgerFixture : public GitFixture {
 public:
  // Keys by number: 1 accepts, 2 accepts until 2026-06-30, 3 is history's, 4 is that of cases, 5 is nobody's.
  static kgate::trust::Keyring keyring();
  static kgate::trust::Sign signer(unsigned key = 1);
  kgate::trust::GitProgram program(const std::string& folder) const;

  // A version of a kernel in `us` microseconds, with its own source, code and samples, accepted at `time`.
  static kgate::trust::Draft draft(const std::string& kernel, double us = 10,
                                   const std::string& time = "2026-01-01T00:00:00Z");

  // Appends to the ledger of the clone `folder`.
  kgate::trust::LedgerEntry append(const std::string& folder, const kgate::trust::Draft& draft, unsigned key = 1) const;
  kgate::trust::Ledger open(const std::string& folder, const kgate::trust::LedgerOptions& options = {}) const;
  // What opening says, and what reading everything says.
  std::string open_error(const std::string& folder, const kgate::trust::LedgerOptions& options = {}) const;
  std::string verify_error(const std::string& folder) const;

  // Runs in the checked out ledger of `folder` (paths are relative to it); the last commit is replaced by what it left.
  void damage(const std::string& folder, const std::function<void()>& action) const;
  kgate::trust::Record record(const std::string& folder, const std::string& path) const;
  // Writes a record as it is, signed; returns its digest.
  std::string put(const std::string& folder, const std::string& path, const kgate::trust::Record& record,
                  unsigned key = 1, const std::string& predicate = kgate::trust::kAcceptedPredicate) const;
  std::string read(const std::string& path) const;
};

// "remedy": what follows when the branch was damaged.
extern const std::string kRestore;
