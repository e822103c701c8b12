#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "gate/trust/git_program.h"
#include "gate/trust/keyring.h"
#include "gate/trust/ledger_record.h"
#include "gate/trust/repository.h"

// A branch of signed records (docs/ledger.md), read and written with libgit2, fetched and pushed with git.
namespace kgate::trust {

struct LedgerOptions {
  std::string branch = "kgate/ledger";
  std::string remote = "origin";  // where it does not exist, the local branch alone counts
  std::string role = "accept";    // whose signature a record needs
  std::string predicate = kAcceptedPredicate;
  std::optional<std::int64_t> at_least;  // of the policy: an older ledger is untrusted
  std::string at_least_digest;           // of the record at_least
};

struct LedgerEntry {
  Record record;
  std::string digest;                // of the envelope's bytes
  std::vector<std::string> signers;  // key files
  // It ends the kernel whose records are read: retired, or renamed, and then record.kernel is the new name. What comes
  // after it in records() was accepted before that end.
  bool ended = false;
};

// The ledger as one commit has it. What is read is verified: the newest record's signature, that it attests the heads
// of all kernels, and each record on the way from a kernel's head to the one that is asked for, by signature and by the
// digest in its successor. That costs one small file a kernel, not one a record; verify() reads everything.
// All functions throw Error(untrusted, subject, fact, remedy) for what does not hold.
class Ledger {
 public:
  // As refs/remotes/REMOTE/BRANCH has it, else refs/heads/BRANCH; empty where there is neither (untrusted with
  // at_least).
  static Ledger open(const Repository& repository, const LedgerOptions& options, const Keyring& keyring);
  Ledger(Ledger&&) noexcept;
  ~Ledger();

  std::string commit() const;     // empty: there is no ledger
  std::int64_t sequence() const;  // of the newest record; 0: none
  std::string digest() const;     // of the newest record
  std::string time() const;       // of the newest record
  // Kernels that were accepted and neither retired nor renamed since.
  std::vector<std::string> kernels() const;
  // Every kernel that was ever accepted, those that ended too.
  std::vector<std::string> all_kernels() const;
  // A kernel's records, the newest first, through renames; each verified when it is asked for. Of one that was renamed
  // the first is the record that ended it. `next` returns false to stop.
  void records(const std::string& kernel, const std::function<bool(const LedgerEntry&)>& next) const;
  std::optional<LedgerEntry> head(const std::string& kernel) const;
  // A stored file, by digest ("sha256:..."); its content has that digest.
  Bytes object(const std::string& digest) const;

  struct Totals {
    std::int64_t records = 0, objects = 0;
  };
  // Everything: each record's signature, number, chain, dates that never go back, and each object's digest.
  Totals verify(unsigned threads) const;

  // For this folder's sources.
  struct State;
  explicit Ledger(std::unique_ptr<State> state);
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<State> state_;
};

// Fetches the branch, where the repository has the remote, and opens it. Throws Error(untrusted) too where a record
// that this clone has seen is no longer in it; the clone then keeps what it had.
Ledger fetch_ledger(const Repository& repository, const GitProgram& git, const LedgerOptions& options,
                    const Keyring& keyring);

struct Draft {
  Record record;  // the chain's fields are filled in; `time`: now where it is empty, never earlier
                  // than in the record before
  std::map<std::string, Bytes> objects;  // digest -> content
};

// What nobody who saw the ledger would sign: to retire or rename what is not there, a name or a release's name that is
// taken. Throws Error(usage), and Error(missing) for a kernel that is not there.
void check_sense(const Ledger& ledger, const Record& record);

using Sign = std::function<void(Envelope&)>;

// Appends a record: fetches, checks the ledger, puts the record at its end, signs it, pushes; another writer that was
// faster is waited for with growing pauses, and the record is chained and signed anew, `attempts` times at most.
// Without a remote the local branch moves, by compare and swap too. Throws Error(environment) where it could not be
// done, Error(untrusted) where the ledger or the new signature does not hold, Error(usage) for a draft that makes no
// sense there (retires what is not there, a release's name for the second time).
struct AppendOptions {
  LedgerOptions ledger;
  int attempts = 10;
  bool push = true;  // false: the local branch alone
};
LedgerEntry append(const Repository& repository, const GitProgram& git, const Keyring& keyring,
                   const AppendOptions& options, const Draft& draft, const Sign& sign);

}  // namespace kgate::trust
