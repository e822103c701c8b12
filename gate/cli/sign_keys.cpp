#include <algorithm>
#include <iostream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"
#include "gate/trust/key_set.h"
#include "gate/trust/policy.h"
#include "gate/trust/repository.h"

// The owners of keys are seldom in one room: the first one makes the next set, each of the others adds a signature to
// the file as it comes to them, and a set that lacks one counts for nothing. Made from the working tree, since it is
// merged together with the policy that it is about.
namespace kgate::cli {
namespace {

constexpr const char* kPolicyPath = ".kgate/policy.toml";
constexpr std::uint64_t kMaxPolicy = 1u << 20;

trust::Policy read_policy(const FileTree& tree) {
  const auto text = tree.read(kPolicyPath, kMaxPolicy);
  if (!text) {
    throw Error(ErrorKind::usage, kPolicyPath, "is not in " + tree.description(),
                "a key set is about the policy's keys: write one first");
  }
  trust::Policy policy = trust::parse_policy(text_of(*text), kPolicyPath);
  if (policy.keys.empty()) {
    throw Error(ErrorKind::usage, kPolicyPath, "names no keys", "add a [[key]]; kgate keygen NAME makes one");
  }
  return policy;
}

// A set on its way: what is to be signed, and the set that it follows.
struct Draft {
  trust::KeySet set;
  trust::Envelope envelope;
  const trust::KeySet* before = nullptr;
  bool begun = false;  // others signed it already
};

Draft draft_of(const std::vector<trust::SignedKeySet>& chain, trust::KeySet wanted) {
  const bool open = !chain.empty() && !chain.back().missing.empty();
  const std::size_t settled = chain.size() - (open ? 1 : 0);
  Draft draft;
  if (settled > 0) draft.before = &chain[settled - 1].set;
  if (open && !trust::difference(chain.back().set, wanted.keys, wanted.thresholds)) {
    draft.set = chain.back().set;
    draft.envelope = chain.back().envelope;
    draft.begun = true;
    return draft;
  }
  wanted.version = static_cast<std::int64_t>(settled) + 1;
  if (settled > 0) wanted.previous = chain[settled - 1].digest;
  draft.envelope = trust::wrap(trust::to_statement(wanted));
  draft.set = std::move(wanted);
  return draft;
}

bool has_key(const trust::KeySet& set, const trust::PublicKey& key) {
  return std::any_of(set.keys.begin(), set.keys.end(), [&](const auto& one) { return one.key.id() == key.id(); });
}

void print(const Draft& draft, const std::vector<std::string>& missing) {
  std::string text;
  for (const trust::TrustedKey& key : draft.set.keys) {
    text += fmt::format("  {}: {}{}{}, id {:.16}\n", key.file, fmt::join(key.roles, ", "),
                        key.not_before ? ", from " + *key.not_before : "",
                        key.not_after ? ", until " + *key.not_after : "", key.key.id());
  }
  for (const auto& [role, threshold] : draft.set.thresholds) text += fmt::format("  {} needs {}\n", role, threshold);
  if (missing.empty()) {
    text += "It has all the signatures that it needs: commit it together with the policy.\n";
  } else {
    text += fmt::format("It still needs signatures: {}. Each of their owners: kgate sign --keys --key FILE\n",
                        fmt::join(missing, ", "));
  }
  std::cout << report::neutral(text);
}

}  // namespace

ExitCode sign_keys(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (!arguments.sign_keys || !arguments.names.empty()) {
    throw Error(ErrorKind::usage, "kgate sign --keys", "signs the policy's keys and no kernels",
                "leave the kernels out; to sign their cases leave --keys out");
  }
  const auto repository = trust::Repository::open(arguments.repo);
  const std::filesystem::path root = repository.root();
  const auto working = repository.working_tree();
  const FileTree& tree = *working;
  const trust::Policy policy = read_policy(tree);
  trust::KeySet wanted;
  wanted.keys = trust::read_keys(policy, tree);
  std::sort(wanted.keys.begin(), wanted.keys.end(), [](const auto& a, const auto& b) { return a.file < b.file; });
  wanted.thresholds = policy.thresholds;

  const auto chain = trust::read_key_sets(tree);
  if (!chain.empty() && chain.back().missing.empty() &&
      !trust::difference(chain.back().set, wanted.keys, wanted.thresholds)) {
    std::cout << fmt::format("{} has the policy's keys and all the signatures that it needs\n", chain.back().path);
    return ExitCode::pass;
  }
  Draft draft = draft_of(chain, std::move(wanted));
  const std::string path = trust::key_set_path(draft.set.version);
  const auto key = signing_key(arguments, invocation.surroundings);
  const auto half = key.public_key();
  if (!has_key(draft.set, half) && (draft.before == nullptr || !has_key(*draft.before, half))) {
    throw Error(ErrorKind::untrusted, fmt::format("signing key {:.16}", half.id()),
                fmt::format("is neither in {} nor in the set before it", path),
                "sign with a key that the policy names, or named before");
  }
  trust::add_signature(draft.envelope, key);
  write_file_atomic(root / path, trust::write_envelope(draft.envelope));
  std::cout << fmt::format("{}: {} {}\n", path, draft.begun ? "signed, as" : "made and signed, with",
                           draft.begun ? "others began it" : "the policy's keys");
  print(draft, trust::missing_signatures(draft.envelope, draft.set, draft.before));
  return ExitCode::pass;
}

}  // namespace kgate::cli
