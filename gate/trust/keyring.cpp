#include "gate/trust/keyring.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "gate/trust/untrusted.h"

// A signature counts when a key of the policy made it, with the right role, on a day on which the key holds. The rest
// of this file is about saying exactly which of these failed: "bad signature" helps nobody.
namespace kgate::trust {
namespace {

constexpr std::uint64_t kMaxKeyFile = 64u << 10;

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, ", "));
}

bool has(const TrustedKey& key, const std::string& role) {
  return std::find(key.roles.begin(), key.roles.end(), role) != key.roles.end();
}

// Why a signature by this key does not count for the role on that day; empty where it does. Days are in the order of
// their letters.
std::string objection(const TrustedKey& key, const std::string& role, const std::string& day) {
  if (!has(key, role)) {
    return fmt::format("{} has the role{} {}, not {}", key.file, key.roles.size() == 1 ? "" : "s", joined(key.roles),
                       role);
  }
  if (key.not_before && day < *key.not_before) {
    return fmt::format("{} is valid from {}, and this is about {}", key.file, *key.not_before, day);
  }
  if (key.not_after && day > *key.not_after) {
    return fmt::format("{} was valid until {}, and this is about {}", key.file, *key.not_after, day);
  }
  return {};
}

std::string remedy_for(const std::string& role, const std::vector<TrustedKey>& keys, const std::string& day) {
  std::vector<std::string> able;
  for (const TrustedKey& key : keys) {
    if (objection(key, role, day).empty()) able.push_back(key.file);
  }
  if (able.empty()) {
    return fmt::format("add a [[key]] with roles = [\"{}\"] to .kgate/policy.toml, and merge that first", role);
  }
  return fmt::format("have it signed with {}", fmt::join(able, " or "));
}

}  // namespace

Keyring::Keyring(std::vector<TrustedKey> keys, std::map<std::string, std::int64_t> thresholds)
    : keys_(std::move(keys)), thresholds_(std::move(thresholds)) {}

Keyring Keyring::read(const Policy& policy, const FileTree& tree) {
  std::vector<TrustedKey> keys;
  for (const Key& named : policy.keys) {
    const std::string path = join_beneath(".kgate", named.file);
    const auto pem = untrusted_where("put an Ed25519 public key there", [&] { return tree.read(path, kMaxKeyFile); });
    if (!pem) {
      throw Error(ErrorKind::untrusted, path,
                  fmt::format("is named by the policy and missing in {}", tree.description()),
                  "commit the public key, or take its [[key]] out of .kgate/policy.toml");
    }
    PublicKey key = PublicKey::from_pem(text_of(*pem), path);
    for (const TrustedKey& other : keys) {
      if (other.key.id() == key.id()) {
        throw Error(ErrorKind::untrusted, path, fmt::format("is the same key as {}", other.file),
                    "name each key once, with all its roles");
      }
    }
    keys.push_back({std::move(key), named.file, named.roles, named.not_before, named.not_after});
  }
  return {std::move(keys), policy.thresholds};
}

std::vector<std::string> Keyring::verify(const Envelope& envelope, const std::string& role, const std::string& day,
                                         const std::string& subject) const {
  const Bytes signed_text = pre_authentication_encoding(envelope.payload_type, envelope.payload);
  std::vector<bool> signed_by(keys_.size());
  std::vector<std::string> changed;  // keys that a signature names, which does not hold
  for (const EnvelopeSignature& signature : envelope.signatures) {
    // The hinted key first: nearly always it is the one, and the others need not be tried.
    std::size_t signer = keys_.size();
    const auto hinted = static_cast<std::size_t>(
        std::find_if(keys_.begin(), keys_.end(), [&](const auto& key) { return key.key.id() == signature.keyid; }) -
        keys_.begin());
    const auto holds = [&](std::size_t i) { return keys_[i].key.verifies(signed_text, signature.value); };
    if (hinted < keys_.size() && holds(hinted)) signer = hinted;
    for (std::size_t i = 0; i < keys_.size() && signer == keys_.size(); ++i) {
      if (i != hinted && holds(i)) signer = i;
    }
    if (signer < keys_.size()) {
      signed_by[signer] = true;
    } else if (hinted < keys_.size()) {
      changed.push_back(keys_[hinted].file);
    }
  }

  std::vector<std::string> counted, objections;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!signed_by[i]) continue;
    const std::string why = objection(keys_[i], role, day);
    if (why.empty()) {
      counted.push_back(keys_[i].file);
    } else {
      objections.push_back(why);
    }
  }
  const auto wanted = thresholds_.find(role);
  const auto needed =
      static_cast<std::size_t>(wanted == thresholds_.end() ? 1 : std::max<std::int64_t>(wanted->second, 1));
  if (counted.size() >= needed) return counted;

  const auto refuse = [&](const std::string& fact, const std::string& remedy) {
    return Error(ErrorKind::untrusted, subject, fact, remedy);
  };
  if (!has_role(role)) {
    throw refuse(fmt::format("no key of the policy has the role {}", role), remedy_for(role, keys_, day));
  }
  if (!counted.empty()) {
    std::string fact = fmt::format("{} distinct keys with the role {} must sign, and {} did ({})", needed, role,
                                   counted.size(), joined(counted));
    for (const std::string& why : objections) fact += "; " + why;
    throw refuse(fact, remedy_for(role, keys_, day));
  }
  if (!objections.empty()) {
    throw refuse("its signature does not count: " + fmt::format("{}", fmt::join(objections, "; ")),
                 remedy_for(role, keys_, day));
  }
  if (!changed.empty()) {
    throw refuse(fmt::format("was changed after it was signed: the signature of {} does not hold", joined(changed)),
                 "restore what was signed, or have it signed anew");
  }
  throw refuse("no key that the policy knows has signed it", remedy_for(role, keys_, day));
}

const TrustedKey* Keyring::find(const PublicKey& key) const {
  for (const TrustedKey& known : keys_) {
    if (known.key.id() == key.id()) return &known;
  }
  return nullptr;
}

void Keyring::require(const PublicKey& key, const std::string& role, const std::string& day) const {
  const std::string subject = fmt::format("signing key {:.16}", key.id());
  const TrustedKey* known = find(key);
  if (known == nullptr) {
    throw Error(ErrorKind::untrusted, subject, "the policy does not know it",
                fmt::format("commit its public half below .kgate/keys with a [[key]] with roles = [\"{}\"] in "
                            ".kgate/policy.toml, and merge that first",
                            role));
  }
  const std::string why = objection(*known, role, day);
  if (!why.empty()) throw Error(ErrorKind::untrusted, subject, why, remedy_for(role, keys_, day));
}

bool Keyring::has_role(const std::string& role) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const TrustedKey& key) { return has(key, role); });
}

}  // namespace kgate::trust
