#include "gate/trust/ledger.h"

#include <ctime>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_state.h"

// Problem: a run has to find the last accepted version of a kernel among a hundred thousand records, in less time than
// a kernel takes to compile, on a branch that others write. Choice: the newest record is verified by its signature, and
// what it signs for covers the rest: heads.json, which names the last record of every kernel, from which each kernel's
// records follow by `kernel_previous`. So a handful of small files is read, and a record that was removed, replaced or
// put back shows as soon as it matters. Rejected: to trust git's own commits (whoever may push writes them); to work
// heads out from the tree (a hundred kernels with a thousand records each are 4 MB of trees to inflate and hash, which
// alone takes the 50 ms); to verify all records each time. A branch that was rolled back as a whole is a ledger in
// itself: only someone who knows of a later record can tell, which is what the policy's at_least and fetch_ledger are
// for.
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
  const auto object = objects.commit(commit);
  if (!object && objects.exists(commit))
    throw Error(ErrorKind::untrusted, label, "points to " + commit.hex() + ", which is no commit", kRewritten);
  if (!object) {
    throw Error(ErrorKind::usage, label, "points to " + commit.hex() + ", which is not in this clone",
                "fetch it again: git fetch --refetch");
  }
  tree = object->tree;
  reader.emplace(objects, tree, label, options, keyring);
  verify_newest();
}

void Ledger::State::verify_newest() {
  const std::string subject = label + ":" + kNewestFile, heads_subject = label + ":" + kHeadsFile;
  newest = read_entry(reader->file(kNewestFile), options, keyring, subject);
  const Record& record = newest.record;
  check_not_future(record, std::time(nullptr), subject);
  const Bytes heads = reader->file(kHeadsFile);
  if (digest_of(heads) != record.heads)
    throw Error(ErrorKind::untrusted, heads_subject, "is not what the newest record attests", kRewritten);
  before.heads = heads_from(text_of(heads), heads_subject);

  // The record before it is the last of its kernel, if it has a number below this one's.
  before.sequence = record.sequence;
  for (const auto& [kernel, head] : before.heads) {
    if (head.sequence != record.sequence - 1) continue;
    before.previous = head.digest;
    before.previous_time = reader->record(kernel, reader->find(kernel, head.sequence), head.digest).time;
  }
  check_place(record, before, subject);
  const auto same = reader->find(kNewestFile);
  for (const std::string& kernel : {record.kernel, origin_of(record)}) {
    const auto blob = reader->find(record_path(kernel, record.sequence));
    if (blob && blob == same) continue;
    throw Error(ErrorKind::untrusted, reader->subject(kernel, record.sequence),
                fmt::format("is {}, and is the newest record by {}", blob ? "another" : "missing", kNewestFile),
                kRewritten);
  }
  next = before;
  advance(next, record, newest.digest);
}

void Ledger::State::require(std::int64_t sequence, const std::string& digest, const std::string& who) const {
  const std::string remedy = fmt::format(
      "{}; where that changes nothing, the branch was rolled back: have it restored, docs/ledger.md says how",
      fetch_command(options));
  const auto refuse = [&](const std::string& subject, const std::string& fact, const std::string& what_to_do) {
    throw Error(ErrorKind::untrusted, subject, fact, what_to_do);
  };
  if (!reader) refuse(label, fmt::format("is not in this clone, and {} wants record {} of it", who, sequence), remedy);
  if (newest.record.sequence < sequence)
    refuse(label, fmt::format("ends with record {}, and {} wants record {}", newest.record.sequence, who, sequence),
           remedy);
  for (const auto& [kernel, head] : next.heads) {
    if (head.digest == digest && head.sequence == sequence) return;
  }
  // Its kernel is not known: the folders are asked one after the other.
  for (const auto& [kernel, head] : next.heads) {
    const auto blob = head.sequence < sequence ? std::nullopt : reader->find(record_path(kernel, sequence));
    if (!blob) continue;
    const std::string found = reader->digest(kernel, {sequence, *blob});
    if (found == digest) return;
    refuse(reader->subject(kernel, sequence), fmt::format("has the digest {}, and {} wants {}", found, who, digest),
           "it is another ledger, or its history was rewritten: have it restored, docs/ledger.md says how");
  }
  refuse(label, fmt::format("record {} is missing, and {} wants it", sequence, who), kRewritten);
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

std::string Ledger::time() const {
  return state_->newest.record.time;
}

std::vector<std::string> Ledger::kernels() const {
  std::vector<std::string> alive;
  for (const auto& [kernel, head] : state_->next.heads) {
    if (!head.ended) alive.push_back(kernel);
  }
  return alive;
}

std::vector<std::string> Ledger::all_kernels() const {
  std::vector<std::string> all;
  for (const auto& [kernel, head] : state_->next.heads) all.push_back(kernel);
  return all;
}

void Ledger::records(const std::string& kernel, const std::function<bool(const LedgerEntry&)>& next) const {
  const auto head = state_->next.heads.find(kernel);
  if (head == state_->next.heads.end()) return;
  const LedgerReader& reader = *state_->reader;
  std::string name = kernel, digest = head->second.digest, later = state_->newest.record.time;
  RecordFile file = reader.find(kernel, head->second.sequence);
  std::optional<KernelFolder> folder;  // read when the second record is wanted
  while (true) {
    LedgerEntry entry = reader.entry(name, file, digest);
    const Record& record = entry.record;
    const std::string subject = reader.subject(name, file.sequence);
    const auto refuse = [&](const std::string& fact) { throw Error(ErrorKind::untrusted, subject, fact, kRewritten); };
    if (record.kernel != name && record.renamed_from != name)
      refuse(fmt::format("is a record of \"{}\", and lies in the folder of \"{}\"", record.kernel, name));
    if (record.sequence != file.sequence)
      refuse(fmt::format("is record {} by its own word, not {}", record.sequence, file.sequence));
    if (record.time > later) refuse(fmt::format("is dated {}, after records that came later", record.time));
    entry.ended = ends(record, name);
    if (!next(entry)) return;

    if (!folder || folder->kernel != origin_of(record)) folder = reader.folder(origin_of(record));
    const RecordFile* const before = folder ? folder->last_before(record.sequence) : nullptr;
    if ((before == nullptr) != record.kernel_previous.empty()) {
      refuse(before == nullptr ? fmt::format("goes on from a record of \"{}\" that is not there", origin_of(record))
                               : fmt::format("is the first of \"{}\" by its own word, and record {} is there",
                                             origin_of(record), before->sequence));
    }
    if (before == nullptr) return;
    name = folder->kernel;
    file = *before;
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
  if (!state_->reader)
    throw Error(ErrorKind::untrusted, state_->label, "is not in this clone", fetch_command(state_->options));
  return state_->reader->object(digest);
}

}  // namespace kgate::trust
