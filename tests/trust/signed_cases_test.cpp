#include "gate/trust/signed_cases.h"

#include <filesystem>

#include "base/digest.h"
#include "base/file.h"
#include "base/memory_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

constexpr const char* kDay = "2026-11-29";
constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";
const std::string kRemedy = "; restore the file as it was signed, or sign anew";
const std::string kResign = "; restore it, or have the change reviewed and signed: kgate sign scale";

using Files = std::map<std::string, Bytes>;

Keyring reviewers() {
  return Keyring({{test_key(1).public_key(), "keys/1.pub.pem", {"cases"}, {}, "2026-12-31"}}, {});
}

CasesStatement good_statement() {
  CasesStatement cases{"scale", 1, "2026-11-29T22:55:27Z", {}, {}, ""};
  cases.files = {{"cases.toml", sha256_hex("cases")},
                 {"reference.cu", sha256_hex("reference")},
                 {"../common/shapes.cuh", sha256_hex("shapes")}};
  return cases;
}

std::string signed_text(const Statement& statement) {
  Envelope envelope = wrap(statement);
  add_signature(envelope, test_key(1));
  return write_envelope(envelope);
}

// kernels/scale with a reference and a header beside it, signed.
Files good_files(const Statement& statement = to_statement(good_statement())) {
  return {{kCases, bytes_of("cases")},
          {"kernels/scale/reference.cu", bytes_of("reference")},
          {"kernels/common/shapes.cuh", bytes_of("shapes")},
          {kEnvelope, bytes_of(signed_text(statement))}};
}

std::string refusal(Files files, const std::string& day = kDay) {
  const MemoryTree tree(std::move(files), "the test's tree");
  return error_of([&] { read_signed_cases(tree, kCases, reviewers(), day); });
}

// A good predicate with one change.
template <typename Change>
std::string refusal_after(Change&& change) {
  Statement statement = to_statement(good_statement());
  change(statement.predicate);
  return error_of([&] { cases_statement_from(statement, "x.dsse"); });
}
std::string predicate_refused(const std::string& fact) {
  return "untrusted: x.dsse: the predicate: " + fact + kRemedy;
}

}  // namespace

TEST_CASE("the envelope lies beside its cases") {
  CHECK(envelope_path(kCases) == kEnvelope);
  CHECK(envelope_path("cases.toml") == "cases.toml.dsse");
}

TEST_CASE("signed cases come with their files and no others") {
  Files files = good_files();
  files["kernels/scale/extra.cuh"] = bytes_of("not signed");
  const MemoryTree tree(std::move(files), "the test's tree");
  const auto read = read_signed_cases(tree, kCases, reviewers(), kDay);
  REQUIRE(read);
  CHECK(read->statement.kernel == "scale");
  CHECK(read->statement.revision == 1);
  CHECK(read->statement.signed_at == "2026-11-29T22:55:27Z");
  CHECK(read->signers == std::vector<std::string>{"keys/1.pub.pem"});
  CHECK(read->files->list("") == std::vector<std::string>{"kernels/common/shapes.cuh", "kernels/scale/cases.toml",
                                                          "kernels/scale/reference.cu"});
  CHECK(text_of(*read->files->read("kernels/scale/reference.cu", 100)) == "reference");
  CHECK_FALSE(read->files->read("kernels/scale/extra.cuh", 100));
  CHECK(read->files->description() == "the files that kernels/scale/cases.toml.dsse signs");
}

TEST_CASE("cases without an envelope are not signed, which is no error here") {
  Files files = good_files();
  files.erase(kEnvelope);
  CHECK_FALSE(read_signed_cases(MemoryTree(files, "t"), kCases, reviewers(), kDay));
}

TEST_CASE("cases at the repository's root are signed as others are") {
  CasesStatement cases = good_statement();
  cases.files = {{"cases.toml", sha256_hex("cases")}};
  const MemoryTree tree(
      {{"cases.toml", bytes_of("cases")}, {"cases.toml.dsse", bytes_of(signed_text(to_statement(cases)))}}, "t");
  CHECK(read_signed_cases(tree, "cases.toml", reviewers(), kDay)->files->list("") ==
        std::vector<std::string>{"cases.toml"});
}

TEST_CASE("a signed file that was changed or removed is told by name") {
  Files files = good_files();
  files["kernels/scale/reference.cu"] = bytes_of("looser");
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/reference.cu: is not the file that kernels/scale/cases.toml.dsse signs" + kResign);
  files.erase("kernels/scale/reference.cu");
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/reference.cu: is signed by kernels/scale/cases.toml.dsse and missing in the test's "
        "tree" +
            kResign);
  files = good_files();
  files[kCases] = bytes_of("easier cases");
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/cases.toml: is not the file that kernels/scale/cases.toml.dsse signs" + kResign);
}

TEST_CASE("a signature that does not hold is found before any file is read") {
  Files files = good_files();
  files.erase("kernels/scale/reference.cu");
  Envelope envelope = wrap(to_statement(good_statement()));
  add_signature(envelope, test_key(2));
  files[kEnvelope] = bytes_of(write_envelope(envelope));
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/cases.toml.dsse: no key that the policy knows has signed it; have it signed with "
        "keys/1.pub.pem");
  CHECK(refusal(good_files(), "2027-01-01") ==
        "untrusted: kernels/scale/cases.toml.dsse: its signature does not count: keys/1.pub.pem was valid until "
        "2026-12-31, and this is about 2027-01-01; add a [[key]] with roles = [\"cases\"] to .kgate/policy.toml, and "
        "merge that first");
}

TEST_CASE("an envelope that is none, or too large, is untrusted and not unsigned") {
  Files files = good_files();
  files[kEnvelope] = {};
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/cases.toml.dsse: is not valid JSON at byte 0 (line 1, column 1): the text ends too "
        "early" +
            kRemedy);
  files[kEnvelope] = Bytes(kMaxEnvelope + 1);
  CHECK(refusal(files) == "untrusted: kernels/scale/cases.toml.dsse: is larger than 16777216 bytes" + kRemedy);
}

TEST_CASE("a signature of something else is refused") {
  Statement accepted = to_statement(good_statement());
  accepted.predicate_type = "https://kgate.dev/accepted/v1";
  CHECK(refusal(good_files(accepted)) ==
        "untrusted: kernels/scale/cases.toml.dsse: is no statement that kgate can use: it says "
        "\"https://kgate.dev/accepted/v1\", and \"https://kgate.dev/cases/v1\" is expected here" +
            kRemedy);
  CasesStatement cases = good_statement();
  cases.files.erase("cases.toml");
  CHECK(refusal(good_files(to_statement(cases))) ==
        "untrusted: kernels/scale/cases.toml.dsse: does not sign cases.toml" + kRemedy);
}

TEST_CASE("a signed name that leaves the repository is refused, and so is one file under two names") {
  CasesStatement cases = good_statement();
  cases.files["../../../etc/passwd"] = sha256_hex("x");
  CHECK(refusal(good_files(to_statement(cases))) ==
        "untrusted: ../../../etc/passwd: leaves the repository; keep what a kernel needs inside it");
  cases = good_statement();
  cases.files["/etc/passwd"] = sha256_hex("x");
  CHECK(refusal(good_files(to_statement(cases))) ==
        "untrusted: /etc/passwd: is an absolute path; name it relative to the file that uses it");
  cases = good_statement();
  cases.files["./reference.cu"] = sha256_hex("reference");
  CHECK(refusal(good_files(to_statement(cases))) ==
        "untrusted: kernels/scale/cases.toml.dsse: names kernels/scale/reference.cu twice, as \"reference.cu\" too" +
            kRemedy);
}

TEST_CASE("a link in the place of a signed file or of the envelope is refused, wherever it leads") {
  const TemporaryFolder folder("kgate-signed");
  for (const auto& [path, content] : good_files()) write_file_atomic(folder.path() / path, content);
  const FolderTree tree(folder.path());
  const auto refused = [&] { return error_of([&] { read_signed_cases(tree, kCases, reviewers(), kDay); }); };
  REQUIRE(refused() == "no error");
  const auto reference = folder.path() / "kernels/scale/reference.cu", aside = folder.path() / "aside";
  std::filesystem::rename(reference, aside);
  std::filesystem::create_symlink(aside, reference);
  CHECK(refused() ==
        "untrusted: kernels/scale/reference.cu: is a symbolic link, or lies behind one; put the file itself there");
  std::filesystem::remove(reference);
  std::filesystem::rename(aside, reference);
  std::filesystem::rename(folder.path() / kEnvelope, aside);
  std::filesystem::create_symlink(aside, folder.path() / kEnvelope);
  CHECK(refused() ==
        "untrusted: kernels/scale/cases.toml.dsse: is a symbolic link, or lies behind one; put the file itself there");
}

TEST_CASE("the predicate of signed cases reads back as it was written") {
  CasesStatement cases = good_statement();
  cases.revision = 7;
  cases.weaknesses = {{"scaled by 1 + 2 rtol", "case \"odd\": rtol below 2e-5 would stop it"}};
  cases.weak_reason = "the hardware's own rsqrt is that coarse";
  const Statement statement = to_statement(cases);
  CHECK(statement.predicate_type == "https://kgate.dev/cases/v1");
  CHECK(canonical_json(statement.predicate) ==
        R"({"kernel":"scale","revision":7,"signed_at":"2026-11-29T22:55:27Z",)"
        R"("weak_reason":"the hardware's own rsqrt is that coarse",)"
        R"("weaknesses":[{"mutant":"scaled by 1 + 2 rtol","remedy":"case \"odd\": rtol below 2e-5 would stop it"}]})");
  const CasesStatement read = cases_statement_from(statement, "x.dsse");
  CHECK(read.kernel == "scale");
  CHECK(read.revision == 7);
  CHECK(read.signed_at == cases.signed_at);
  CHECK(read.files == cases.files);
  REQUIRE(read.weaknesses.size() == 1);
  CHECK(read.weaknesses[0].mutant == "scaled by 1 + 2 rtol");
  CHECK(read.weaknesses[0].remedy == cases.weaknesses[0].remedy);
  CHECK(read.weak_reason == cases.weak_reason);
}

TEST_CASE("a predicate has its own keys, each of its type, and no others") {
  for (const char* key : {"kernel", "revision", "signed_at", "weaknesses", "weak_reason"}) {
    CHECK(refusal_after([&](Json& predicate) { predicate.erase(key); }) ==
          predicate_refused("\"" + std::string(key) + "\" is missing"));
  }
  CHECK(refusal_after([](Json& predicate) { predicate["tolerance"] = 1; }) ==
        predicate_refused("\"tolerance\" is not a key that this kgate knows"));
  CHECK(refusal_after([](Json& predicate) { predicate["kernel"] = 1; }) ==
        predicate_refused("\"kernel\" is not a string"));
  CHECK(refusal_after([](Json& predicate) { predicate["kernel"] = ""; }) == predicate_refused("\"kernel\" is empty"));
  for (const Json& revision : {Json(0), Json(-1), Json(1.0), Json("1"), Json(9007199254740993ULL)}) {
    CHECK(refusal_after([&](Json& predicate) { predicate["revision"] = revision; }) ==
          predicate_refused("\"revision\" is not a whole number from 1"));
  }
  for (const char* time : {"2026-11-29", "2026-11-29 22:55:27Z", "2026-11-29T22:55:27", "2026-11-29T22:55:2xZ"}) {
    CHECK(refusal_after([&](Json& predicate) { predicate["signed_at"] = time; }) ==
          predicate_refused("\"signed_at\" is no time like 2026-11-29T22:55:27Z"));
  }
  CHECK(refusal_after([](Json& predicate) { predicate["weaknesses"] = "none"; }) ==
        predicate_refused("\"weaknesses\" is not an array"));
  CHECK(refusal_after([](Json& predicate) { predicate["weaknesses"] = Json::array({"none"}); }) ==
        "untrusted: x.dsse: a weakness: it is not an object" + kRemedy);
  CHECK(refusal_after([](Json& predicate) {
          predicate["weaknesses"] = Json::array({{{"mutant", "zeros"}}});
        }) == "untrusted: x.dsse: a weakness: \"remedy\" is missing" + kRemedy);
  CHECK(refusal_after([](Json& predicate) {
          predicate["weaknesses"] = Json::array({{{"mutant", "zeros"}, {"remedy", "-"}}});
        }) == predicate_refused("there are weaknesses, and no reason why they were accepted"));
}
