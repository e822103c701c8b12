#include "gate/trust/statement.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::trust;

TEST_CASE("a statement reads back as it was wrapped, in in-toto's form") {
  const std::string digest(64, 'a');
  const Statement statement{{{"cases.toml", digest}}, "https://kgate.dev/cases/v1", {{"kernel", "softmax"}}};
  const Envelope envelope = wrap(statement);
  CHECK(envelope.payload_type == "application/vnd.in-toto+json");
  CHECK(text_of(envelope.payload) ==
        R"({"_type":"https://in-toto.io/Statement/v1","predicate":{"kernel":"softmax"},)"
        R"("predicateType":"https://kgate.dev/cases/v1","subject":[{"digest":{"sha256":")" +
            digest + R"("},"name":"cases.toml"}]})");
  const Statement read = unwrap(envelope, "https://kgate.dev/cases/v1", "x.dsse");
  REQUIRE(read.subjects.size() == 1);
  CHECK(read.subjects[0].name == "cases.toml");
  CHECK(read.subjects[0].sha256 == digest);
  CHECK(read.predicate == Json{{"kernel", "softmax"}});
}
