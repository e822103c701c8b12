#include "gate/trust/search_bounds.h"

#include "base/file.h"
#include "gate/trust/policy.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using kgate::trust::SearchBounds;

namespace {

using Words = std::vector<std::string>;

SearchBounds parse(const std::string& text) {
  return trust::parse_policy("schema = \"kgate.policy/1\"\n[search]\n" + text, "policy.toml").search;
}

// For the table [search] whose first line is line 3.
std::string error(const std::string& text) {
  return error_of([&] { parse(text); });
}

void check_defaults(const SearchBounds& bounds) {
  CHECK_FALSE(bounds.on_regression);
  CHECK(bounds.iterations == 0);
  CHECK(bounds.repairs == 3);
  CHECK(bounds.patience == 3);
  CHECK(bounds.failures_in_a_direction == 3);
  CHECK(bounds.proposers == Words{"tuner"});
  CHECK(bounds.url.empty());
  CHECK_FALSE(bounds.temperature);
  CHECK_FALSE(bounds.seed);
  CHECK(bounds.max_tokens == 8192);
  CHECK(bounds.max_tokens_as == "max_tokens");
  CHECK(bounds.prompt_bytes == 200000);
  CHECK(bounds.price_in == 0);
  CHECK(bounds.price_out == 0);
  CHECK(bounds.retries == 4);
  CHECK_FALSE(bounds.plain_http);
  CHECK_FALSE(bounds.planner);
  CHECK_FALSE(bounds.coder);
  CHECK_FALSE(bounds.debugger);
  CHECK(bounds.command.empty());
  CHECK(bounds.pass_environment.empty());
  CHECK(bounds.timeout_s == 300);
}

}  // namespace

TEST_CASE("a search's table has defaults, and docs/policy.md shows them") {
  check_defaults(parse(""));
  check_defaults(trust::default_policy().search);
  const std::string page(text_of(read_file(std::string(KGATE_SOURCE_DIR) + "/docs/policy.md", 1 << 20)));
  const auto begin = page.find("```toml\n") + 8;
  check_defaults(trust::parse_policy(page.substr(begin, page.find("```", begin) - begin), "docs").search);
}

TEST_CASE("every key of a search is read") {
  const SearchBounds bounds = parse(R"(
on_regression = true
iterations = 7
seconds = 1800
gpu_seconds = 600
tokens = 500000
cost_usd = 5.5
repairs = 0
patience = 4
failures_in_a_direction = 2
proposer = ["tuner", "http", "command"]
url = "https://api.example.com/v1"
model = "m-1"
temperature = 0.7
seed = 12
max_tokens = 4096
max_tokens_as = "max_completion_tokens"
prompt_bytes = 30000
price_in = 2.5
price_out = 10
retries = 1
plain_http = true
timeout_s = 60.5
command = ["python3", "/opt/agent.py", ""]
pass_environment = ["OPENAI_API_KEY"]
[search.roles]
planner = { model = "thinker", prompt = "prompts/planner.md" }
coder = { model = "writer" }
debugger = {}
)");
  CHECK(bounds.on_regression);
  CHECK(bounds.iterations == 7);
  CHECK(bounds.seconds == 1800);
  CHECK(bounds.gpu_seconds == 600);
  CHECK(bounds.tokens == 500000);
  CHECK(bounds.cost_usd == 5.5);
  CHECK(bounds.repairs == 0);
  CHECK(bounds.patience == 4);
  CHECK(bounds.failures_in_a_direction == 2);
  CHECK(bounds.proposers == Words{"tuner", "http", "command"});
  CHECK(bounds.url == "https://api.example.com/v1");
  CHECK(bounds.model == "m-1");
  CHECK(bounds.temperature == 0.7);
  CHECK(bounds.seed == 12);
  CHECK(bounds.max_tokens == 4096);
  CHECK(bounds.max_tokens_as == "max_completion_tokens");
  CHECK(bounds.prompt_bytes == 30000);
  CHECK(bounds.price_in == 2.5);
  CHECK(bounds.price_out == 10);
  CHECK(bounds.retries == 1);
  CHECK(bounds.plain_http);
  CHECK(bounds.timeout_s == 60.5);
  CHECK(bounds.command == Words{"python3", "/opt/agent.py", ""});
  CHECK(bounds.pass_environment == Words{"OPENAI_API_KEY"});
  REQUIRE(bounds.planner);
  CHECK(bounds.planner->model == "thinker");
  CHECK(bounds.planner->prompt == "prompts/planner.md");
  REQUIRE(bounds.coder);
  CHECK(bounds.coder->model == "writer");
  CHECK(bounds.coder->prompt.empty());
  CHECK(bounds.debugger);
  CHECK(parse("proposer = \"tuner\"").proposers == Words{"tuner"});
}

TEST_CASE("a proposer without what it needs is told when the policy is read") {
  CHECK(error("proposer = \"http\"") ==
        "usage: policy.toml:2: search.url: is missing; the proposer \"http\" asks there, for example url = "
        "\"https://api.example.com/v1\"");
  CHECK(
      error("proposer = \"http\"\nurl = \"https://a\"") ==
      "usage: policy.toml:2: search.model: is missing; the proposer \"http\" asks for it, by the name that the server "
      "knows");
  CHECK(error("proposer = [\"tuner\", \"command\"]") ==
        "usage: policy.toml:2: search.command: is missing; the proposer \"command\" runs it, for example command = "
        "[\"python3\", \"tools/agent.py\"]");
  CHECK(error("proposer = []") ==
        "usage: policy.toml:3: search.proposer: is empty; name at least one of \"tuner\", \"http\", \"command\"");
  CHECK(error("proposer = \"tunes\"") ==
        "usage: policy.toml:3: search.proposer: \"tunes\" is not one of \"tuner\", \"http\", \"command\"; did you mean "
        "\"tuner\"?");
  CHECK(error("proposer = [\"tuner\", \"tuner\"]") == "usage: policy.toml:3: search.proposer[1]: is there twice");
}

TEST_CASE("a search's values have ranges and meanings") {
  CHECK(
      error("url = \"api.example.com\"") ==
      "usage: policy.toml:3: search.url: \"api.example.com\" begins neither with https:// nor with http://; write for "
      "example url = \"https://api.example.com/v1\"");
  CHECK(error("model = \"\"") == "usage: policy.toml:3: search.model: is empty; leave the key out");
  CHECK(error("model = \"a\\nb\"") == "usage: policy.toml:3: search.model: holds control characters");
  CHECK(error("temperature = 2.5") == "usage: policy.toml:3: search.temperature: is out of range; write 0 to 2");
  CHECK(error("temperature = nan") == "usage: policy.toml:3: search.temperature: is out of range; write 0 to 2");
  CHECK(error("seed = -1") ==
        "usage: policy.toml:3: search.seed: is out of range; write a whole number from 0 to 2147483647");
  CHECK(error("max_tokens = 10") == "usage: policy.toml:3: search.max_tokens: is out of range; write 256 to 1000000");
  CHECK(error("prompt_bytes = 10") ==
        "usage: policy.toml:3: search.prompt_bytes: is out of range; write 4096 to 16777216");
  CHECK(error("patience = 0") == "usage: policy.toml:3: search.patience: is out of range; write 1 to 1000000");
  CHECK(error("price_in = -1") ==
        "usage: policy.toml:3: search.price_in: is out of range; write US dollars a million tokens, 0 to 100000");
  CHECK(error("timeout_s = 0") ==
        "usage: policy.toml:3: search.timeout_s: is out of range; write seconds above 0, at most 86400");
  CHECK(error("max_tokens_as = \"max_token\"") ==
        "usage: policy.toml:3: search.max_tokens_as: \"max_token\" is not one of \"max_tokens\", "
        "\"max_completion_tokens\"; did you mean \"max_tokens\"?");
  CHECK(error("command = []") ==
        "usage: policy.toml:3: search.command: names no program; write for example command = [\"python3\", "
        "\"tools/agent.py\"]");
  CHECK(error("command = \"agent\"") == "usage: policy.toml:3: search.command: must be an array, not a string");
  CHECK(error("pass_environment = [\"A=B\"]") ==
        "usage: policy.toml:3: search.pass_environment[0]: \"A=B\" is no name of a variable");
  CHECK(error("pass_environment = [\"KGATE_KEY_PASSPHRASE\"]") ==
        "usage: policy.toml:3: search.pass_environment[0]: KGATE_KEY_PASSPHRASE is never passed on; it belongs to who "
        "signs; an agent has no use for it");
  CHECK(error("[search.roles]\nplaner = {}") ==
        "usage: policy.toml:4: search.roles.planer: is not a key that kgate knows; did you mean \"planner\"?");
  CHECK(error("[search.roles]\ncoder = { prompt = \"../x.md\" }") ==
        "usage: policy.toml:4: search.roles.coder.prompt: lies outside .kgate; prompts are read from the folder of the "
        "policy");
  CHECK(error("modell = \"m\"") ==
        "usage: policy.toml:3: search.modell: is not a key that kgate knows; did you mean \"model\"?");
}
