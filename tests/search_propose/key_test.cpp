// Where the key must not be: in nothing that anybody sees.
#include <fmt/format.h>

#include "base/json.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/search/propose/secret.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

// All that is told of what a server did.
std::string told(const ModelStep& step) {
  const ScriptedModel model(std::vector<ModelStep>(8, step));
  FakeClock clock;
  const Reply reply = HttpProposer(options_for(model, clock)).propose(briefing());
  std::string text = reply.refusal.reason;
  if (reply.proposal) text += canonical_json(to_json(*reply.proposal)) + reply.proposal->model;
  REQUIRE_FALSE(text.empty());
  return text;
}

}  // namespace

TEST_CASE("a server that echoes the key in an error does not get it into a message") {
  const std::string escaped = "sk-test-0123456789abcdef%2F%2BSECRET";
  ModelStep plain;
  plain.status = 400;
  plain.headers["Content-Type"] = "text/plain";
  plain.body = "bad header: Authorization: Bearer " + kKey;
  ModelStep moved = fails(302, "");
  moved.headers["Location"] = "http://other.example.com/login?key=" + escaped;
  ModelStep page = plain;
  page.status = 200;
  ModelStep typed = plain;
  typed.status = 200;
  typed.headers["Content-Type"] = "text/" + kKey;
  for (const ModelStep& step : {fails(401, "Incorrect API key provided: " + kKey + "."), fails(500, "key " + kKey),
                                fails(400, escaped), plain, moved, page, typed}) {
    const std::string text = told(step);
    INFO(text);
    CHECK(text.find(kKey) == std::string::npos);
    CHECK(text.find(escaped) == std::string::npos);
    CHECK(text.find("[key]") != std::string::npos);
  }
}

TEST_CASE("a server that echoes the key in an answer does not get it into a proposal") {
  const std::string proposal =
      R"({"direction": "KEY", "parts": [{"hypothesis": "KEY", "files": {"k/f.cu": "// KEY"}}]})";
  std::string with_key = proposal;
  for (auto at = with_key.find("KEY"); at != std::string::npos; at = with_key.find("KEY", at + kKey.size()))
    with_key.replace(at, 3, kKey);
  ModelWords words;
  words.model = kKey;
  const std::string text = told(says(with_key, words));
  INFO(text);
  CHECK(text.find(kKey) == std::string::npos);
  CHECK(text.find("// [key]") != std::string::npos);
  CHECK(told(says("no JSON but " + kKey)).find(kKey) == std::string::npos);
}

TEST_CASE("a key that is no header is refused without being shown") {
  for (const char* key : {"sk-secret\nX-Evil: 1", "sk secret", "sk-secret\r",
                          "sk-s\xC3\xA9"
                          "cret"}) {
    CHECK(
        error_of([&] { Secret{key}; }) ==
        "usage: the key: holds white space or characters beyond ASCII; give it as the provider shows it, on one line");
  }
  CHECK(Secret("sk-secret").redacted("a sk-secret, sk-secretsk-secret") == "a [key], [key][key]");
  CHECK(Secret().redacted("text") == "text");
  CHECK(Secret("EMPTY").redacted("#define EMPTY 0") == "#define EMPTY 0");
}
