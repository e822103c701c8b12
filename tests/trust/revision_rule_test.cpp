#include "gate/trust/revision_rule.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using trust::CasesStatement;

namespace {

constexpr const char* kSubject = "kernels/scale/cases.toml";

CasesStatement statement(std::int64_t revision, const std::string& reference = "r1",
                         const std::string& kernel = "scale") {
  CasesStatement cases;
  cases.kernel = kernel;
  cases.revision = revision;
  cases.files = {{"cases.toml", "c" + std::to_string(revision)}, {"reference.cu", reference}};
  return cases;
}

bool adds(const CasesStatement& cases, const trust::EarlierCases& earlier) {
  return trust::adds_signature(cases, earlier, kSubject);
}

std::string refusal(const CasesStatement& cases, const trust::EarlierCases& earlier) {
  return error_of([&] { adds(cases, earlier); });
}

}  // namespace

TEST_CASE("what nobody signed is signed anew, also where the base commit has it unsigned") {
  CHECK_FALSE(adds(statement(1), {}));
  CHECK_FALSE(adds(statement(1), {{}, statement(1), "commit a (HEAD)"}));
}

TEST_CASE("a signature is added to a statement about the same kernel, revision and files") {
  CHECK(adds(statement(3), {statement(3), {}, ""}));
  CHECK(adds(statement(3), {statement(3), statement(3), "commit a (HEAD)"}));
  CHECK(adds(statement(3), {statement(3), statement(2), "commit a (HEAD)"}));
}

TEST_CASE("changed content needs a revision higher than what was signed and what the base commit has") {
  CHECK_FALSE(adds(statement(4, "r2"), {statement(3), statement(2), "commit a (HEAD)"}));
  CHECK(
      refusal(statement(3, "r2"), {statement(3), {}, ""}) ==
      "usage: kernels/scale/cases.toml: is revision 3, and its signature is for revision 3 with another reference.cu; "
      "raise revision to 4");
  CHECK(refusal(statement(1), {{}, statement(7), "commit a (HEAD)"}) ==
        "usage: kernels/scale/cases.toml: is revision 1, and commit a (HEAD) has revision 7 with another cases.toml; "
        "raise revision to 8");
  CHECK(refusal(statement(3, "r2"), {statement(3), statement(5), "commit a (HEAD)"}) ==
        "usage: kernels/scale/cases.toml: is revision 3, and commit a (HEAD) has revision 5 with another cases.toml; "
        "raise revision to 6");
  // The same content as the signed one, but the base commit has moved on.
  CHECK(refusal(statement(3), {statement(3), statement(4), "commit a (HEAD)"}) ==
        "usage: kernels/scale/cases.toml: is revision 3, and commit a (HEAD) has revision 4 with another cases.toml; "
        "raise revision to 5");
}

TEST_CASE("a file that is named anew or no longer is a change") {
  CasesStatement more = statement(3);
  more.files["shapes.cuh"] = "s";
  CHECK(refusal(more, {statement(3), {}, ""}) ==
        "usage: kernels/scale/cases.toml: is revision 3, and its signature is for revision 3 without shapes.cuh; raise "
        "revision to 4");
  CHECK(
      refusal(statement(3), {more, {}, ""}) ==
      "usage: kernels/scale/cases.toml: is revision 3, and its signature is for revision 3 with shapes.cuh too; raise "
      "revision to 4");
}

TEST_CASE("a kernel of another name is another kernel") {
  CHECK_FALSE(adds(statement(1, "r2", "scale2"), {statement(9), {}, ""}));
}
