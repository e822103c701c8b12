#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "gate/trust/ledger.h"
#include "gate/trust/ledger_files.h"

namespace kgate::trust {

// Records and objects out of the ledger's tree; where a digest is given, what is read has that digest. Throws
// Error(untrusted) for what is missing or does not hold. Each thread has its own, over its own GitObjects.
class LedgerReader {
 public:
  // `label`: for messages, "origin/kgate/ledger". Options and keyring have to outlive it.
  LedgerReader(GitObjects objects, const ObjectName& tree, std::string label, const LedgerOptions& options,
               const Keyring& keyring);
  // For another thread.
  LedgerReader reopened() const;

  Bytes file(const std::string& path) const;
  // The file at a path; nothing where there is none.
  std::optional<ObjectName> find(const std::string& path) const;
  RecordFile find(const std::string& kernel, std::int64_t sequence) const;
  // A kernel's folder; nothing where there is none.
  std::optional<KernelFolder> folder(const std::string& kernel) const;

  // A record with its signatures. What else has to hold (its place in the chain, its folder) is for the caller.
  LedgerEntry entry(const std::string& kernel, const RecordFile& file,
                    const std::optional<std::string>& digest = {}) const;
  // Without: for what another record, which was verified, attests by this digest.
  Record record(const std::string& kernel, const RecordFile& file, const std::string& digest) const;
  std::string digest(const std::string& kernel, const RecordFile& file) const;
  Bytes object(const std::string& digest) const;
  Bytes object(const std::string& digest, const ObjectName& blob) const;  // where it is known to lie

  // "origin/kgate/ledger:records/softmax/000012.json".
  std::string subject(const std::string& kernel, std::int64_t sequence) const;
  const GitObjects& objects() const { return objects_; }

 private:
  Bytes bytes(const std::string& kernel, const RecordFile& file, const std::optional<std::string>& digest) const;

  GitObjects objects_;
  ObjectName tree_;
  std::string label_;
  const LedgerOptions& options_;
  const Keyring& keyring_;
};

// A record's envelope read and its signatures verified by the day that it names.
LedgerEntry read_entry(ByteView envelope, const LedgerOptions& options, const Keyring& keyring,
                       const std::string& subject);

}  // namespace kgate::trust
