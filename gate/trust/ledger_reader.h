#pragma once

#include <string>

#include "gate/trust/ledger.h"
#include "gate/trust/ledger_files.h"

namespace kgate::trust {

// Records and objects out of the ledger's files. One a thread, each with its own GitObjects.
class LedgerReader {
 public:
  LedgerReader(GitObjects objects, const LedgerFiles& files, const LedgerOptions& options, const Keyring& keyring);

  // A record by its own word and signature: what else has to hold (its place, its folder) is for the caller.
  LedgerEntry entry(const std::string& kernel, const RecordFile& file) const;
  // A record whose digest a verified record names; throws Error(untrusted) where it has another.
  LedgerEntry attested(const std::string& kernel, const RecordFile& file, const std::string& digest) const;
  std::string digest(const std::string& kernel, const RecordFile& file) const;
  Bytes object(const std::string& digest) const;

  std::string subject(const std::string& kernel, const RecordFile& file) const;
  const GitObjects& objects() const { return objects_; }

 private:
  GitObjects objects_;
  const LedgerFiles& files_;
  const LedgerOptions& options_;
  const Keyring& keyring_;
};

}  // namespace kgate::trust
