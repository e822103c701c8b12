#include "gate/verdict/timing/machine_record.h"

#include "base/file.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

struct Records {
  TemporaryFolder folder{"kgate-record"};
  std::filesystem::path path = folder.path() / "noise" / "host.json";
  mutable std::string note;

  verdict::MachineRecord read(const std::string& driver = "580.65.06") const {
    note.clear();
    return verdict::read_record(path, driver, note);
  }
  verdict::MachineRecord read_text(const std::string& text) const {
    write_file_atomic(path, std::string_view(text));
    return read();
  }
  std::string at(const std::string& rest) const { return path.string() + ": " + rest; }
};

Json good() {
  return {{"schema", "kgate.noise/1"},
          {"driver", "580.65.06"},
          {"round_spread", 0.0012},
          {"overlap", {{"harmless", true}}}};
}

std::string with(const std::string& key, const Json& value) {
  Json record = good();
  record[key] = value;
  return record.dump();
}

void check_defaults(const verdict::MachineRecord& record) {
  CHECK(record.round_spread == verdict::kLeastRoundSpread);
  CHECK(record.overlap);
  CHECK(record.origin == "default");
}

}  // namespace

TEST_CASE("a machine without a record has the defaults, without a word") {
  const Records records;
  check_defaults(records.read());
  CHECK(records.note.empty());
  std::string note;
  check_defaults(verdict::read_record({}, "", note));
  CHECK(note.empty());
}

TEST_CASE("a device's record is named by its UUID, the host's by its backend, and without a home there is none") {
  CHECK(verdict::record_path("/state", "GPU-1") == "/state/noise/GPU-1.json");
  CHECK(verdict::record_path("/state", "") == "/state/noise/host.json");
  CHECK(verdict::record_path("", "GPU-1").empty());
}

TEST_CASE("a good record is used, and says where it came from") {
  const Records records;
  const auto record = records.read_text(good().dump());
  CHECK(records.note.empty());
  CHECK(record.round_spread == 0.0012);
  CHECK(record.overlap);
  CHECK(record.origin == records.path.string());
}

TEST_CASE("a record that says that a process's start disturbs is believed") {
  const Records records;
  const auto record = records.read_text(with("overlap", {{"harmless", false}}));
  CHECK(records.note.empty());
  CHECK_FALSE(record.overlap);
}

TEST_CASE("a record may widen the default and never narrow it") {
  const Records records;
  CHECK(records.read_text(with("round_spread", 0)).round_spread == verdict::kLeastRoundSpread);
  CHECK(records.read_text(with("round_spread", 0.0001)).round_spread == verdict::kLeastRoundSpread);
  CHECK(records.read_text(with("round_spread", 0.005)).round_spread == 0.005);
  CHECK(records.note.empty());
}

TEST_CASE("a record of another driver does not count") {
  const Records records;
  write_file_atomic(records.path, std::string_view(good().dump()));
  check_defaults(records.read("590.1"));
  CHECK(records.note ==
        records.at("was measured with driver \"580.65.06\", this is \"590.1\"; the defaults hold until kgate doctor "
                   "--noise has run"));
}

TEST_CASE("a spread that cannot be does not count") {
  const Records records;
  check_defaults(records.read_text(with("round_spread", -0.001)));
  CHECK(records.note == records.at("a spread between processes of -0.1 % cannot be; the defaults hold"));
}

TEST_CASE("a machine worse than anything is reckoned with as far as something can be decided, never as a good one") {
  const Records records;
  const auto record = records.read_text(with("round_spread", 0.046));
  CHECK(record.round_spread == verdict::kMostRoundSpread);
  CHECK(records.note ==
        records.at("processes on this machine differ by 4.6 %; 0.5 % is reckoned with, and what it says of small "
                   "slowdowns is doubtful: find out what disturbs it, and run kgate doctor --noise again"));
}

TEST_CASE("a record that is a link is not followed") {
  const Records records;
  std::filesystem::create_directories(records.path.parent_path());
  std::filesystem::create_symlink("/etc/passwd", records.path);
  check_defaults(records.read("580.65.06"));
  CHECK(records.note == records.at("is a link, and is not followed; the defaults hold"));
}

TEST_CASE("a file that is no record does not count, and is told") {
  const Records records;
  check_defaults(records.read_text(with("schema", "kgate.noise/2")));
  CHECK(records.note == records.at("is no kgate.noise/1; the defaults hold"));
  const std::string unreadable = records.at("cannot be read as a record of doctor --noise; the defaults hold");
  for (const auto& text :
       {with("round_spread", "0.001"), with("round_spread", nullptr), with("overlap", nullptr),
        with("overlap", Json::object()), with("driver", 580), std::string("[]"), std::string("{}")}) {
    INFO(text);
    // Nothing of it is used, not even what could be read.
    check_defaults(records.read_text(text));
    CHECK(records.note == unreadable);
  }
  for (const auto& text : {std::string(""), std::string("{\"schema\""), std::string(1000, '[')}) {
    INFO(text);
    check_defaults(records.read_text(text));
    CHECK(records.note.starts_with(records.path.string() + ": "));
    CHECK(records.note.ends_with("; the defaults hold"));
  }
  CHECK(records.read_text("{\"schema\"").origin == "default");
}

TEST_CASE("a folder in the record's place does not count, and is told") {
  const Records records;
  std::filesystem::create_directories(records.path);
  check_defaults(records.read());
  CHECK(records.note == records.at("is no regular file; the defaults hold"));
}
