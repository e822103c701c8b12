#include "gate/trust/keyring.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "gate/trust/key_set.h"
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

struct Attribution {
  std::vector<bool> made;           // key by key: whether it made one of the signatures
  std::vector<std::string> broken;  // keys that a signature names which did not make it
};

Attribution attribute(const Envelope& envelope, const std::vector<TrustedKey>& keys) {
  const Bytes signed_text = pre_authentication_encoding(envelope.payload_type, envelope.payload);
  Attribution found{std::vector<bool>(keys.size()), {}};
  for (const EnvelopeSignature& signature : envelope.signatures) {
    const auto holds = [&](const TrustedKey& key) { return key.key.verifies(signed_text, signature.value); };
    const auto hinted =
        std::find_if(keys.begin(), keys.end(), [&](const TrustedKey& key) { return key.key.id() == signature.keyid; });
    // The hinted key first: nearly always it is the one, and the others need not be tried.
    auto signer = hinted;
    if (hinted == keys.end() || !holds(*hinted)) signer = std::find_if(keys.begin(), keys.end(), holds);
    if (signer != keys.end()) {
      found.made[static_cast<std::size_t>(signer - keys.begin())] = true;
    } else if (hinted != keys.end()) {
      found.broken.push_back(hinted->file);
    }
  }
  return found;
}

// The keys whose signature would count, less those that have `counted` already.
std::vector<std::string> able_to_sign(const std::string& role, const std::vector<TrustedKey>& keys,
                                      const std::string& day, const std::vector<std::string>& counted) {
  std::vector<std::string> able;
  for (const TrustedKey& key : keys) {
    const bool already = std::find(counted.begin(), counted.end(), key.file) != counted.end();
    if (!already && objection(key, role, day).empty()) able.push_back(key.file);
  }
  return able;
}

// `wanted`: how many signatures; `more`: others are there already.
std::string remedy_for(const std::string& role, const std::vector<std::string>& able, std::size_t wanted = 1,
                       bool more = false) {
  if (able.empty()) {
    return fmt::format("add a [[key]] with roles = [\"{}\"] to .kgate/policy.toml, and merge that first", role);
  }
  if (wanted == able.size()) return fmt::format("have it signed with {}", fmt::join(able, " and "));
  return wanted == 1 && !more
             ? fmt::format("have it signed with {}", fmt::join(able, " or "))
             : fmt::format("have it signed with {}{} of {}", wanted, more ? " more" : "", joined(able));
}

}  // namespace

Keyring::Keyring(std::vector<TrustedKey> keys, std::map<std::string, std::int64_t> thresholds)
    : keys_(std::move(keys)), thresholds_(std::move(thresholds)) {}

std::vector<TrustedKey> read_keys(const Policy& policy, const FileTree& tree) {
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
  return keys;
}

Keyring Keyring::read(const Policy& policy, const FileTree& tree) {
  std::vector<TrustedKey> keys = read_keys(policy, tree);
  check_key_sets(tree, keys, policy.thresholds);
  return {std::move(keys), policy.thresholds};
}

std::vector<const TrustedKey*> Keyring::signers(const Envelope& envelope) const {
  std::vector<const TrustedKey*> found;
  const Attribution attribution = attribute(envelope, keys_);
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (attribution.made[i]) found.push_back(&keys_[i]);
  }
  return found;
}

std::vector<std::string> Keyring::verify(const Envelope& envelope, const std::string& role, const std::string& day,
                                         const std::string& subject) const {
  const Attribution attribution = attribute(envelope, keys_);
  std::vector<std::string> counted, objections;
  for (std::size_t i = 0; i < keys_.size(); ++i) {
    if (!attribution.made[i]) continue;
    const std::string why = objection(keys_[i], role, day);
    if (why.empty()) {
      counted.push_back(keys_[i].file);
    } else {
      objections.push_back(why);
    }
  }
  const std::size_t needed = threshold_of(role);
  if (counted.size() >= needed) return counted;

  const auto refuse = [&](const std::string& fact, const std::string& remedy) {
    return Error(ErrorKind::untrusted, subject, fact, remedy);
  };
  const std::string remedy =
      remedy_for(role, able_to_sign(role, keys_, day, counted), needed - counted.size(), !counted.empty());
  if (!has_role(role)) throw refuse(fmt::format("no key of the policy has the role {}", role), remedy);
  if (!counted.empty()) {
    objections.insert(objections.begin(), fmt::format("{} distinct keys with the role {} must sign, and {} did ({})",
                                                      needed, role, counted.size(), joined(counted)));
    throw refuse(fmt::format("{}", fmt::join(objections, "; ")), remedy);
  }
  if (!objections.empty()) {
    throw refuse(fmt::format("its signature does not count: {}", fmt::join(objections, "; ")), remedy);
  }
  if (!attribution.broken.empty()) {
    throw refuse(fmt::format("the signature in the name of {} does not hold: this is not what that key signed",
                             joined(attribution.broken)),
                 "restore what was signed, or have it signed anew");
  }
  throw refuse("no key that the policy knows has signed it", remedy);
}

std::vector<std::string> Keyring::others_for(const Envelope& envelope, const std::string& role,
                                             const std::string& day) const {
  std::vector<std::string> there;
  for (const TrustedKey* key : signers(envelope)) there.push_back(key->file);
  return able_to_sign(role, keys_, day, there);
}

std::size_t Keyring::threshold_of(const std::string& role) const {
  const auto found = thresholds_.find(role);
  return found == thresholds_.end() ? 1 : static_cast<std::size_t>(std::max<std::int64_t>(found->second, 1));
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
  if (!why.empty())
    throw Error(ErrorKind::untrusted, subject, why, remedy_for(role, able_to_sign(role, keys_, day, {})));
}

bool Keyring::has_role(const std::string& role) const {
  return std::any_of(keys_.begin(), keys_.end(), [&](const TrustedKey& key) { return has(key, role); });
}

}  // namespace kgate::trust
