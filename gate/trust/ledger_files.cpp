#include "gate/trust/ledger_files.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"

namespace kgate::trust {
namespace {

constexpr const char* kRecords = "records";
constexpr const char* kObjects = "objects";
constexpr const char* kAlgorithm = "sha256";

bool before(const RecordFile& file, std::int64_t sequence) {
  return file.sequence < sequence;
}

}  // namespace

const RecordFile* KernelFolder::last_before(std::int64_t sequence) const {
  const auto end = std::lower_bound(files.begin(), files.end(), sequence, before);
  return end == files.begin() ? nullptr : &*std::prev(end);
}

LedgerFiles::LedgerFiles(const GitObjects& objects, const ObjectName& commit, std::string label)
    : label_(std::move(label)) {
  const auto object = objects.commit(commit);
  if (!object && objects.exists(commit))
    throw Error(ErrorKind::untrusted, label_, "points to " + commit.hex() + ", which is no commit", kRewritten);
  if (!object) {
    throw Error(ErrorKind::usage, label_, "points to " + commit.hex() + ", which is not in this clone",
                "fetch it again: git fetch --refetch");
  }
  for (const TreeEntry& entry : objects.tree(object->tree)) {
    if (entry.name == kRecords && entry.kind == EntryKind::folder) {
      for (const TreeEntry& folder : objects.tree(entry.object)) read_folder(objects, folder);
    } else if (entry.name == kObjects && entry.kind == EntryKind::folder) {
      read_objects(objects, entry);
    } else {
      refuse(entry.name, "has no place in a ledger");
    }
  }
  number();
}

void LedgerFiles::read_folder(const GitObjects& objects, const TreeEntry& entry) {
  const std::string path = std::string(kRecords) + "/" + entry.name;
  if (entry.kind != EntryKind::folder || !is_kernel_name(entry.name)) refuse(path, "is no kernel's folder");
  KernelFolder folder{entry.name, {}};
  const auto entries = objects.tree(entry.object);
  folder.files.reserve(entries.size());
  for (const TreeEntry& file : entries) {
    const auto sequence = record_number(file.name);
    if (file.kind != EntryKind::file || !sequence) refuse(path + "/" + file.name, "is no record's file");
    folder.files.push_back({*sequence, file.object});
  }
  if (folder.files.empty()) refuse(path, "is empty");
  const auto order = [](const RecordFile& one, const RecordFile& other) { return one.sequence < other.sequence; };
  // git sorts by letters: 1000000 stands before 999999.
  if (!std::is_sorted(folder.files.begin(), folder.files.end(), order))
    std::sort(folder.files.begin(), folder.files.end(), order);
  folders_.push_back(std::move(folder));
}

void LedgerFiles::read_objects(const GitObjects& objects, const TreeEntry& entry) {
  for (const TreeEntry& inner : objects.tree(entry.object)) {
    if (inner.name != kAlgorithm || inner.kind != EntryKind::folder)
      refuse(std::string(kObjects) + "/" + inner.name, "has no place in a ledger");
    objects_ = inner.object;
  }
}

// Finds each record's folder by its number; every number from 1 to the highest is there.
void LedgerFiles::number() {
  const auto order = [](const KernelFolder& one, const KernelFolder& other) { return one.kernel < other.kernel; };
  std::sort(folders_.begin(), folders_.end(), order);  // git sorts folders as if their names ended in '/'
  std::int64_t highest = 0, files = 0;
  for (const KernelFolder& folder : folders_) {
    highest = std::max(highest, folder.files.back().sequence);
    files += static_cast<std::int64_t>(folder.files.size());
  }
  if (highest == 0) throw Error(ErrorKind::untrusted, label_, "has no records", kRewritten);
  std::set<std::int64_t> seen;
  if (highest > files) {  // then one is missing, and room for all of them need not be found to say which
    for (const KernelFolder& folder : folders_) {
      for (const RecordFile& file : folder.files) seen.insert(file.sequence);
    }
    std::int64_t missing = 1;
    while (seen.count(missing) != 0) ++missing;
    throw Error(ErrorKind::untrusted, label_,
                fmt::format("record {} is missing, and record {} is there", missing, highest), kRewritten);
  }
  places_.resize(static_cast<std::size_t>(highest));
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    for (std::size_t j = 0; j < folders_[i].files.size(); ++j) {
      const RecordFile& found = folders_[i].files[j];
      Place& place = places_[static_cast<std::size_t>(found.sequence - 1)];
      if (place.folder[0] < 0) {
        place = {{static_cast<std::int32_t>(i), -1}, static_cast<std::int32_t>(j)};
      } else if (place.folder[1] < 0 && file(found.sequence).blob == found.blob) {
        place.folder[1] = static_cast<std::int32_t>(i);  // of a rename, as the record will have to say
      } else {
        const auto& first = folders_[static_cast<std::size_t>(place.folder[0])];
        refuse(record_path(folders_[i].kernel, found.sequence),
               "has the number of " + record_path(first.kernel, found.sequence));
      }
    }
  }
  for (std::size_t i = 0; i < places_.size(); ++i) {
    if (places_[i].folder[0] >= 0) continue;
    throw Error(ErrorKind::untrusted, label_,
                fmt::format("record {} is missing, and record {} is there", i + 1, highest), kRewritten);
  }
}

const KernelFolder* LedgerFiles::folder(const std::string& kernel) const {
  const auto found =
      std::lower_bound(folders_.begin(), folders_.end(), kernel,
                       [](const KernelFolder& folder, const std::string& name) { return folder.kernel < name; });
  return found == folders_.end() || found->kernel != kernel ? nullptr : &*found;
}

std::vector<const KernelFolder*> LedgerFiles::folders_of(std::int64_t sequence) const {
  std::vector<const KernelFolder*> found;
  for (const std::int32_t folder : places_.at(static_cast<std::size_t>(sequence - 1)).folder) {
    if (folder >= 0) found.push_back(&folders_[static_cast<std::size_t>(folder)]);
  }
  return found;
}

const RecordFile& LedgerFiles::file(std::int64_t sequence) const {
  const Place& place = places_.at(static_cast<std::size_t>(sequence - 1));
  return folders_[static_cast<std::size_t>(place.folder[0])].files[static_cast<std::size_t>(place.file)];
}

void LedgerFiles::refuse(const std::string& path, const std::string& fact) const {
  throw Error(ErrorKind::untrusted, label_ + ":" + path, fact, kRewritten);
}

}  // namespace kgate::trust
