#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/trust/ledger.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_state.h"

// A branch that was rolled back as a whole holds by itself. A clone that has seen a later record can tell, so what it
// had is compared with what comes, and kept where the two disagree: the alarm stays until somebody decides.
namespace kgate::trust {
namespace {

// What this clone has seen: the newest record. Nothing where that itself is no ledger.
std::optional<LedgerEntry> newest_in(const GitObjects& objects, const ObjectName& commit, const std::string& label,
                                     const LedgerOptions& options, const Keyring& keyring) {
  try {
    Ledger::State state(objects, options, keyring);
    state.open_at(commit, label);
    return state.newest;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    return std::nullopt;
  }
}

// Whether that record is still there.
bool has(const GitObjects& objects, const ObjectName& commit, const LedgerEntry& seen) {
  const auto object = objects.commit(commit);
  if (!object) return false;
  const std::string path = record_path(seen.record.kernel, seen.record.sequence);
  const auto file = objects.find(object->tree, path);
  return file && file->kind == EntryKind::file &&
         digest_of(objects.blob(file->object, kMaxEnvelope, path)) == seen.digest;
}

}  // namespace

Ledger fetch_ledger(const Repository& repository, const GitProgram& git, const LedgerOptions& options,
                    const Keyring& keyring) {
  if (options.remote.empty() || !git.has_remote(options.remote)) {
    LedgerOptions local = options;
    local.remote.clear();
    return Ledger::open(repository, local, keyring);
  }
  const GitObjects objects(repository.opened());
  const std::string label = options.remote + "/" + options.branch;
  const std::string tracking = "refs/remotes/" + label;
  const auto before = objects.commit_at(tracking);
  const auto seen = before ? newest_in(objects, *before, label, options, keyring) : std::nullopt;
  const auto head = git.remote_head(options.remote, options.branch);
  if (!head && before) {
    throw Error(
        ErrorKind::untrusted, label, "was deleted at " + options.remote + ", and this clone has it",
        fmt::format(
            "to restore it: git push {0} {1}:refs/heads/{2}; where it was deleted on purpose: git update-ref -d {1}",
            options.remote, tracking, options.branch));
  }
  if (head && (!before || before->hex() != *head)) git.fetch(options.remote, options.branch);

  const auto now = objects.commit_at(tracking);
  if (seen && now && *now != *before && !has(objects, *now, *seen)) {
    git.move(tracking, before->hex(), now->hex());
    throw Error(
        ErrorKind::untrusted, label,
        fmt::format("record {}, which this clone has seen, is no longer in it: the branch was rolled back or rewritten",
                    seen->record.sequence),
        fmt::format("this clone keeps what it had; to restore that: git push --force {0} {1}:refs/heads/{2}; where the "
                    "branch was reset on purpose: git update-ref -d {1}",
                    options.remote, tracking, options.branch));
  }
  return Ledger::open(repository, options, keyring);
}

}  // namespace kgate::trust
