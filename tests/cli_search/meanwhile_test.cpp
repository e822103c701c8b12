#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;

TEST_CASE("a kernel that is changed while it is searched is not confirmed beside what it was not") {
  const SearchFixture cli;
  const auto source = cli.root() / SearchFixture::kSource;
  // An agent that proposes a quicker version, then changes the working tree, then has nothing more.
  const std::string script = "cat > /dev/null\nif [ -e asked ]; then\n  echo '// later' >> " + source.string() + R"(
  echo '{"schema": "kgate.agent/1", "exhausted": "that is all"}'
else
  touch asked
  echo '{"schema": "kgate.agent/1", "direction": "counting", "parts": [{"hypothesis": "less", "parameters": {"STEPS": "100"}}]}'
fi
)";
  cli.write(".kgate/agent.sh", script);
  cli.allow(
      "proposer = \"command\"\ncommand = [\"sh\", \".kgate/agent.sh\"]\niterations = 3\nseconds = 300\n"
      "gpu_seconds = 200\n");
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 64);
  CHECK(
      answer.output.find("kgate: scale: was changed while it was searched, so that what was found is no change of it; "
                         "bring it back, or search once more\n") != std::string::npos);
  CHECK(cli.summary()["confirmation"].is_null());
  CHECK(cli.summary()["best"] == 1);
}

TEST_CASE("a search does not go on with other cases: their figures do not go together") {
  const SearchFixture cli;
  cli.allow("iterations = 1\nseconds = 300\ngpu_seconds = 200\n");
  CHECK(cli.search().code == 0);
  std::string cases(text_of(read_file(cli.root() / "kernels/scale/cases.toml", 1 << 20)));
  cases.replace(cases.find("name = \"timed\""), 14, "name = \"other\"");
  cli.write("kernels/scale/cases.toml", cases);
  cli.commit("another case");
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 64);
  CHECK(answer.output.find("is the journal of another search: under the policy and cases ") != std::string::npos);
}

TEST_CASE("amounts that are no numbers are refused") {
  const SearchFixture cli;
  for (const char* flag : {"--seconds", "--gpu-seconds", "--cost-usd", "--usd-per-gpu-hour"}) {
    for (const char* amount : {"nan", "-1", "1e300"}) CHECK(cli.search({flag, amount}).code == 64);
  }
}
