#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/parallel.h"
#include "gate/trust/ledger.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_state.h"

// Everything, once in a while: each record in its place, each object, each commit. Records are handed out in ranges;
// who takes one reads the last record of every kernel before it and goes on from there, so ranges need nothing of each
// other and memory does not grow with the records (but for 60 bytes an object, to know which of them a record names).
namespace kgate::trust {
namespace {

constexpr std::int64_t kRange = 2000;
constexpr std::size_t kObjectRange = 2000;

struct StoredObject {
  std::array<unsigned char, 32> digest{};
  ObjectName blob;
};

std::array<unsigned char, 32> raw(std::string_view hex) {
  const auto digit = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : c - 'a' + 10); };
  std::array<unsigned char, 32> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<unsigned char>(digit(hex[2 * i]) << 4U | digit(hex[2 * i + 1]));
  return bytes;
}

std::string text_of_digest(const std::array<unsigned char, 32>& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text = "sha256:";
  for (const unsigned char byte : digest) {
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

// The names of all stored objects, and which of them a record names.
class Objects {
 public:
  Objects(const GitObjects& git, const LedgerFiles& files) : label_(files.label()) {
    if (!files.objects()) return;
    for (const TreeEntry& folder : git.tree(*files.objects())) {
      const std::string path = "objects/sha256/" + folder.name;
      if (folder.kind != EntryKind::folder || folder.name.size() != 2) refuse(path, "is no folder of objects");
      for (const TreeEntry& entry : git.tree(folder.object)) {
        const std::string hex = folder.name + entry.name;
        if (entry.kind != EntryKind::file || !is_digest("sha256:" + hex))
          refuse(path + "/" + entry.name, "is no object");
        stored_.push_back({raw(hex), entry.object});
      }
    }
    std::sort(stored_.begin(), stored_.end(), order);
    named_ = std::vector<std::atomic<bool>>(stored_.size());
  }

  std::size_t size() const { return stored_.size(); }
  const StoredObject& at(std::size_t i) const { return stored_[i]; }

  void name(const std::string& digest, const std::string& subject) {
    const StoredObject wanted{raw(std::string_view(digest).substr(digest.find(':') + 1)), {}};
    const auto found = std::lower_bound(stored_.begin(), stored_.end(), wanted, order);
    if (found == stored_.end() || found->digest != wanted.digest)
      throw Error(ErrorKind::untrusted, subject, fmt::format("names {}, which is missing", object_path(digest)),
                  kRewritten);
    named_[static_cast<std::size_t>(found - stored_.begin())] = true;
  }

  void require_all_named() const {
    for (std::size_t i = 0; i < stored_.size(); ++i) {
      if (!named_[i]) refuse(object_path(text_of_digest(stored_[i].digest)), "is named by no record");
    }
  }

 private:
  static bool order(const StoredObject& one, const StoredObject& other) { return one.digest < other.digest; }
  [[noreturn]] void refuse(const std::string& path, const std::string& fact) const {
    throw Error(ErrorKind::untrusted, label_ + ":" + path, fact, kRewritten);
  }

  std::string label_;
  std::vector<StoredObject> stored_;
  std::vector<std::atomic<bool>> named_;
};

class Verifier {
 public:
  Verifier(const Ledger::State& state, const LedgerFiles& files, Objects& objects)
      : state_(state), files_(files), objects_(objects) {}

  // Records first to last, by the word and signature of each.
  void records(const LedgerReader& reader, std::int64_t first, std::int64_t last) const {
    Place place = place_of(reader, first);
    for (std::int64_t i = first; i <= last; ++i) {
      const RecordFile& file = files_.file(i);
      const std::vector<std::string> folders = files_.folders_of(i);
      const std::string subject = reader.subject(folders.front(), i);
      const LedgerEntry entry = reader.entry(folders.front(), file);
      const Record& record = entry.record;
      check_folders(record, folders, subject);
      check_place(record, place, subject);
      for (const std::string& digest : objects_of(record)) objects_.name(digest, subject);
      advance(place, record, entry.digest);
    }
  }

  void stored(const LedgerReader& reader, std::size_t first, std::size_t end) const {
    for (std::size_t i = first; i < end; ++i) reader.object(text_of_digest(objects_.at(i).digest), objects_.at(i).blob);
  }

  // One parent each back to the first, and one commit a record.
  void commits(const GitObjects& git, bool shallow) const {
    std::optional<ObjectName> at = state_.tip;
    std::int64_t count = 0;
    while (at) {
      const auto commit = git.commit(*at);
      if (!commit && shallow) return;  // a clone of some depth ends here
      if (!commit) {
        throw Error(ErrorKind::usage, "commit " + at->hex(), "is not in this clone",
                    "fetch whole history: git fetch --unshallow");
      }
      const std::string subject = fmt::format("{}: commit {:.10}", files_.label(), at->hex());
      if (commit->parents.size() > 1)
        throw Error(ErrorKind::untrusted, subject, "has two parents: two branches were merged", kRewritten);
      if (++count > files_.count()) break;
      at = commit->parents.empty() ? std::nullopt : std::optional(commit->parents.front());
    }
    if (count == files_.count()) return;
    throw Error(ErrorKind::untrusted, files_.label(),
                fmt::format("has {} commits for {} records: each record is a commit of its own",
                            count > files_.count() ? "more" : std::to_string(count), files_.count()),
                kRewritten);
  }

 private:
  // The place of a record, from the last record of each kernel before it.
  Place place_of(const LedgerReader& reader, std::int64_t sequence) const {
    Place place;
    place.sequence = sequence;
    for (const KernelFolder& folder : files_.folders()) {
      const RecordFile* file = folder.last_before(sequence);
      if (file == nullptr) continue;
      const std::string digest = reader.digest(folder.kernel, *file);
      const Record record = reader.record(folder.kernel, *file, digest);
      place.heads[folder.kernel] = {digest, file->sequence, ends(record, folder.kernel)};
      if (file->sequence != sequence - 1) continue;
      place.previous = digest;
      place.previous_time = record.time;
    }
    return place;
  }

  const Ledger::State& state_;
  const LedgerFiles& files_;
  Objects& objects_;
};

}  // namespace

Ledger::Totals Ledger::verify(unsigned threads) const {
  const State& state = *state_;
  if (!state.reader) return {};
  const LedgerFiles files(state.objects, state.tree, state.label);
  const std::int64_t count = files.count();
  if (count != state.newest.record.sequence) {
    throw Error(ErrorKind::untrusted, state.label,
                fmt::format("record {} is there, and record {} is the newest by {}", count,
                            state.newest.record.sequence, kNewestFile),
                kRewritten);
  }
  Objects objects(state.objects, files);
  const Verifier verifier(state, files, objects);
  const auto records = static_cast<std::size_t>((count + kRange - 1) / kRange);
  const std::size_t stored = (objects.size() + kObjectRange - 1) / kObjectRange;
  const bool shallow = state.objects.shallow();

  const unsigned workers = std::max(threads, 1U);
  std::vector<std::optional<LedgerReader>> readers(workers);
  // The commits are one after the other, so they go first. What is wrong with them is told last: what is wrong with a
  // record says more.
  std::exception_ptr wrong_commits;
  for_each_parallel(1 + records + stored, workers, [&](std::size_t job, unsigned worker) {
    auto& reader = readers[worker];
    if (!reader) reader.emplace(state.reader->reopened());
    if (job == 0) {
      try {
        verifier.commits(reader->objects(), shallow);
      } catch (const Error&) {
        wrong_commits = std::current_exception();
      }
    } else if (job <= records) {
      const auto first = static_cast<std::int64_t>(job - 1) * kRange + 1;
      verifier.records(*reader, first, std::min(first + kRange - 1, count));
    } else {
      const std::size_t first = (job - 1 - records) * kObjectRange;
      verifier.stored(*reader, first, std::min(first + kObjectRange, objects.size()));
    }
  });
  objects.require_all_named();
  if (wrong_commits) std::rethrow_exception(wrong_commits);
  return {count, static_cast<std::int64_t>(objects.size())};
}

}  // namespace kgate::trust
