#include "gate/trust/ledger_record.h"

#include <filesystem>
#include <functional>

#include "base/file.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/ledger_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

const std::string kDigest = "sha256:" + std::string(64, 'b');

Record sample() {
  Record record = LedgerFixture::draft("sum", 12.5).record;
  record.sequence = 7;
  record.previous = record.kernel_previous = record.heads = kDigest;
  record.slower = "exact now";
  record.release = "v1.4";
  return record;
}

Record retirement() {
  Record record;
  record.kernel = "sum";
  record.sequence = 7;
  record.previous = record.kernel_previous = record.heads = kDigest;
  record.time = "2026-01-01T00:00:00Z";
  record.retired = true;
  return record;
}

// What reading says once `action` has changed the predicate.
std::string error_with(const std::function<void(Json&)>& action, const Record& record = sample()) {
  Statement statement = to_statement(record);
  action(statement.predicate);
  return error_of([&] { record_from(statement, "x.json"); });
}

std::string refused(const std::string& what) {
  return "untrusted: x.json: is no record: " + what +
         "; a newer kgate may have written it: use that; else the branch has to be restored, docs/ledger.md says how";
}

}  // namespace

TEST_CASE("a record reads back as it was written") {
  for (const Record& record : {sample(), retirement()}) {
    const Statement statement = to_statement(record);
    CHECK(statement.predicate_type == kAcceptedPredicate);
    const Record read = record_from(statement, "x.json");
    CHECK(canonical_json(to_statement(read).predicate) == canonical_json(statement.predicate));
    CHECK(read.measurements.size() == record.measurements.size());
  }
  const Record read = record_from(to_statement(sample()), "x.json");
  CHECK(read.measurements[0].cases.at("wide").us == 12.5);
  CHECK(read.measurements[0].symbols.at("sum") == "_Zsum");
  CHECK(read.files == sample().files);
  CHECK(read.release == "v1.4");
}

TEST_CASE("a night's record reads back as it was written, and is no record of a version") {
  Record night;
  night.kernel = "0123456789abcdef";
  night.sequence = 2;
  night.previous = night.kernel_previous = night.heads = night.night = night.fingerprint = digest_of(view_of("x"));
  night.time = "2026-01-02T02:00:00Z";
  Statement statement = to_statement(night, kHistoryPredicate);
  CHECK(statement.subjects.size() == 1);
  CHECK(canonical_json(to_statement(record_from(statement, "x.json"), kHistoryPredicate).predicate) ==
        canonical_json(statement.predicate));
  statement.predicate["kernel"] = "sum";
  CHECK(error_of([&] { record_from(statement, "x.json"); }) == refused("\"kernel\" is not known"));
  statement.predicate.erase("kernel");
  statement.predicate["night"] = "";
  CHECK(error_of([&] { record_from(statement, "x.json"); }) == refused("\"night\" is \"\", not a digest"));
}

TEST_CASE("a record's bytes are those of docs/ledger.md") {
  Record record = retirement();
  record.reason = "nobody calls it";
  const std::string text = canonical_json(to_statement(record).predicate);
  CHECK(text ==
        "{\"cases\":{\"digest\":\"\",\"revision\":0},\"commit\":\"\",\"content\":\"\",\"files\":{},\"heads\":\"" +
            kDigest + "\",\"kernel\":\"sum\",\"kernel_previous\":\"" + kDigest +
            "\",\"measurements\":[],\"path\":\"\",\"previous\":\"" + kDigest +
            "\",\"reason\":\"nobody calls it\",\"release\":\"\",\"renamed_from\":\"\",\"retired\":true,\"sequence\":7,"
            "\"slower\":\"\",\"time\":\"2026-01-01T00:00:00Z\"}");
  std::string cut = text;
  for (std::size_t at = cut.find(kDigest); at != std::string::npos; at = cut.find(kDigest))
    cut.replace(at, kDigest.size(), "sha256:bbbb...");
  const auto page = read_file(std::filesystem::path(KGATE_SOURCE_DIR) / "docs/ledger.md", 1 << 20);
  CHECK(text_of(page).find("\n" + cut + "\n") != std::string_view::npos);
  const Json measurement = to_statement(sample()).predicate["measurements"][0];
  Json shape = measurement;
  for (const char* key : {"code", "fingerprint"}) shape[key] = "";
  shape["cases"]["wide"]["samples"] = "";
  CHECK(canonical_json(shape) ==
        "{\"backend\":\"cuda\",\"cases\":{\"wide\":{\"blocks\":24,\"launches_per_sample\":30,\"regime\":\"graph\","
        "\"rounds\":2,\"samples\":\"\",\"us\":12.5}},\"class\":\"0123456789abcdef\",\"code\":\"\",\"device\":{"
        "\"architecture\":\"sm_90\",\"name\":\"NVIDIA H200\"},\"fingerprint\":\"\",\"resources\":{\"code_bytes\":1024,"
        "\"registers\":32,\"shared_bytes\":0,\"spill_bytes\":0},\"symbols\":{\"sum\":\"_Zsum\"},\"toolkit\":\"13.0\"}");
}

TEST_CASE("the subjects of a record are its objects, each once, and of a retirement the record that it ends") {
  const Record record = sample();
  const auto objects = objects_of(record);
  CHECK(objects.size() == 5);
  const auto subjects = to_statement(record).subjects;
  REQUIRE(subjects.size() == objects.size());
  for (std::size_t i = 0; i < objects.size(); ++i) {
    CHECK(subjects[i].name == object_path(objects[i]));
    CHECK("sha256:" + subjects[i].sha256 == objects[i]);
  }
  CHECK(objects_of(retirement()).empty());
  const auto ended = to_statement(retirement()).subjects;
  REQUIRE(ended.size() == 1);
  CHECK(ended[0].name == "records/sum");
  CHECK("sha256:" + ended[0].sha256 == kDigest);

  const std::string other =
      "untrusted: x.json: is no record: the subjects of its statement are not the objects that it names; a newer kgate "
      "may have written it: use that; else the branch has to be restored, docs/ledger.md says how";
  Statement statement = to_statement(record);
  statement.subjects.pop_back();
  CHECK(error_of([&] { record_from(statement, "x.json"); }) == other);
  statement = to_statement(record);
  statement.subjects.push_back({"more", std::string(64, '0')});
  CHECK(error_of([&] { record_from(statement, "x.json"); }) == other);
  statement = to_statement(record);
  statement.subjects[0].name = "another";
  CHECK(error_of([&] { record_from(statement, "x.json"); }) == other);
}

TEST_CASE("every key of a record is required, and no other is known") {
  const Json whole = to_statement(sample()).predicate;
  std::size_t keys = 0;
  for (const auto& [key, value] : whole.items()) {
    const std::string name = key;
    CHECK(error_with([&](Json& json) { json.erase(name); }) == refused("\"" + name + "\" is missing"));
    ++keys;
  }
  CHECK(keys == 17);
  for (const auto& [key, value] : whole["measurements"][0].items()) {
    const std::string name = key;
    CHECK(error_with([&](Json& json) { json["measurements"][0].erase(name); }) ==
          refused("\"measurements[0]." + name + "\" is missing"));
  }
  const auto extra = [](const std::string& pointer, const std::string& place) {
    CHECK(error_with([&](Json& json) { json[Json::json_pointer(pointer)]["more"] = 1; }) ==
          refused("\"" + place + "more\" is not known"));
  };
  extra("", "");
  extra("/cases", "cases.");
  extra("/measurements/0", "measurements[0].");
  extra("/measurements/0/device", "measurements[0].device.");
  extra("/measurements/0/resources", "measurements[0].resources.");
  extra("/measurements/0/cases/wide", "measurements[0].cases.wide.");
}

TEST_CASE("every value of a record has its type and its form") {
  const auto error = [](const std::string& pointer, const Json& value) {
    return error_with([&](Json& json) { json[Json::json_pointer(pointer)] = value; });
  };
  CHECK(error_with([](Json& json) { json = Json::array(); }) == refused("its predicate is not an object"));
  CHECK(error("/kernel", 5) == refused("\"kernel\" is not a string"));
  CHECK(error("/kernel", "../x") == refused("\"kernel\" is \"../x\", not a kernel's name"));
  CHECK(error("/sequence", "7") == refused("\"sequence\" is not a whole number from 1"));
  CHECK(error("/sequence", 7.0) == refused("\"sequence\" is not a whole number from 1"));
  CHECK(error("/sequence", 0) == refused("\"sequence\" is not a whole number from 1"));
  CHECK(error("/sequence", 18446744073709551615ULL) == refused("\"sequence\" is not a whole number from 1"));
  CHECK(error("/sequence", 1000000001) == refused("\"sequence\" is over 1000000000"));
  CHECK(error("/sequence", 1) == refused("\"previous\" is empty in the first record and in no other"));
  CHECK(error("/previous", "") == refused("\"previous\" is empty in the first record and in no other"));
  CHECK(error("/previous", "sha256:12") == refused("\"previous\" is \"sha256:12\", not a digest or empty"));
  CHECK(error("/heads", "") == refused("\"heads\" is \"\", not a digest"));
  CHECK(error("/heads", "sha256:" + std::string(64, 'B')).find(", not a digest; ") != std::string::npos);
  for (const char* bad :
       {"2026-01-01", "2026-01-01T00:00:00", "2026-01-01 00:00:00Z", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-01-32T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z", "26-01-01T00:00:00Z", ""}) {
    CHECK(error("/time", bad) == refused("\"time\" is \"" + std::string(bad) + "\", not a time"));
  }
  CHECK(error("/commit", "") == refused("\"commit\" is \"\", not a commit"));
  CHECK(error("/commit", "abc") == refused("\"commit\" is \"abc\", not a commit"));
  CHECK(error("/content", "") == refused("\"content\" is \"\", not a digest"));
  CHECK(error("/files", Json::object()) == refused("\"files\" is empty"));
  CHECK(error("/files", Json{{"", kDigest}}) == refused("\"files\" is no name"));
  CHECK(error("/files", Json{{"a", "x"}}) == refused("\"files.a\" is \"x\", not a digest"));
  CHECK(error("/cases/revision", -1) == refused("\"cases.revision\" is not a whole number from 0"));
  CHECK(error("/reason", std::string(10001, 'x')) == refused("\"reason\" has more than 10000 bytes"));
  CHECK(error("/retired", 0) == refused("\"retired\" is neither true nor false"));
  CHECK(error("/renamed_from", "sum") == refused("\"renamed_from\" is \"sum\", not another kernel's name or empty"));
  CHECK(error("/renamed_from", "a/b") == refused("\"renamed_from\" is \"a/b\", not another kernel's name or empty"));
  CHECK(error("/measurements", Json::object()) == refused("\"measurements\" is not an array"));
  CHECK(error("/measurements/0", 1) == refused("\"measurements[0]\" is not an object"));
  CHECK(error("/measurements/0/class", "") == refused("\"measurements[0].class\" is \"\", not a class"));
  CHECK(error("/measurements/0/backend", "opencl") ==
        refused("\"measurements[0].backend\" is \"opencl\", not a backend"));
  CHECK(error("/measurements/0/resources/registers", -1) ==
        refused("\"measurements[0].resources.registers\" is not a whole number from 0"));
  const std::string us = "\"measurements[0].cases.wide.us\" is not a positive number with a point or an exponent";
  for (const Json& bad : {Json(10), Json(0.0), Json(-1.5), Json("10")})
    CHECK(error("/measurements/0/cases/wide/us", bad) == refused(us));
  CHECK(error_with([](Json& json) { json["measurements"].push_back(json["measurements"][0]); }) ==
        refused("\"measurements\" has the class \"0123456789abcdef\" twice"));
}

TEST_CASE("a retirement has no version, and a rename is no retirement") {
  const auto error = [](const std::function<void(Json&)>& action) { return error_with(action, retirement()); };
  CHECK(error([](Json& json) { json["files"]["a"] = kDigest; }) == refused("\"files\" is not empty in a retirement"));
  CHECK(error([](Json& json) { json["measurements"] = to_statement(sample()).predicate["measurements"]; }) ==
        refused("\"measurements\" is not empty in a retirement"));
  CHECK(error([](Json& json) { json["kernel_previous"] = ""; }) ==
        refused("\"kernel_previous\" is empty, and a retirement is no kernel's first record"));
  CHECK(error([](Json& json) { json["renamed_from"] = "scan"; }) ==
        refused("\"renamed_from\" is not empty in a retirement"));
}

TEST_CASE("record files have one name for each number") {
  CHECK(record_path("sum", 12) == "records/sum/000012.json");
  CHECK(record_file(1234567) == "1234567.json");
  CHECK(record_number("000012.json") == 12);
  CHECK(record_number("1234567.json") == 1234567);
  for (const char* bad :
       {"", ".json", "12.json", "0000012.json", "000000.json", "-00012.json", "000012", "000012.jso",
        "000012.json.json", "00001x.json", "99999999999999999999.json", "+00012.json", " 00012.json"}) {
    CHECK_FALSE(record_number(bad));
  }
  CHECK(object_path("sha256:ab" + std::string(62, 'c')) == "objects/sha256/ab/" + std::string(62, 'c'));
}
