#include "gate/drift/history.h"

#include <algorithm>

#include <fmt/format.h>

#include "bench/history.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/ledger_fixture.h"

using namespace kgate;
using namespace kgate::drift;
using bench::SimulatedHistory;

namespace {

// kgate/history in a real repository; key 3 has the role, key 1 accepts.
class Nights : public LedgerFixture {
 public:
  Nights() {
    init("r");
    simulated.kernels = 2;
    simulated.nights = 4;
  }

  static trust::LedgerOptions branch() {
    trust::LedgerOptions options;
    options.branch = "kgate/history";
    options.role = "history";
    options.predicate = trust::kHistoryPredicate;
    return options;
  }
  trust::LedgerEntry night(std::int64_t number, unsigned key = 3) const {
    return put(simulated.night(number), simulated.fingerprint_of(number), key);
  }
  trust::LedgerEntry put(const NightFigures& figures, const Json& fingerprint, unsigned key = 3) const {
    trust::AppendOptions options;
    options.ledger = branch();
    return trust::append(trust::Repository::open(path("r")), program("r"), keyring(), options,
                         draft_of(figures, fingerprint), signer(key));
  }
  trust::Ledger ledger() const { return open("r", branch()); }
  History nights_since(std::optional<std::int64_t> since = {}) const {
    return read_history(ledger(), {simulated.night(0).hardware, since, 2});
  }

  SimulatedHistory simulated;
};

std::string read_of(const Nights& nights, const std::string& path) {
  return static_cast<const LedgerFixture&>(nights).read(path);
}

}  // namespace

TEST_CASE("nights are appended to a branch of their own, and read back with their fingerprints") {
  const Nights nights;
  for (std::int64_t i = 0; i < 4; ++i) nights.night(i);
  const auto history = nights.nights_since();
  REQUIRE(history.nights.size() == 4);
  CHECK(history.nights[0].origin == "record 4");  // the newest first
  CHECK(history.nights[3].time == "2026-01-01T02:00:00Z");
  CHECK(history.nights[3].driver == "580.82.07");
  CHECK(history.fingerprints[0] == history.fingerprints[3]);  // one object
  CHECK(history.figures.at("kernel_001").at("case_0").size() == 4);
  CHECK(nights.ledger().verify(2).records == 4);
  CHECK(nights.ledger().verify(2).objects == 5);
  CHECK(nights.nights_since(*day_from("2026-01-03")).nights.size() == 2);
}

TEST_CASE("a night's record has its chain, its kind of GPU and the digests of two objects, and nothing else") {
  const Nights nights;
  nights.night(0);
  const auto entry = nights.night(1);
  const Json predicate = trust::to_statement(entry.record, trust::kHistoryPredicate).predicate;
  std::vector<std::string> keys;
  for (const auto& [key, value] : predicate.items()) keys.push_back(key);
  CHECK(keys == std::vector<std::string>{"fingerprint", "hardware", "hardware_previous", "heads", "night", "previous",
                                         "sequence", "time"});
  CHECK(predicate["previous"] == predicate["hardware_previous"]);
  CHECK(nights.git("r", {"ls-tree", "-r", "--name-only", "kgate/history", "records"}) ==
        fmt::format("records/{0}/000001.json\nrecords/{0}/000002.json", entry.record.kernel));
}

TEST_CASE("who may accept may not write history, and the other way round") {
  const Nights nights;
  CHECK(error_of([&] { nights.night(0, 1); }).find("untrusted: record 1 of ") == 0);
  CHECK(nights.ledger().commit().empty());
  nights.append("r", Nights::draft("sum"));
  CHECK(error_of([&] { nights.append("r", Nights::draft("sum", 9), 3); }).find("untrusted: record 2 of sum") == 0);
}

TEST_CASE("a branch of accepted versions is no history") {
  const Nights nights;
  nights.append("r", Nights::draft("sum"));
  auto options = Nights::branch();
  options.branch = "kgate/ledger";
  CHECK(nights.open_error("r", options).find("\"https://kgate.dev/history/v1\" is expected here") != std::string::npos);
}

TEST_CASE("kinds of GPU have folders of their own, and a driver does not make another") {
  Nights nights;
  nights.night(0);
  nights.simulated.changes = {{1, 1, "", "590.1", "", 0}};
  nights.night(1);
  auto figures = nights.simulated.night(2);
  Json print = nights.simulated.fingerprint_of(2);
  print["device"]["name"] = "NVIDIA A100";
  figures.hardware = "aaaaaaaaaaaaaaaa";
  figures.device_name = "NVIDIA A100";
  nights.put(figures, print);
  const auto hardware = hardware_in(nights.ledger());
  REQUIRE(hardware.size() == 2);
  std::vector<std::string> names{hardware[0].name, hardware[1].name};
  std::sort(names.begin(), names.end());
  CHECK(names == std::vector<std::string>{"NVIDIA A100", "NVIDIA H200"});
  const auto history = nights.nights_since();
  REQUIRE(history.nights.size() == 2);
  CHECK(history.nights[0].device_class != history.nights[1].device_class);
}

TEST_CASE("figures that were swapped, and nights that were taken away, are seen") {
  const Nights nights;
  nights.night(0);
  const auto second = nights.night(1);
  nights.night(2);
  nights.git("r", {"checkout", "-q", "kgate/history"});
  const std::string object = trust::object_path(second.record.night);
  SECTION("figures") {
    nights.write("r/" + object, read_of(nights, "r/" + object) + " ");
    nights.git("r", {"commit", "-q", "-a", "--amend", "--no-edit"});
    CHECK(error_of([&] { nights.nights_since(); }) ==
          "untrusted: kgate/history:" + object + ": does not have the digest that it is named by" + kRestore);
  }
  SECTION("a night") {
    const std::string record = fmt::format("records/{}/000002.json", second.record.kernel);
    nights.git("r", {"rm", "-q", record});
    nights.git("r", {"commit", "-q", "--amend", "--no-edit"});
    CHECK(error_of([&] { nights.nights_since(); }).find("untrusted: kgate/history:records/") == 0);
  }
}

TEST_CASE("a record is never dated before the one that it follows") {
  const Nights nights;
  nights.night(3);
  const auto entry = nights.night(0);  // its clock went back
  CHECK(entry.record.time == "2026-01-04T02:00:00Z");
  CHECK(nights.ledger().verify(1).records == 2);
}

TEST_CASE("a night cannot choose another date than its record's") {
  const Nights nights;
  nights.night(0);
  const auto forged = [&](const std::string& time) {
    auto figures = nights.simulated.night(1);
    figures.time = time;
    auto draft = draft_of(figures, nights.simulated.fingerprint_of(1));
    draft.record.time = "2026-01-02T02:00:00Z";
    trust::AppendOptions options;
    options.ledger = Nights::branch();
    trust::append(trust::Repository::open(nights.path("r")), nights.program("r"), nights.keyring(), options, draft,
                  nights.signer(3));
    return error_of([&] { nights.nights_since(); });
  };
  CHECK(
      forged("2025-03-01T02:00:00Z") ==
      "untrusted: the figures of record 2: are of 2025-03-01T02:00:00Z, and their record of 2026-01-02T02:00:00Z; have "
      "the branch reset to its last commit that holds, docs/ledger.md says how");
}

TEST_CASE("a fingerprint in the branch that is none is not trusted") {
  const Nights nights;
  auto draft = draft_of(nights.simulated.night(0), nights.simulated.fingerprint_of(0));
  draft.objects.erase(draft.record.fingerprint);
  const Bytes broken = bytes_of(std::string("{"));
  draft.record.fingerprint = trust::digest_of(broken);
  draft.objects.emplace(draft.record.fingerprint, broken);
  trust::AppendOptions options;
  options.ledger = Nights::branch();
  trust::append(trust::Repository::open(nights.path("r")), nights.program("r"), nights.keyring(), options, draft,
                nights.signer(3));
  CHECK(error_of([&] { nights.nights_since(); }).rfind("untrusted: the fingerprint sha256:", 0) == 0);
}
