#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/trust/dsse.h"
#include "gate/trust/keyring.h"
#include "gate/trust/statement.h"

// Rotation: how the policy's keys came to be the ones they are (docs/signing.md, "Key sets"). A team that wants it
// keeps
// `.kgate/keys/set-0001.dsse`, `set-0002.dsse` ... beside its keys, each signed by the keys before it.
namespace kgate::trust {

constexpr const char* kKeysPredicate = "https://kgate.dev/keys/v1";

struct KeySet {
  std::int64_t version = 0;  // from 1
  std::string previous;      // SHA-256 of the envelope before, "sha256:..."; empty in the first
  std::vector<TrustedKey> keys;
  std::map<std::string, std::int64_t> thresholds;
};

// Subjects are the key files, as the policy names them. The predicate holds their PEM too: files of keys that have gone
// need not be kept.
Statement to_statement(const KeySet& set);
KeySet key_set_from(const Statement& statement, const std::string& subject);

// One link of the chain, as it was read.
struct SignedKeySet {
  KeySet set;
  std::string path;    // ".kgate/keys/set-0002.dsse"
  std::string digest;  // of the envelope's bytes, "sha256:..."
  Envelope envelope;
  std::vector<std::string> missing;  // whose signatures it still needs, in words; empty: it holds
};

std::string key_set_path(std::int64_t version);

// Whose signatures `envelope` still needs to be the set after `before` (null: the first one). A set is signed by every
// key that is new in it, which proves that its owner is there, and by as many keys of the set before, whatever their
// roles, as that set's highest threshold: what asks for two people is not changed by one.
std::vector<std::string> missing_signatures(const Envelope& envelope, const KeySet& set, const KeySet* before);

// The chain in this tree, oldest first; empty where there is none. Throws Error(untrusted, subject, fact, remedy) for
// gaps, names that are none, statements and digests that do not hold, and for every set but the last that lacks a
// signature: the last one may be on its way from one owner to the next.
std::vector<SignedKeySet> read_key_sets(const FileTree& tree);

// Where the tree has key sets: throws Error(untrusted) unless the last one holds and says exactly these keys and
// thresholds.
void check_key_sets(const FileTree& tree, const std::vector<TrustedKey>& keys,
                    const std::map<std::string, std::int64_t>& thresholds);

// What of the policy a set does not say; nothing where they are the same. "keys/b.pub.pem is new"
std::optional<std::string> difference(const KeySet& set, const std::vector<TrustedKey>& keys,
                                      const std::map<std::string, std::int64_t>& thresholds);

}  // namespace kgate::trust
