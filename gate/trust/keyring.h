#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "gate/trust/dsse.h"
#include "gate/trust/key.h"
#include "gate/trust/policy.h"

namespace kgate::trust {

struct TrustedKey {
  PublicKey key;
  std::string file;                                  // as the policy names it: "keys/release.pub.pem"
  std::vector<std::string> roles;                    // "cases", "accept", "history"
  std::optional<std::string> not_before, not_after;  // "2027-12-31", both days included, UTC
};

// The keys that a policy names, read from the tree that it came from. Throws Error(untrusted, ".kgate/keys/x.pub.pem",
// ...) for a file that is missing or no Ed25519 public key, and where one key stands there twice.
std::vector<TrustedKey> read_keys(const Policy& policy, const FileTree& tree);

// Whose signature counts for what: the policy's keys, read from the tree that the policy came from.
class Keyring {
 public:
  Keyring() = default;
  Keyring(std::vector<TrustedKey> keys, std::map<std::string, std::int64_t> thresholds);
  // As read_keys; where the tree has key sets (key_set.h), throws too unless the newest one holds and is this policy's.
  static Keyring read(const Policy& policy, const FileTree& tree);

  // The files of the distinct keys that signed, at least as many as the role's threshold. `day`: when the signature has
  // to hold, "2026-11-29". Throws Error(untrusted, subject, fact, remedy) that tells apart: no key has the role; signed
  // by a key that the policy does not know, that has another role, that is not valid yet or no longer; the text was
  // changed after it was signed (the hint names a known key, whose signature it is not); too few distinct keys.
  std::vector<std::string> verify(const Envelope& envelope, const std::string& role, const std::string& day,
                                  const std::string& subject) const;

  // The distinct keys that made a signature of the envelope, whatever their roles and dates.
  std::vector<const TrustedKey*> signers(const Envelope& envelope) const;

  // The files of the keys whose signature for the role, on that day, would count and is not there yet.
  std::vector<std::string> others_for(const Envelope& envelope, const std::string& role, const std::string& day) const;

  // The trusted key with this public half, if any.
  const TrustedKey* find(const PublicKey& key) const;
  // Throws Error(untrusted) where signing with this key would not count: unknown, another role, not valid on `day`.
  void require(const PublicKey& key, const std::string& role, const std::string& day) const;
  bool has_role(const std::string& role) const;
  std::size_t threshold_of(const std::string& role) const;  // 1 where the policy says nothing
  const std::vector<TrustedKey>& keys() const { return keys_; }

 private:
  std::vector<TrustedKey> keys_;
  std::map<std::string, std::int64_t> thresholds_;
};

}  // namespace kgate::trust
