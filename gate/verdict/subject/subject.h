#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "base/json.h"
#include "gate/cases/case_spec.h"
#include "gate/cases/kernel_spec.h"
#include "gate/trust/ledger.h"
#include "gate/trust/policy.h"
#include "gate/verdict/subject/counted_cases.h"
#include "runner/job.h"

namespace kgate::verdict {

// One version of a kernel: what it declares and the bytes of the files that it declares.
struct Version {
  cases::KernelSpec spec;
  std::string toml;  // kernel.toml's text
  std::map<std::string, Bytes> files;
  std::string digest;  // SHA-256 over kernel.toml and the files
};

// A version that an approver accepted, from the ledger.
struct AcceptedVersion {
  std::string against;  // "accepted" or "last-release"
  Version version;
  std::int64_t sequence = 0;
  std::string commit, device_class;                  // of the source, of the machine that measured it
  std::string release;                               // "v1.4"; empty: none
  std::vector<std::string> signers;                  // of the record: key files
  std::string cases_digest;                          // "sha256:...": of the cases that it was measured with
  std::shared_ptr<const runner::Compiled> recorded;  // its machine code, where that runs here; null: compile it anew
  std::optional<trust::Measurement> measured;        // on this GPU's like; nothing: only on others
  Json fingerprint;                                  // of the machine that measured it; null: not known
};

// One kernel of a run. What is right (cases) comes from the base commit where the base knows the kernel, or from
// whoever signed a higher revision; what is judged from the working tree.
struct Subject {
  std::string name, path;  // identity (cases.toml), kernel.toml's path
  cases::CasesSpec cases;
  std::string cases_digest;
  std::vector<std::string> cases_signers;      // key files; empty: not signed
  std::shared_ptr<const FileTree> cases_tree;  // where references, data and expected outputs are read
  Version candidate;
  std::optional<Version> base;
  std::vector<AcceptedVersion> accepted;
  std::string renamed_from;  // the base's kernel that goes on as this one, and is what it is compared with; empty: none
  std::string ledger_name;   // whose records are its own; empty: no version of it was accepted
  std::string preapproved;   // why its content may be slower: an approver has accepted it; empty: nobody has
  std::vector<std::string> warnings;
};

// A kernel that is not judged, and why not.
struct Excluded {
  std::string name, path, reason;
};

struct Suite {
  std::vector<Subject> subjects;    // by name
  std::vector<Excluded> untrusted;  // whose cases do not hold
  std::vector<Excluded> vanished;   // that the base or the ledger has and the working tree has not
  std::vector<std::string> notes;   // "kernel \"old\" was retired by record 12"
};

struct SuiteOptions {
  std::shared_ptr<const FileTree> working, base;  // base: the version to compare with; may be null
  std::shared_ptr<const FileTree> target;         // the policy's commit, newer than the base; null: it is the base
  std::string target_name;                        // for messages, as base_name
  std::string base_name;                          // for messages: "1a2b3c4d5e (origin/main)"
  bool unsigned_passes = false;  // whatever the policy says of cases without a signature: who checks at a desk
  bool base_decides = true;      // false outside CI without a ref: cases of the working tree count, with a warning
  const trust::Policy* policy = nullptr;
  const trust::Keyring* keyring = nullptr;
  const trust::Ledger* ledger = nullptr;  // null: none is asked
  std::string day;                        // today, for the dates of keys
  std::vector<std::string> selection;     // names or patterns; empty: all
  std::string renamed_from;  // the kernel that the only selected one goes on from, by who is about to accept that
  // Of a shard: the kernels of the working tree that are its own; nothing: all. What is gone the first shard tells.
  std::optional<std::set<std::string>> own;
  bool tells_gone = true;
};

// Finds, selects and reads the kernels; what the ledger has accepted of them is left to add_accepted. Throws
// Error(missing) where nothing is there or nothing was selected (with the nearest name), Error(untrusted) for two
// kernels of one name, Error(usage) for files that do not hold, for options and tokens that the policy forbids.
Suite read_suite(const SuiteOptions& options);

// One version of a kernel from wherever its files are.
Version read_version(const FileTree& tree, const std::string& path);
// One that is to be judged. Throws Error(usage) for options and tokens that the policy forbids.
Version read_candidate(const FileTree& tree, const std::string& path, const trust::Policy& policy);

// The kernels of a tree, by name. Throws Error(untrusted) for two of one name: the name is whose record a version is
// measured against.
struct FoundKernel {
  std::string path;
  CasesFile cases;
};
std::map<std::string, FoundKernel> find_kernels(const FileTree& tree, const trust::Policy& policy);

// Whether a name fits one of the names or patterns that were typed; all do where none was.
bool is_selected(const std::string& name, const std::vector<std::string>& selection);

// The kernel.toml files of a tree, sorted, each once; and the cases.toml beside one.
std::vector<std::string> kernel_files(const FileTree& tree, const std::vector<std::string>& patterns);
std::string cases_beside(const std::string& kernel_path);
CasesFile read_cases(const FileTree& tree, const std::string& kernel_path);

}  // namespace kgate::verdict
