#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gate/trust/git_objects.h"

// The ledger's tree by its names.
namespace kgate::trust {

struct RecordFile {
  std::int64_t sequence = 0;
  ObjectName blob;
};

struct KernelFolder {
  std::string kernel;
  std::vector<RecordFile> files;  // ascending, never empty
  // The last file with a number below `sequence`; null: there is none.
  const RecordFile* last_before(std::int64_t sequence) const;
};

// A kernel's folder. `subject`: "origin/kgate/ledger:records/softmax". Throws Error(untrusted, subject, ...) for names
// that are not records.
KernelFolder read_folder(const GitObjects& objects, const TreeEntry& folder, const std::string& subject);

// All records of a ledger's tree, by their names alone. Names that have no place there, numbers that are missing or
// there twice are Error(untrusted); what the records say is read elsewhere. Takes milliseconds for a thousand records:
// for who verifies everything.
class LedgerFiles {
 public:
  // `label`: for messages, "origin/kgate/ledger".
  LedgerFiles(const GitObjects& objects, const ObjectName& tree, std::string label);

  const std::string& label() const { return label_; }
  std::int64_t count() const { return static_cast<std::int64_t>(places_.size()); }  // records are 1 to count()
  const std::vector<KernelFolder>& folders() const { return folders_; }             // by name
  // The folders that hold record `sequence`: one, or two where a kernel was renamed.
  std::vector<std::string> folders_of(std::int64_t sequence) const;
  const RecordFile& file(std::int64_t sequence) const;
  // objects/sha256; nothing where no record has objects.
  const std::optional<ObjectName>& objects() const { return objects_; }

 private:
  struct Place {
    std::array<std::int32_t, 2> folder{-1, -1};
    std::int32_t file = 0;  // in the first of them
  };
  void read_objects(const GitObjects& objects, const TreeEntry& entry);
  void number();
  [[noreturn]] void refuse(const std::string& path, const std::string& fact) const;

  std::string label_;
  std::vector<KernelFolder> folders_;
  std::vector<Place> places_;  // by sequence - 1
  std::optional<ObjectName> objects_;
};

}  // namespace kgate::trust
