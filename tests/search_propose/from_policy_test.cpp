#include "gate/search/propose/from_policy.h"

#include "gate/trust/policy.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;

namespace {

trust::SearchBounds bounds(const std::string& more) {
  return trust::parse_policy(
             "schema = \"kgate.policy/1\"\n[search]\nproposer = [\"http\", \"command\"]\nurl = "
             "\"https://a.example.com/v1\"\nmodel = \"m\"\ncommand = [\"agent\", \"-x\"]\n" +
                 more,
             "policy.toml")
      .search;
}

}  // namespace

TEST_CASE("what the policy says of proposers is what they do") {
  const HttpOptions http = http_options(
      bounds(
          "temperature = 0.5\nseed = 3\nmax_tokens = 1000\nmax_tokens_as = \"max_completion_tokens\"\nprompt_bytes = "
          "50000\nprice_in = 1\nprice_out = 2\nretries = 9\nplain_http = true\ntimeout_s = 12\n[search.roles]\nplanner "
          "= "
          "{ prompt = \"p.md\" }\ncoder = { model = \"writer\" }\n"),
      {{"p.md", "Plan."}});
  CHECK(http.server.url == "https://a.example.com/v1");
  CHECK(http.server.plain_http);
  CHECK(http.server.prices.in == 1);
  CHECK(http.server.prices.out == 2);
  CHECK(http.server.retries == 9);
  CHECK(http.server.timeout_s == 12);
  CHECK(http.model == "m");
  CHECK(http.planner == "m");
  CHECK(http.prompts.planner == "Plan.");
  CHECK(http.coder == "writer");
  CHECK(http.prompts.coder == own_prompts().coder);
  CHECK(http.debugger.empty());
  CHECK(http.temperature == 0.5);
  CHECK(http.seed == 3U);
  CHECK(http.max_tokens == 1000);
  CHECK(http.max_tokens_as == "max_completion_tokens");
  CHECK(http.prompt_bytes == 50000);
  CHECK(http_options(bounds(""), {}).planner.empty());

  const CommandOptions command =
      command_options(bounds("pass_environment = [\"TOKEN\"]\ntimeout_s = 7\n"), {{"TOKEN", "t"}, {"OTHER", "o"}});
  CHECK(command.command == std::vector<std::string>{"agent", "-x"});
  CHECK(command.timeout_s == 7);
  CHECK(command.environment == std::map<std::string, std::string>{{"TOKEN", "t"}});
}

TEST_CASE("a prompt that the policy names and its commit lacks is missing") {
  CHECK(error_of([] { http_options(bounds("[search.roles]\ncoder = { prompt = \"prompts/c.md\" }\n"), {}); }) ==
        "missing: .kgate/prompts/c.md: is not there; [search.roles] names it: add it in the commit that the policy is "
        "read from");
}
