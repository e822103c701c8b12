#include "gate/trust/key_set.h"

#include "base/digest.h"
#include "base/memory_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

const std::string kRestore = "; restore the file as it was signed; key sets are never changed or removed";
const std::string kNextSet = "; make the next set and have it signed by the old keys and the new: kgate sign --keys";

TrustedKey key(unsigned number, std::vector<std::string> roles) {
  return {test_key(number).public_key(), "keys/" + std::to_string(number) + ".pub.pem", std::move(roles), {}, {}};
}

// A policy's keys and its folder, with a chain of sets that can be damaged.
struct Team {
  std::map<std::string, Bytes> files;
  Policy policy = default_policy();
  std::int64_t sets = 0;

  // The policy names these keys from now on.
  void name(const std::vector<TrustedKey>& keys) {
    policy.keys.clear();
    for (const TrustedKey& one : keys) {
      policy.keys.push_back({one.file, one.roles, one.not_before, one.not_after});
      files[".kgate/" + one.file] = bytes_of(one.key.pem());
    }
  }
  KeySet next_set() const {
    KeySet set{sets + 1, "", read_keys(policy, MemoryTree(files, "t")), policy.thresholds};
    if (sets > 0) set.previous = "sha256:" + sha256_hex(files.at(key_set_path(sets)));
    return set;
  }
  void add(const Statement& statement, const std::vector<unsigned>& signers) {
    Envelope envelope = wrap(statement);
    for (const unsigned number : signers) add_signature(envelope, test_key(number));
    files[key_set_path(++sets)] = bytes_of(write_envelope(envelope));
  }
  void add_set(const std::vector<unsigned>& signers) { add(to_statement(next_set()), signers); }

  std::string refusal() const {
    return error_of([&] { Keyring::read(policy, MemoryTree(files, "t")); });
  }
};

// Keys 1 and 2, then 2 and 3: two good sets.
Team good_team() {
  Team team;
  team.name({key(1, {"cases"}), key(2, {"accept"})});
  team.add_set({1, 2});
  team.name({key(2, {"accept"}), key(3, {"cases", "history"})});
  team.add_set({2, 3});
  return team;
}

}  // namespace

TEST_CASE("without key sets the policy's keys are taken as they are") {
  Team team;
  team.name({key(1, {"cases"})});
  CHECK(team.refusal() == "no error");
}

TEST_CASE("keys that the newest set of a good chain names are taken") {
  const Team team = good_team();
  CHECK(team.refusal() == "no error");
  const auto chain = read_key_sets(MemoryTree(team.files, "t"));
  REQUIRE(chain.size() == 2);
  CHECK(chain[0].path == ".kgate/keys/set-0001.dsse");
  CHECK(chain[0].set.previous.empty());
  CHECK(chain[1].set.previous == chain[0].digest);
  CHECK(chain[1].set.keys.size() == 2);
  CHECK(chain[1].missing.empty());
}

TEST_CASE("a set says what docs/signing.md has it say") {
  Team team;
  TrustedKey dated = key(1, {"history", "cases"});
  dated.not_after = "2027-12-31";
  team.name({dated});
  team.policy.thresholds = {{"cases", 1}};
  const Statement statement = to_statement(team.next_set());
  CHECK(statement.predicate_type == "https://kgate.dev/keys/v1");
  REQUIRE(statement.subjects.size() == 1);
  CHECK(statement.subjects[0].name == "keys/1.pub.pem");
  CHECK(statement.subjects[0].sha256 == sha256_hex(test_key(1).public_key().pem()));
  CHECK(canonical_json(statement.predicate) ==
        "{\"keys\":[{\"file\":\"keys/1.pub.pem\",\"not_after\":\"2027-12-31\",\"not_before\":null,\"pem\":" +
            canonical_json(test_key(1).public_key().pem()) +
            ",\"roles\":[\"cases\",\"history\"]}],\"previous\":null,\"thresholds\":{\"cases\":1},\"version\":1}");
}

TEST_CASE("keys that were changed without a new set are told, and how they were changed") {
  const auto refused_for = [](const std::string& how) {
    return "untrusted: .kgate/policy.toml: its keys are not those of .kgate/keys/set-0002.dsse: " + how + kNextSet;
  };
  Team team = good_team();
  team.name({key(2, {"accept"}), key(3, {"cases", "history"}), key(4, {"accept"})});
  CHECK(team.refusal() == refused_for("keys/4.pub.pem is not in it"));
  team = good_team();
  team.name({key(2, {"accept"})});
  CHECK(team.refusal() == refused_for("it has keys/3.pub.pem, and the policy does not"));
  team = good_team();
  team.name({key(2, {"accept", "cases"}), key(3, {"cases", "history"})});
  CHECK(team.refusal() == refused_for("keys/2.pub.pem has other roles there"));
  team = good_team();
  team.files[".kgate/keys/3.pub.pem"] = bytes_of(test_key(9).public_key().pem());
  CHECK(team.refusal() == refused_for("keys/3.pub.pem is another key there"));
  team = good_team();
  team.policy.keys[0].not_after = "2099-12-31";
  CHECK(team.refusal() == refused_for("keys/2.pub.pem has another not_after there"));
  team = good_team();
  team.policy.keys[0].not_before = "2020-01-01";
  CHECK(team.refusal() == refused_for("keys/2.pub.pem has another not_before there"));
  team = good_team();
  team.policy.thresholds["accept"] = 2;
  CHECK(team.refusal() == refused_for("its thresholds are others"));
}

TEST_CASE("the order of keys and of their roles in the policy means nothing") {
  Team team = good_team();
  team.name({key(3, {"history", "cases"}), key(2, {"accept"})});
  CHECK(team.refusal() == "no error");
}

TEST_CASE("a set needs the signatures of its new keys and of one key of the set before") {
  const auto unsigned_by = [](const std::string& set, const std::string& who) {
    return "untrusted: .kgate/keys/" + set + ": is not signed by " + who +
           "; have it signed before it is merged: kgate sign --keys";
  };
  Team team;
  team.name({key(1, {"cases"}), key(2, {"accept"})});
  team.add_set({1});
  CHECK(team.refusal() == unsigned_by("set-0001.dsse", "keys/2.pub.pem (new in this set)"));

  team = good_team();
  team.name({key(4, {"cases"}), key(5, {"accept"})});
  Team by_new_alone = team;
  by_new_alone.add_set({4, 5});
  CHECK(by_new_alone.refusal() ==
        unsigned_by("set-0003.dsse", "1 of keys/2.pub.pem, keys/3.pub.pem (of .kgate/keys/set-0002.dsse)"));
  Team by_old_alone = team;
  by_old_alone.add_set({2, 3});
  CHECK(by_old_alone.refusal() ==
        unsigned_by("set-0003.dsse", "keys/4.pub.pem (new in this set), keys/5.pub.pem (new in this set)"));
  Team by_a_key_of_long_ago = team;
  by_a_key_of_long_ago.add_set({1, 4, 5});
  CHECK(by_a_key_of_long_ago.refusal() ==
        unsigned_by("set-0003.dsse", "1 of keys/2.pub.pem, keys/3.pub.pem (of .kgate/keys/set-0002.dsse)"));
  Team by_both = team;
  by_both.add_set({3, 4, 5});
  CHECK(by_both.refusal() == "no error");
}

TEST_CASE("a set without new keys needs a key of the set before alone") {
  Team team = good_team();
  team.name({key(3, {"cases", "history"})});
  Team by_the_one_that_goes = team;
  by_the_one_that_goes.add_set({2});
  CHECK(by_the_one_that_goes.refusal() == "no error");
  team.add_set({7});
  CHECK(team.refusal() ==
        "untrusted: .kgate/keys/set-0003.dsse: is not signed by 1 of keys/2.pub.pem, keys/3.pub.pem (of "
        ".kgate/keys/set-0002.dsse); have it "
        "signed before it is merged: kgate sign --keys");
}

TEST_CASE("what asks for two people is not changed by one") {
  Team team;
  team.name({key(1, {"accept"}), key(2, {"accept"}), key(3, {"cases"})});
  team.policy.thresholds = {{"accept", 2}, {"cases", 1}};
  team.add_set({1, 2, 3});
  team.policy.thresholds = {{"accept", 1}, {"cases", 1}};
  Team by_one = team;
  by_one.add_set({1});
  CHECK(by_one.refusal() ==
        "untrusted: .kgate/keys/set-0002.dsse: is not signed by 1 more of keys/2.pub.pem, keys/3.pub.pem (of "
        ".kgate/keys/set-0001.dsse); have it "
        "signed before it is merged: kgate sign --keys");
  team.add_set({1, 3});
  CHECK(team.refusal() == "no error");
}

TEST_CASE("a threshold that no set of keys could reach asks for all of them") {
  Team team;
  team.name({key(1, {"accept"}), key(2, {"cases"})});
  team.policy.thresholds = {{"accept", 3}};
  team.add_set({1, 2});
  team.policy.thresholds = {{"accept", 1}};
  team.add_set({1, 2});
  CHECK(team.refusal() == "no error");
}

TEST_CASE("a gap in the numbers is told, wherever it is") {
  Team team = good_team();
  team.name({key(3, {"cases"})});
  team.add_set({3});
  REQUIRE(team.refusal() == "no error");
  Team without_second = team;
  without_second.files.erase(key_set_path(2));
  CHECK(without_second.refusal() ==
        "untrusted: .kgate/keys/set-0002.dsse: is missing, and .kgate/keys/set-0003.dsse is there" + kRestore);
  Team without_first = team;
  without_first.files.erase(key_set_path(1));
  CHECK(without_first.refusal() ==
        "untrusted: .kgate/keys/set-0001.dsse: is missing, and .kgate/keys/set-0002.dsse is there" + kRestore);
}

TEST_CASE("an older set under a newer number, and a set that does not follow, are refused") {
  Team team = good_team();
  team.files[key_set_path(3)] = team.files.at(key_set_path(2));
  CHECK(team.refusal() == "untrusted: .kgate/keys/set-0003.dsse: says that it is set 2" + kRestore);

  // The first set signed again, by its own keys: the second one follows the one that was.
  team = good_team();
  Team other;
  other.name({key(1, {"cases", "accept"}), key(2, {"accept"})});
  other.add_set({1, 2});
  team.files[key_set_path(1)] = other.files.at(key_set_path(1));
  CHECK(team.refusal() ==
        "untrusted: .kgate/keys/set-0002.dsse: does not follow .kgate/keys/set-0001.dsse as it is" + kRestore);

  team = Team();
  team.name({key(1, {"cases"})});
  KeySet first = team.next_set();
  first.previous = "sha256:" + std::string(64, '0');
  team.add(to_statement(first), {1});
  CHECK(team.refusal() == "untrusted: .kgate/keys/set-0001.dsse: names a set before it, and is the first" + kRestore);
}

TEST_CASE("a set in the middle that lacks a signature is told, though a later one is whole") {
  Team team;
  team.name({key(1, {"cases"})});
  team.add_set({1});
  team.name({key(2, {"cases"})});
  team.add_set({2});
  team.name({key(3, {"cases"})});
  team.add_set({2, 3});
  CHECK(
      team.refusal() ==
      "untrusted: .kgate/keys/set-0002.dsse: is not signed by 1 of keys/1.pub.pem (of .kgate/keys/set-0001.dsse), and "
      ".kgate/keys/set-0003.dsse follows it" +
          kRestore);
}

TEST_CASE("names that look like a set's and are none are refused, not passed over") {
  for (const char* name : {"set-1.dsse", "set-00003.dsse", "set-000x.dsse", "set-0000.dsse", "old/set-0001.dsse"}) {
    Team team = good_team();
    team.files[std::string(".kgate/keys/") + name] = team.files.at(key_set_path(1));
    CHECK(team.refusal() == std::string("untrusted: .kgate/keys/") + name +
                                ": is no name of a key set; name it .kgate/keys/set-0003.dsse, or take it away");
  }
}

TEST_CASE("a set that is no statement about keys is refused") {
  Team team = good_team();
  team.files[key_set_path(2)] = bytes_of("{}");
  CHECK(team.refusal() ==
        "untrusted: .kgate/keys/set-0002.dsse: is no DSSE envelope: \"payloadType\" is missing; restore the file as it "
        "was signed, or sign anew");
  team = good_team();
  Statement statement = to_statement(team.next_set());
  statement.predicate_type = "https://kgate.dev/cases/v1";
  team.add(statement, {2, 3});
  CHECK(
      team.refusal() ==
      "untrusted: .kgate/keys/set-0003.dsse: is no statement that kgate can use: it says "
      "\"https://kgate.dev/cases/v1\", and \"https://kgate.dev/keys/v1\" is expected here; restore the file as it was "
      "signed, or sign anew");
}

TEST_CASE("what a set says of its keys is read strictly") {
  const auto refusal_after = [](auto&& change) {
    Team team = good_team();
    Statement statement = to_statement(team.next_set());
    change(statement);
    team.add(statement, {2, 3});
    return team.refusal();
  };
  const auto refused = [](const std::string& fact) {
    return "untrusted: .kgate/keys/set-0003.dsse: " + fact + "; restore the file as it was signed, or sign anew";
  };
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0]["weight"] = 2; }) ==
        refused("a key: \"weight\" is not a key that this kgate knows"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0].erase("roles"); }) ==
        refused("a key: \"roles\" is missing"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0]["roles"] = "accept"; }) ==
        refused("a key: \"roles\" is not an array"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0]["roles"] = Json::array({1}); }) ==
        refused("a key: \"roles\" is not an array of strings"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0]["not_after"] = 2027; }) ==
        refused("a key: \"not_after\" is not a string"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["thresholds"]["accept"] = 0; }) ==
        refused("the thresholds: \"accept\" is not a whole number from 1"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["thresholds"]["search"] = 1; }) ==
        refused("the thresholds: \"search\" is not a key that this kgate knows"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["version"] = "3"; }) ==
        refused("the predicate: \"version\" is not a whole number from 1"));
  CHECK(refusal_after([](Statement& statement) {
          statement.predicate["keys"].push_back(statement.predicate["keys"][0]);
        }) == refused("the predicate: the key \"keys/2.pub.pem\" is there twice"));
  CHECK(refusal_after([](Statement& statement) {
          Json twin = statement.predicate["keys"][0];
          twin["file"] = "keys/twin.pub.pem";
          statement.predicate["keys"].push_back(twin);
        }) == refused("the predicate: one key has two files, \"keys/twin.pub.pem\" too"));
  CHECK(refusal_after([](Statement& statement) { statement.subjects.pop_back(); }) ==
        refused("the predicate: its keys are not its subjects"));
  CHECK(refusal_after([](Statement& statement) { statement.subjects[0].sha256 = std::string(64, '0'); }) ==
        refused("the predicate: its keys are not its subjects"));
  CHECK(refusal_after([](Statement& statement) { statement.predicate["keys"][0]["pem"] = "rubbish"; }) ==
        "untrusted: .kgate/keys/set-0003.dsse: keys/2.pub.pem: is not a single PEM block; put an Ed25519 public key "
        "there, as kgate keygen or openssl pkey -pubout write it, and nothing else");
}
