#include "gate/trust/key_set.h"

#include <algorithm>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/predicate.h"
#include "gate/trust/untrusted.h"

// What this adds to the base branch's protection: with key sets in place the keys are not changed by whoever can push
// to that branch, but by who holds keys, and everybody can check later who did. It cannot keep somebody with that power
// from removing the whole chain; that shows in the branch's history.
namespace kgate::trust {
namespace {

constexpr const char* kFolder = ".kgate/keys/";
constexpr const char* kRestore = "restore the file as it was signed; key sets are never changed or removed";
constexpr std::int64_t kMostSets = 9999;

[[noreturn]] void refuse(const std::string& subject, const std::string& fact, const std::string& remedy) {
  throw Error(ErrorKind::untrusted, subject, fact, remedy);
}

std::string digest_of(ByteView envelope) {
  return "sha256:" + sha256_hex(envelope);
}

Json or_null(const std::optional<std::string>& text) {
  return text ? Json(*text) : Json(nullptr);
}

bool has_key(const KeySet& set, const std::string& id) {
  return std::any_of(set.keys.begin(), set.keys.end(), [&](const TrustedKey& key) { return key.key.id() == id; });
}

std::vector<std::string> sorted(std::vector<std::string> words) {
  std::sort(words.begin(), words.end());
  return words;
}

TrustedKey key_from(const Json& item, const std::string& subject) {
  const PredicateReader reader(item, "a key", subject, {"file", "pem", "roles", "not_before", "not_after"});
  const std::string& file = reader.text("file");
  return {PublicKey::from_pem(reader.text("pem"), subject + ": " + file), file, reader.texts("roles"),
          reader.text_or_null("not_before"), reader.text_or_null("not_after")};
}

// Files of the chain, by what their names say; read_key_sets goes by numbers and needs them for what it would not find.
void check_names(const FileTree& tree, std::int64_t last) {
  for (const std::string& path : tree.list(".kgate/keys")) {
    const std::string name = path.substr(path.rfind('/') + 1);
    if (!name.starts_with("set-") || !name.ends_with(".dsse")) continue;
    const std::string digits = name.substr(4, name.size() - 9);
    const bool numbered = digits.size() == 4 && digits.find_first_not_of("0123456789") == std::string::npos;
    if (!numbered || path != key_set_path(std::stoll(digits)) || digits == "0000") {
      refuse(path, "is no name of a key set", fmt::format("name it {}, or take it away", key_set_path(last + 1)));
    }
    if (std::stoll(digits) > last) {
      refuse(key_set_path(last + 1), fmt::format("is missing, and {} is there", path), kRestore);
    }
  }
}

// "keys/b.pub.pem: its roles": what two lists of keys differ in first.
std::optional<std::string> difference_of_keys(const TrustedKey& in_set, const TrustedKey& in_policy) {
  if (in_set.key.id() != in_policy.key.id()) return "is another key";
  if (sorted(in_set.roles) != sorted(in_policy.roles)) return "has other roles";
  if (in_set.not_before != in_policy.not_before) return "has another not_before";
  if (in_set.not_after != in_policy.not_after) return "has another not_after";
  return std::nullopt;
}

}  // namespace

Statement to_statement(const KeySet& set) {
  Statement statement;
  statement.predicate_type = kKeysPredicate;
  Json keys = Json::array();
  for (const TrustedKey& key : set.keys) {
    statement.subjects.push_back({key.file, sha256_hex(key.key.pem())});
    keys.push_back({{"file", key.file},
                    {"pem", key.key.pem()},
                    {"roles", sorted(key.roles)},
                    {"not_before", or_null(key.not_before)},
                    {"not_after", or_null(key.not_after)}});
  }
  statement.predicate = {{"version", set.version},
                         {"previous", set.previous.empty() ? Json(nullptr) : Json(set.previous)},
                         {"keys", std::move(keys)},
                         {"thresholds", set.thresholds}};
  return statement;
}

KeySet key_set_from(const Statement& statement, const std::string& subject) {
  const PredicateReader predicate(statement.predicate, "the predicate", subject,
                                  {"version", "previous", "keys", "thresholds"});
  KeySet set;
  set.version = predicate.positive("version");
  set.previous = predicate.text_or_null("previous").value_or("");
  std::set<std::string> files, ids;
  for (const Json& item : predicate.array("keys")) {
    set.keys.push_back(key_from(item, subject));
    const TrustedKey& key = set.keys.back();
    if (!files.insert(key.file).second)
      predicate.fail(fmt::format("the key {} is there twice", kgate::quoted(key.file)));
    if (!ids.insert(key.key.id()).second)
      predicate.fail(fmt::format("one key has two files, {} too", kgate::quoted(key.file)));
  }
  const Json& thresholds = predicate.at("thresholds");
  const PredicateReader threshold(thresholds, "the thresholds", subject, {"cases", "accept", "history"});
  for (const auto& [role, value] : thresholds.items()) set.thresholds[role] = threshold.positive(role.c_str());
  if (statement.subjects.size() != set.keys.size()) predicate.fail("its keys are not its subjects");
  for (const StatementSubject& file : statement.subjects) {
    const auto key =
        std::find_if(set.keys.begin(), set.keys.end(), [&](const auto& one) { return one.file == file.name; });
    if (key == set.keys.end() || sha256_hex(key->key.pem()) != file.sha256)
      predicate.fail("its keys are not its subjects");
  }
  return set;
}

std::string key_set_path(std::int64_t version) {
  return fmt::format("{}set-{:04}.dsse", kFolder, version);
}

std::vector<std::string> missing_signatures(const Envelope& envelope, const KeySet& set, const KeySet* before) {
  std::vector<std::string> missing;
  const Keyring now(set.keys, {});
  const auto signers = now.signers(envelope);
  for (const TrustedKey& key : now.keys()) {
    const bool is_new = before == nullptr || !has_key(*before, key.key.id());
    const bool signed_it = std::find(signers.begin(), signers.end(), &key) != signers.end();
    if (is_new && !signed_it) missing.push_back(fmt::format("{} (new in this set)", key.file));
  }
  if (before == nullptr) return missing;
  std::int64_t needed = 1;
  for (const auto& [role, threshold] : before->thresholds) needed = std::max(needed, threshold);
  needed = std::min(needed, static_cast<std::int64_t>(before->keys.size()));
  const Keyring then(before->keys, {});
  const auto given = then.signers(envelope);
  const auto count = static_cast<std::int64_t>(given.size());
  if (count < needed) {
    std::vector<std::string> others;
    for (const TrustedKey& key : then.keys()) {
      if (std::find(given.begin(), given.end(), &key) == given.end()) others.push_back(key.file);
    }
    missing.push_back(fmt::format("{}{} of {} (of {})", needed - count, count > 0 ? " more" : "",
                                  fmt::join(others, ", "), key_set_path(before->version)));
  }
  return missing;
}

std::vector<SignedKeySet> read_key_sets(const FileTree& tree) {
  std::vector<SignedKeySet> chain;
  while (static_cast<std::int64_t>(chain.size()) < kMostSets) {
    const std::string path = key_set_path(static_cast<std::int64_t>(chain.size()) + 1);
    const auto text = untrusted_where(kRestore, [&] { return tree.read(path, kMaxEnvelope); });
    if (!text) break;
    SignedKeySet link;
    link.path = path;
    link.digest = digest_of(*text);
    link.envelope = parse_envelope(text_of(*text), path);
    link.set = key_set_from(unwrap(link.envelope, kKeysPredicate, path), path);
    const SignedKeySet* before = chain.empty() ? nullptr : &chain.back();
    if (link.set.version != static_cast<std::int64_t>(chain.size()) + 1) {
      refuse(path, fmt::format("says that it is set {}", link.set.version), kRestore);
    }
    if (link.set.previous != (before == nullptr ? "" : before->digest)) {
      refuse(path,
             before == nullptr ? "names a set before it, and is the first"
                               : "does not follow " + before->path + " as it is",
             kRestore);
    }
    if (before != nullptr && !before->missing.empty()) {
      refuse(before->path, fmt::format("is not signed by {}, and {} follows it", before->missing.front(), path),
             kRestore);
    }
    link.missing = missing_signatures(link.envelope, link.set, before == nullptr ? nullptr : &before->set);
    chain.push_back(std::move(link));
  }
  check_names(tree, static_cast<std::int64_t>(chain.size()));
  return chain;
}

std::optional<std::string> difference(const KeySet& set, const std::vector<TrustedKey>& keys,
                                      const std::map<std::string, std::int64_t>& thresholds) {
  for (const TrustedKey& key : keys) {
    const auto same_file = [&](const TrustedKey& other) { return other.file == key.file; };
    const auto in_set = std::find_if(set.keys.begin(), set.keys.end(), same_file);
    if (in_set == set.keys.end()) return key.file + " is not in it";
    if (const auto how = difference_of_keys(*in_set, key)) return fmt::format("{} {} there", key.file, *how);
  }
  for (const TrustedKey& key : set.keys) {
    const auto same_file = [&](const TrustedKey& other) { return other.file == key.file; };
    if (std::none_of(keys.begin(), keys.end(), same_file)) return "it has " + key.file + ", and the policy does not";
  }
  if (set.thresholds != thresholds) return std::string("its thresholds are others");
  return std::nullopt;
}

void check_key_sets(const FileTree& tree, const std::vector<TrustedKey>& keys,
                    const std::map<std::string, std::int64_t>& thresholds) {
  const std::vector<SignedKeySet> chain = read_key_sets(tree);
  if (chain.empty()) return;
  const SignedKeySet& newest = chain.back();
  if (!newest.missing.empty()) {
    refuse(newest.path, fmt::format("is not signed by {}", fmt::join(newest.missing, ", ")),
           "have it signed before it is merged: kgate sign --keys");
  }
  if (const auto how = difference(newest.set, keys, thresholds)) {
    refuse(".kgate/policy.toml", fmt::format("its keys are not those of {}: {}", newest.path, *how),
           "make the next set and have it signed by the old keys and the new: kgate sign --keys");
  }
}

}  // namespace kgate::trust
