#include "gate/trust/statement.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

constexpr const char* kType = "https://kgate.dev/cases/v1";
const std::string kDigest(64, 'a');
const std::string kRemedy = "; restore the file as it was signed, or sign anew";

Json good() {
  return {{"_type", "https://in-toto.io/Statement/v1"},
          {"subject", Json::array({{{"name", "cases.toml"}, {"digest", {{"sha256", kDigest}}}}})},
          {"predicateType", kType},
          {"predicate", {{"kernel", "softmax"}}}};
}

std::string refused(const std::string& payload, const std::string& payload_type = kInTotoPayload) {
  const Envelope envelope{payload_type, bytes_of(payload), {}};
  return error_of([&] { unwrap(envelope, kType, "x.dsse"); });
}
std::string refusal(const Json& statement) {
  return refused(statement.dump());
}
std::string unusable(const std::string& fact) {
  return "untrusted: x.dsse: is no statement that kgate can use: " + fact + kRemedy;
}

// A good statement with one change.
template <typename Change>
std::string refusal_after(Change&& change) {
  Json statement = good();
  change(statement);
  return refusal(statement);
}

}  // namespace

TEST_CASE("a statement reads back as it was wrapped, in in-toto's form") {
  const Statement statement{{{"cases.toml", kDigest}}, kType, {{"kernel", "softmax"}}};
  const Envelope envelope = wrap(statement);
  CHECK(envelope.payload_type == "application/vnd.in-toto+json");
  CHECK(envelope.signatures.empty());
  CHECK(text_of(envelope.payload) ==
        R"({"_type":"https://in-toto.io/Statement/v1","predicate":{"kernel":"softmax"},)"
        R"("predicateType":"https://kgate.dev/cases/v1","subject":[{"digest":{"sha256":")" +
            kDigest + R"("},"name":"cases.toml"}]})");
  const Statement read = unwrap(envelope, kType, "x.dsse");
  REQUIRE(read.subjects.size() == 1);
  CHECK(read.subjects[0].name == "cases.toml");
  CHECK(read.subjects[0].sha256 == kDigest);
  CHECK(read.predicate_type == kType);
  CHECK(read.predicate == Json{{"kernel", "softmax"}});
}

TEST_CASE("what in-toto allows beside what kgate needs is ignored") {
  CHECK(refusal_after([](Json& statement) {
          statement["more"] = 1;
          statement["subject"][0]["uri"] = "file:cases.toml";
          statement["subject"][0]["digest"]["gitBlob"] = "00";
        }) == "no error");
}

TEST_CASE("another type of payload, statement or predicate is refused") {
  CHECK(refused(good().dump(), "application/json") ==
        unusable("its payload type is \"application/json\", not \"application/vnd.in-toto+json\""));
  CHECK(refused(good().dump(), "application/vnd.in-toto+json ") ==
        unusable("its payload type is \"application/vnd.in-toto+json \", not \"application/vnd.in-toto+json\""));
  CHECK(refusal_after([](Json& statement) { statement["_type"] = "https://in-toto.io/Statement/v0.1"; }) ==
        unusable("\"_type\" is \"https://in-toto.io/Statement/v0.1\", not \"https://in-toto.io/Statement/v1\""));
  CHECK(refusal_after([](Json& statement) { statement["predicateType"] = "https://kgate.dev/accepted/v1"; }) ==
        unusable("it says \"https://kgate.dev/accepted/v1\", and \"https://kgate.dev/cases/v1\" is expected here"));
}

TEST_CASE("what a statement must have is told by name") {
  CHECK(refused("[]") == unusable("its payload is not an object"));
  CHECK(refusal_after([](Json& statement) { statement.erase("_type"); }) == unusable("\"_type\" is not a string"));
  CHECK(refusal_after([](Json& statement) { statement.erase("predicateType"); }) ==
        unusable("\"predicateType\" is not a string"));
  CHECK(refusal_after([](Json& statement) { statement.erase("predicate"); }) ==
        unusable("\"predicate\" is not an object"));
  CHECK(refusal_after([](Json& statement) { statement["predicate"] = "text"; }) ==
        unusable("\"predicate\" is not an object"));
  CHECK(refusal_after([](Json& statement) { statement.erase("subject"); }) == unusable("\"subject\" is not an array"));
  CHECK(refusal_after([](Json& statement) { statement["subject"] = Json::object(); }) ==
        unusable("\"subject\" is not an array"));
  CHECK(refusal_after([](Json& statement) { statement["subject"] = Json::array(); }) == unusable("it has no subjects"));
  CHECK(refusal_after([](Json& statement) { statement["subject"][0] = "cases.toml"; }) ==
        unusable("a subject is not an object"));
  CHECK(refusal_after([](Json& statement) { statement["subject"][0].erase("name"); }) ==
        unusable("\"name\" is not a string"));
  CHECK(refusal_after([](Json& statement) { statement["subject"][0]["name"] = ""; }) ==
        unusable("a subject has an empty name"));
  CHECK(refusal_after([](Json& statement) { statement["subject"][0].erase("digest"); }) ==
        unusable("the subject \"cases.toml\" has no digest"));
}

TEST_CASE("a subject is there once, with a SHA-256 in lower case") {
  CHECK(refusal_after([](Json& statement) { statement["subject"].push_back(Json(statement["subject"][0])); }) ==
        unusable("the subject \"cases.toml\" is there twice"));
  for (const std::string& digest : {std::string(63, 'a'), std::string(65, 'a'), std::string(64, 'A'),
                                    "sha256:" + kDigest, std::string(), std::string(64, 'g')}) {
    CHECK(refusal_after([&](Json& statement) { statement["subject"][0]["digest"]["sha256"] = digest; }) ==
          unusable("the subject \"cases.toml\" has no SHA-256 of 64 lower-case hex digits"));
  }
  CHECK(refusal_after([](Json& statement) {
          statement["subject"][0]["digest"] = {{"sha512", kDigest}};
        }) == unusable("the subject \"cases.toml\" has no SHA-256 of 64 lower-case hex digits"));
}

TEST_CASE("a payload that two readers could read differently is refused") {
  CHECK(
      refused(R"({"_type":"a","_type":"b"})") ==
      "untrusted: x.dsse: payload: is not valid JSON at byte 20 (line 1, column 21): the key \"_type\" is there twice" +
          kRemedy);
  CHECK(refused(good().dump() + "{}").starts_with("untrusted: x.dsse: payload: is not valid JSON at byte "));
  CHECK(refused("\xff") ==
        "untrusted: x.dsse: payload: is not valid JSON at byte 0 (line 1, column 1): near \"\\xff\"" + kRemedy);
}
