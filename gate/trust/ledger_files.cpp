#include "gate/trust/ledger_files.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"

namespace kgate::trust {
namespace {

constexpr const char* kAlgorithm = "sha256";

bool before(const RecordFile& file, std::int64_t sequence) {
  return file.sequence < sequence;
}

}  // namespace

const RecordFile* KernelFolder::last_before(std::int64_t sequence) const {
  const auto end = std::lower_bound(files.begin(), files.end(), sequence, before);
  return end == files.begin() ? nullptr : &*std::prev(end);
}

KernelFolder read_folder(const GitObjects& objects, const TreeEntry& folder, const std::string& subject) {
  const auto refuse = [&](const std::string& what, const std::string& fact) {
    throw Error(ErrorKind::untrusted, what, fact, kRewritten);
  };
  if (folder.kind != EntryKind::folder || !is_kernel_name(folder.name)) refuse(subject, "is no kernel's folder");
  KernelFolder found{folder.name, {}};
  const auto entries = objects.tree(folder.object);
  found.files.reserve(entries.size());
  for (const TreeEntry& file : entries) {
    const auto sequence = record_number(file.name);
    if (file.kind != EntryKind::file || !sequence) refuse(subject + "/" + file.name, "is no record's file");
    found.files.push_back({*sequence, file.object});
  }
  if (found.files.empty()) refuse(subject, "is empty");
  const auto order = [](const RecordFile& one, const RecordFile& other) { return one.sequence < other.sequence; };
  // git sorts by letters: 1000000 stands before 999999.
  if (!std::is_sorted(found.files.begin(), found.files.end(), order))
    std::sort(found.files.begin(), found.files.end(), order);
  return found;
}

LedgerFiles::LedgerFiles(const GitObjects& objects, const ObjectName& tree, std::string label)
    : label_(std::move(label)) {
  for (const TreeEntry& entry : objects.tree(tree)) {
    if (entry.name == kRecordsFolder && entry.kind == EntryKind::folder) {
      for (const TreeEntry& folder : objects.tree(entry.object))
        folders_.push_back(read_folder(objects, folder, label_ + ":" + entry.name + "/" + folder.name));
    } else if (entry.name == kObjectsFolder && entry.kind == EntryKind::folder) {
      read_objects(objects, entry);
    } else if ((entry.name != kNewestFile && entry.name != kHeadsFile) || entry.kind != EntryKind::file) {
      refuse(entry.name, "has no place in a ledger");
    }
  }
  number();
}

void LedgerFiles::read_objects(const GitObjects& objects, const TreeEntry& entry) {
  for (const TreeEntry& inner : objects.tree(entry.object)) {
    if (inner.name != kAlgorithm || inner.kind != EntryKind::folder)
      refuse(std::string(kObjectsFolder) + "/" + inner.name, "has no place in a ledger");
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
  // Where one is missing, it is one of the first that there could be; room for absurd numbers need not be found.
  places_.resize(static_cast<std::size_t>(std::min(highest, files + 1)));
  for (std::size_t i = 0; i < folders_.size(); ++i) {
    for (std::size_t j = 0; j < folders_[i].files.size(); ++j) {
      const RecordFile& found = folders_[i].files[j];
      if (found.sequence > count()) continue;
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

std::vector<std::string> LedgerFiles::folders_of(std::int64_t sequence) const {
  std::vector<std::string> found;
  for (const std::int32_t folder : places_.at(static_cast<std::size_t>(sequence - 1)).folder) {
    if (folder >= 0) found.push_back(folders_[static_cast<std::size_t>(folder)].kernel);
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
