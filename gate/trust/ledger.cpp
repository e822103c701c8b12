#include "gate/trust/ledger.h"

#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_state.h"

// Problem: a run has to find the last accepted version of a kernel among a hundred thousand records, in less time than
// a kernel takes to compile, on a branch that others write. Choice: the newest record is verified by its signature, and
// what it signs for covers the rest: the last record of every kernel (`heads`), from which each kernel's records follow
// by `kernel_previous`. So a reader looks at one small file a kernel, and a record that was removed, replaced or put
// back anywhere among them shows. Rejected: to trust git's own commits (whoever may push writes them); an index file
// (one more thing that can disagree); to verify all records each time (15 s for a hundred thousand). A branch that was
// rolled back as a whole is a ledger in itself: only someone who knows of a later record can tell, which is what the
// policy's at_least and fetch_ledger are for.
namespace kgate::trust {
namespace {

std::string fetch_command(const LedgerOptions& options) {
  return fmt::format("git fetch {0} +refs/heads/{1}:refs/remotes/{0}/{1}", options.remote, options.branch);
}

}  // namespace

Ledger::State::State(GitObjects git, LedgerOptions wanted, Keyring keys)
    : options(std::move(wanted)), keyring(std::move(keys)), objects(std::move(git)), label(options.branch) {}

void Ledger::State::open_at(const ObjectName& commit, std::string name) {
  label = std::move(name);
  tip = commit;
  files.emplace(objects, commit, label);
  reader.emplace(objects, *files, options, keyring);
  verify_newest();
}

void Ledger::State::verify_newest() {
  const std::int64_t count = files->count();
  const RecordFile& file = files->file(count);
  std::vector<std::string> folders;
  for (const KernelFolder* folder : files->folders_of(count)) folders.push_back(folder->kernel);
  newest = reader->entry(folders.front(), file);
  const std::string subject = reader->subject(folders.front(), file);
  check_folders(newest.record, folders, subject);
  check_not_future(newest.record, std::time(nullptr), subject);

  Place place;
  place.sequence = count;
  for (const KernelFolder& folder : files->folders()) {
    if (const RecordFile* last = folder.last_before(count))
      place.heads.emplace(folder.kernel, reader->digest(folder.kernel, *last));
  }
  if (count > 1) {
    const std::string& kernel = files->folders_of(count - 1).front()->kernel;
    place.previous = place.heads.at(kernel);  // the record before the newest is the last of its folder
    place.previous_time = reader->record(kernel, files->file(count - 1), place.previous).time;
  }
  check_place(newest.record, place, subject);
  advance(place, newest.record, newest.digest);
  next = std::move(place);
}

void Ledger::State::require(std::int64_t sequence, const std::string& digest, const std::string& who) const {
  const std::string remedy = fmt::format(
      "{}; where that changes nothing, the branch was rolled back: have it restored, docs/ledger.md says how",
      fetch_command(options));
  if (!files)
    throw Error(ErrorKind::untrusted, label,
                fmt::format("is not in this clone, and {} wants record {} of it", who, sequence), remedy);
  if (files->count() < sequence) {
    throw Error(ErrorKind::untrusted, label,
                fmt::format("ends with record {}, and {} wants record {}", files->count(), who, sequence), remedy);
  }
  const std::string& kernel = files->folders_of(sequence).front()->kernel;
  const std::string found = reader->digest(kernel, files->file(sequence));
  if (found == digest) return;
  throw Error(ErrorKind::untrusted, reader->subject(kernel, files->file(sequence)),
              fmt::format("has the digest {}, and {} wants {}", found, who, digest),
              "it is another ledger, or its history was rewritten: have it restored, docs/ledger.md says how");
}

Ledger::Ledger(std::unique_ptr<State> state) : state_(std::move(state)) {}
Ledger::Ledger(Ledger&&) noexcept = default;
Ledger::~Ledger() = default;

Ledger Ledger::open(const Repository& repository, const LedgerOptions& options, const Keyring& keyring) {
  auto state = std::make_unique<State>(GitObjects(repository.opened()), options, keyring);
  std::optional<ObjectName> commit;
  std::string label = options.branch;
  if (!options.remote.empty()) {
    commit = state->objects.commit_at("refs/remotes/" + options.remote + "/" + options.branch);
    if (commit) label = options.remote + "/" + options.branch;
  }
  if (!commit) commit = state->objects.commit_at("refs/heads/" + options.branch);
  if (commit) state->open_at(*commit, std::move(label));
  if (options.at_least && *options.at_least > 0)
    state->require(*options.at_least, options.at_least_digest, "[ledger] at_least of the policy");
  return Ledger(std::move(state));
}

std::string Ledger::commit() const {
  return state_->tip ? state_->tip->hex() : "";
}

std::int64_t Ledger::sequence() const {
  return state_->newest.record.sequence;
}

std::string Ledger::digest() const {
  return state_->newest.digest;
}

std::vector<std::string> Ledger::kernels() const {
  std::vector<std::string> alive;
  if (!state_->files) return alive;
  for (const KernelFolder& folder : state_->files->folders()) {
    const Record head =
        state_->reader->record(folder.kernel, folder.files.back(), state_->next.heads.at(folder.kernel));
    if (!ends(head, folder.kernel)) alive.push_back(folder.kernel);
  }
  return alive;
}

void Ledger::records(const std::string& kernel, const std::function<bool(const LedgerEntry&)>& next) const {
  if (!state_->files) return;
  const KernelFolder* folder = state_->files->folder(kernel);
  if (folder == nullptr) return;
  const RecordFile* file = &folder->files.back();
  std::string digest = state_->next.heads.at(kernel);
  std::string later = state_->newest.record.time;
  while (true) {
    LedgerEntry entry = state_->reader->entry(folder->kernel, *file, digest);
    const Record& record = entry.record;
    const std::string subject = state_->reader->subject(folder->kernel, *file);
    std::vector<std::string> folders;
    for (const KernelFolder* one : state_->files->folders_of(file->sequence)) folders.push_back(one->kernel);
    check_folders(record, folders, subject);
    const auto refuse = [&](const std::string& fact) { throw Error(ErrorKind::untrusted, subject, fact, kRewritten); };
    if (record.sequence != file->sequence)
      refuse(fmt::format("is record {} by its own word, not {}", record.sequence, file->sequence));
    if (record.time > later) refuse(fmt::format("is dated {}, after records that came later", record.time));
    entry.ended = ends(record, folder->kernel);
    if (!next(entry)) return;

    folder = state_->files->folder(origin_of(record));
    const RecordFile* before = folder == nullptr ? nullptr : folder->last_before(record.sequence);
    if ((before == nullptr) != record.kernel_previous.empty()) {
      refuse(before == nullptr ? fmt::format("goes on from a record of \"{}\" that is not there", origin_of(record))
                               : fmt::format("is the first of \"{}\" by its own word, and record {} is there",
                                             origin_of(record), before->sequence));
    }
    if (before == nullptr) return;
    file = before;
    digest = record.kernel_previous;
    later = record.time;
  }
}

std::optional<LedgerEntry> Ledger::head(const std::string& kernel) const {
  std::optional<LedgerEntry> head;
  records(kernel, [&](const LedgerEntry& entry) {
    head = entry;
    return false;
  });
  return head;
}

Bytes Ledger::object(const std::string& digest) const {
  if (!state_->files)
    throw Error(ErrorKind::untrusted, state_->label, "is not in this clone", fetch_command(state_->options));
  return state_->reader->object(digest);
}

}  // namespace kgate::trust
