#include <algorithm>
#include <chrono>
#include <ctime>
#include <optional>
#include <random>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/trust/dsse.h"
#include "gate/trust/ledger.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_state.h"
#include "gate/trust/push_remedy.h"

// Problem: several jobs append at once, and a record names the one before it, so none can be merged after the fact.
// Choice: optimistic. The record is chained to the tip that was just verified, signed, and pushed on condition that the
// branch is still at that tip; who was slower fetches, chains and signs anew. What is written is read back as a reader
// would before anybody else sees it. Rejected: a lock (a job that dies holds it); git's merge (two records with one
// number); signing without the place in the chain (then records could be moved about).
namespace kgate::trust {
namespace {

using std::chrono::milliseconds;

constexpr milliseconds kShortestPause{100}, kLongestPause{5000}, kHeldPause{1000};

[[noreturn]] void refuse(const std::string& subject, const std::string& fact, const std::string& remedy) {
  throw Error(ErrorKind::usage, subject, fact, remedy);
}

class Appender {
 public:
  Appender(const Repository& repository, const GitProgram& git, const Keyring& keyring, const AppendOptions& options)
      : repository_(repository), git_(git), keyring_(keyring), options_(options.ledger), attempts_(options.attempts) {
    remote_ = options.push && !options_.remote.empty() && git.has_remote(options_.remote);
  }

  LedgerEntry append(const Draft& draft, const Sign& sign) const {
    std::mt19937 random(std::random_device{}());
    milliseconds pause = kShortestPause;
    std::optional<std::string> held_at;
    for (int attempt = 1;; ++attempt) {
      const Ledger ledger = open();
      check_sense(ledger, draft.record);
      const Record record = chained(draft.record, ledger.state());
      LedgerEntry entry{record, "", {}};
      const ObjectName commit = write(ledger.state(), draft, sign, entry);
      const GitProgram::Pushed pushed = publish(ledger, commit);
      if (pushed == GitProgram::Pushed::yes) return entry;
      if (pushed == GitProgram::Pushed::held) {
        // Who holds it and writes moves the branch; where it stays, nobody writes.
        if (held_at == ledger.commit()) {
          throw Error(ErrorKind::environment, options_.branch, "cannot be written: " + pushed.reason,
                      push_remedy(pushed.reason, options_.branch, remote_ ? options_.remote : "this clone"));
        }
        held_at = ledger.commit();
        git_.pause(kHeldPause);
      }
      if (attempt >= attempts_) {
        throw Error(ErrorKind::environment, options_.branch,
                    fmt::format("other writers were faster {} times", attempts_), "try again");
      }
      const auto most = static_cast<int>(pause.count());
      git_.pause(milliseconds(std::uniform_int_distribution<int>(most / 2, most)(random)));
      pause = std::min(pause * 2, kLongestPause);
    }
  }

 private:
  std::string local_ref() const { return "refs/heads/" + options_.branch; }
  std::string tracking_ref() const { return "refs/remotes/" + options_.remote + "/" + options_.branch; }

  Ledger open() const {
    if (remote_) return fetch_ledger(repository_, git_, options_, keyring_);
    // The local branch counts, and begins where the remote's is known to be.
    LedgerOptions local = options_;
    if (GitObjects(repository_.opened()).commit_at(local_ref())) local.remote.clear();
    return Ledger::open(repository_, local, keyring_);
  }

  // Compare and swap.
  GitProgram::Pushed publish(const Ledger& ledger, const ObjectName& commit) const {
    const GitObjects& objects = ledger.state().objects;
    if (!remote_) {
      const auto local = objects.commit_at(local_ref());
      if (local && local->hex() != ledger.commit()) return GitProgram::Pushed::moved;
      return git_.move(local_ref(), commit.hex(), local ? local->hex() : "");
    }
    const auto tracked = objects.commit_at(tracking_ref());
    const std::string expected = tracked ? ledger.commit() : "";
    GitProgram::Pushed pushed = git_.push(options_.remote, options_.branch, commit.hex(), expected);
    if (!(pushed == GitProgram::Pushed::yes)) return pushed;
    // A push moves this too where the remote's refspec covers it; a clone of one branch has another.
    const auto now = objects.commit_at(tracking_ref());
    if (!now || *now != commit) git_.move(tracking_ref(), commit.hex(), now ? now->hex() : "");
    return pushed;
  }

  Record chained(const Record& draft, const Ledger::State& state) const {
    Record record = draft;
    const Place& place = state.next;
    record.sequence = place.sequence;
    record.previous = place.previous;
    record.kernel_previous = kernel_previous_in(place.heads, record);
    record.heads = digest_of(view_of(heads_text(place.heads)));
    if (record.time.empty()) record.time = utc_time(std::time(nullptr));
    record.time = std::max(record.time, place.previous_time);
    return record;
  }

  // Signs the record and makes its commit; `entry` gets digest and signers.
  ObjectName write(const Ledger::State& state, const Draft& draft, const Sign& sign, LedgerEntry& entry) const {
    const Record& record = entry.record;
    const std::string subject = fmt::format("record {} of {}", record.sequence, record.kernel);
    Envelope envelope = wrap(to_statement(record, options_.predicate));
    const Bytes payload = envelope.payload;
    sign(envelope);
    const Bytes text = bytes_of(write_envelope(envelope));
    const Envelope read = parse_envelope(text_of(text), subject);
    if (read.payload != payload || read.payload_type != kInTotoPayload)
      throw Error(ErrorKind::internal, subject, "was changed by who was to sign it");
    const Record written = record_from(unwrap(read, options_.predicate, subject), subject);
    entry.signers = keyring_.verify(read, options_.role, record.time.substr(0, 10), subject);
    check_place(written, state.next, subject);
    check_not_future(written, std::time(nullptr), subject);
    entry.digest = digest_of(text);

    GitObjects::NewCommit commit;
    commit.parent = state.tip;
    commit.time = std::time(nullptr);
    commit.message = fmt::format("{}: record {}\n", record.kernel, record.sequence);
    commit.files[kNewestFile] = text;
    commit.files[kHeadsFile] = bytes_of(heads_text(state.next.heads));
    commit.files[record_path(record.kernel, record.sequence)] = text;
    if (!record.renamed_from.empty()) commit.files[record_path(record.renamed_from, record.sequence)] = text;
    for (const std::string& digest : objects_of(record)) {
      const auto given = draft.objects.find(digest);
      if (given == draft.objects.end()) {
        if (!state.reader)
          throw Error(ErrorKind::internal, subject, "names an object that it does not bring: " + digest);
        state.reader->object(digest);  // is there, and whole
        continue;
      }
      if (digest_of(given->second) != digest)
        throw Error(ErrorKind::internal, subject, "brings an object that has not the digest " + digest);
      commit.files[object_path(digest)] = given->second;
    }
    return state.objects.write(commit);
  }

  const Repository& repository_;
  const GitProgram& git_;
  const Keyring& keyring_;
  const LedgerOptions& options_;
  const int attempts_;
  bool remote_ = false;
};

}  // namespace

void check_sense(const Ledger& ledger, const Record& record) {
  const auto must_be_alive = [&](const std::string& kernel, const char* verb) {
    const std::string subject = fmt::format("kernel \"{}\"", kernel);
    const auto head = ledger.head(kernel);
    if (!head) {
      throw Error(ErrorKind::missing, subject, fmt::format("is not in the ledger, and cannot be {}", verb),
                  "see kgate log");
    }
    if (!head->ended) return;
    const Record& last = head->record;
    if (last.retired)
      refuse(subject, fmt::format("was retired by record {}, and cannot be {}", last.sequence, verb), "see kgate log");
    refuse(subject, fmt::format("goes on as \"{}\" since record {}", last.kernel, last.sequence), "name that one");
  };
  if (record.retired) must_be_alive(record.kernel, "retired");
  if (!record.renamed_from.empty()) {
    must_be_alive(record.renamed_from, "renamed");
    const auto head = ledger.head(record.kernel);
    if (head && !head->ended)
      refuse(fmt::format("kernel \"{}\"", record.kernel),
             "is in the ledger, and no other kernel can go on under its name", "take another name, or retire it first");
  }
  if (record.release.empty()) return;
  ledger.records(origin_of(record), [&](const LedgerEntry& entry) {
    if (entry.record.release == record.release) {
      refuse(fmt::format("release \"{}\" of {}", record.release, record.kernel),
             fmt::format("is record {} already", entry.record.sequence), "take another name for it, or none");
    }
    return true;
  });
}

LedgerEntry append(const Repository& repository, const GitProgram& git, const Keyring& keyring,
                   const AppendOptions& options, const Draft& draft, const Sign& sign) {
  return Appender(repository, git, keyring, options).append(draft, sign);
}

}  // namespace kgate::trust
