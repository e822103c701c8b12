#include "gate/trust/signed_cases.h"

#include "base/digest.h"
#include "base/memory_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

constexpr const char* kDay = "2026-11-29";

Keyring reviewers() {
  return Keyring({{test_key(1).public_key(), "keys/1.pub.pem", {"cases"}, {}, {}}}, {});
}

// kernels/scale with a reference and a header beside it, signed.
std::map<std::string, Bytes> good_files() {
  std::map<std::string, Bytes> files = {{"kernels/scale/cases.toml", bytes_of("cases")},
                                        {"kernels/scale/reference.cu", bytes_of("reference")},
                                        {"kernels/common/shapes.cuh", bytes_of("shapes")}};
  CasesStatement cases{"scale", 1, "2026-11-29T22:55:27Z", {}, {}, ""};
  cases.files = {{"cases.toml", sha256_hex("cases")},
                 {"reference.cu", sha256_hex("reference")},
                 {"../common/shapes.cuh", sha256_hex("shapes")}};
  Envelope envelope = wrap(to_statement(cases));
  add_signature(envelope, test_key(1));
  files["kernels/scale/cases.toml.dsse"] = bytes_of(write_envelope(envelope));
  return files;
}

std::string refusal(std::map<std::string, Bytes> files) {
  const MemoryTree tree(std::move(files), "the test's tree");
  return error_of([&] { read_signed_cases(tree, "kernels/scale/cases.toml", reviewers(), kDay); });
}

}  // namespace

TEST_CASE("signed cases come with their files and no others") {
  auto files = good_files();
  files["kernels/scale/extra.cuh"] = bytes_of("not signed");
  const MemoryTree tree(std::move(files), "the test's tree");
  const auto read = read_signed_cases(tree, "kernels/scale/cases.toml", reviewers(), kDay);
  REQUIRE(read);
  CHECK(read->statement.kernel == "scale");
  CHECK(read->statement.revision == 1);
  CHECK(read->statement.signed_at == "2026-11-29T22:55:27Z");
  CHECK(read->signers == std::vector<std::string>{"keys/1.pub.pem"});
  CHECK(read->files->list("") == std::vector<std::string>{"kernels/common/shapes.cuh", "kernels/scale/cases.toml",
                                                          "kernels/scale/reference.cu"});
  CHECK(text_of(*read->files->read("kernels/scale/reference.cu", 100)) == "reference");
}

TEST_CASE("cases without an envelope are not signed, which is no error here") {
  auto files = good_files();
  files.erase("kernels/scale/cases.toml.dsse");
  CHECK(refusal(files) == "no error");
}

TEST_CASE("a signed file that was changed or removed is told by name") {
  auto files = good_files();
  files["kernels/scale/reference.cu"] = bytes_of("looser");
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/reference.cu: is not the file that kernels/scale/cases.toml.dsse signs; restore it, "
        "or have the change reviewed and signed: kgate sign scale");
  files.erase("kernels/scale/reference.cu");
  CHECK(refusal(files) ==
        "untrusted: kernels/scale/reference.cu: is signed by kernels/scale/cases.toml.dsse and missing in the test's "
        "tree; restore it, or have the change reviewed and signed: kgate sign scale");
}
