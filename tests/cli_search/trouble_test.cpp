// Where there is nothing to search, or no place for it.
#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::test;

namespace {

constexpr const char* kAllowed = "iterations = 2\nseconds = 300\ngpu_seconds = 200\n";

}  // namespace

TEST_CASE("one kernel is searched, one that there is") {
  const SearchFixture cli;
  cli.allow(kAllowed);
  auto answer = cli.search({"scale", "other"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate search: KERNEL: At Most 1 required but received 2; see kgate search --help\n");
  answer = cli.kgate({"search"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate search: KERNEL is required; see kgate search --help\n");
  answer = cli.search({"scael"});
  CHECK(answer.code == 6);
  CHECK(answer.output.find("kgate: kernel \"scael\": is neither in the working tree nor in the base nor in the ledger; "
                           "did you mean \"scale\"?\n") != std::string::npos);

  std::string toml = std::string(text_of(read_file(cli.root() / SearchFixture::kKernel, 1 << 20)));
  std::string cases = std::string(text_of(read_file(cli.root() / "kernels/scale/cases.toml", 1 << 20)));
  cases.replace(cases.find("\"scale\""), 7, "\"scaly\"");
  cli.write({{"kernels/scaly/kernel.toml", toml},
             {"kernels/scaly/scale.cu", counting_to("STEPS")},
             {"kernels/scaly/cases.toml", cases},
             {"kernels/scaly/reference.cu",
              std::string(text_of(read_file(cli.root() / "kernels/scale/reference.cu", 1 << 20)))}});
  cli.commit("another");
  answer = cli.search({"scal*"});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("kgate search: takes one kernel, and 2 were selected; name one\n") != std::string::npos);
  CHECK_FALSE(cli.has("journal.jsonl"));
}

TEST_CASE("a kernel that is wrong to begin with is not searched: exit code 2, and nobody is asked") {
  const SearchFixture cli;
  const ScriptedModel model(std::vector<ModelStep>{});
  cli.allow(kAllowed + model_lines(model));
  cli.replace(SearchFixture::kSource, "2.0f", "2.5f");
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(cli.stopped() == "baseline");
  CHECK(cli.tried().size() == 1);
  CHECK(cli.tried()[0].starts_with("wrong: case \"timed\": \"y\": 64 of 64 elements differ, "));
  CHECK(cli.summary()["stopped"]["reason"] == cli.tried()[0]);
  CHECK_FALSE(cli.has("best.patch"));
  CHECK(model.requests().empty());
}

TEST_CASE("a kernel that does not compile to begin with") {
  const SearchFixture cli;
  cli.allow(kAllowed);
  cli.write(SearchFixture::kSource, counting_to("nothing"));
  const auto answer = cli.search();
  CHECK(answer.code == 64);
  CHECK(answer.output.find("kgate: kernels/scale/kernel.toml: does not compile: ") != std::string::npos);
  CHECK(answer.output.find("; a search begins with a version that works\n") != std::string::npos);
}

TEST_CASE("cases of which none can be timed") {
  const SearchFixture cli;
  cli.allow(kAllowed);
  cli.replace("kernels/scale/cases.toml", "role = \"performance\"", "role = \"correctness\"");
  cli.commit("no performance");
  const auto answer = cli.search();
  INFO(answer.output);
  CHECK(answer.code == 64);
  CHECK(
      answer.output.find("kgate: kernels/scale/cases.toml: has no performance case that runs on the host backend; add "
                         "a [[case]] with role = \"performance\"\n") != std::string::npos);
}

TEST_CASE("a link in the place of the folder is not followed") {
  const SearchFixture cli;
  cli.allow(kAllowed);
  const auto elsewhere = cli.root().parent_path() / "elsewhere";
  std::filesystem::create_directories(elsewhere);
  const auto refused = [&](const std::filesystem::path& link) {
    std::filesystem::create_directory_symlink(elsewhere, link);
    const auto answer = cli.search();
    CHECK(answer.code == 64);
    CHECK(answer.output.find("kgate: " + link.string() + ": is a link; name the folder itself with --out\n") !=
          std::string::npos);
    CHECK(std::filesystem::is_empty(elsewhere));
    std::filesystem::remove(link);
  };
  refused(cli.out());
  std::filesystem::create_directories(cli.out());
  refused(cli.folder());
}

TEST_CASE("another search's journal is not gone on with") {
  const SearchFixture cli;
  cli.allow(kAllowed);
  REQUIRE(cli.search({"--seconds", "0.001"}).code == 0);
  const std::string journal = (cli.folder() / "journal.jsonl").string();
  const auto refused = [&](const std::string& why, std::vector<std::string> arguments) {
    const auto before = cli.file("journal.jsonl");
    const auto answer = cli.search(arguments);
    INFO(answer.output);
    CHECK(answer.code == 64);
    CHECK(answer.output.find("kgate: " + journal + ": is the journal of another search: " + why) != std::string::npos);
    CHECK(answer.output.find("; give the search a folder of its own, or remove this one\n") != std::string::npos);
    CHECK(cli.file("journal.jsonl") == before);
  };
  cli.allow("proposer = [\"tuner\", \"command\"]\ncommand = [\"true\"]\n" + std::string(kAllowed));
  refused("under the policy and cases ", {"--seconds", "0.001", "--proposer", "tuner"});
  cli.git({"reset", "-q", "--hard", "HEAD~1"});
  const std::string source = counting_to("STEPS + 1");
  cli.write(SearchFixture::kSource, source);
  refused("it began with the version ", {"--seconds", "0.001"});
}

TEST_CASE("a folder in which another search runs is left to it") {
  const SearchFixture cli;
  ModelStep hangs = says("{}");
  hangs.hang_after = 0;
  const ScriptedModel model({hangs});
  cli.allow(kAllowed + model_lines(model));
  auto first = Process::start(cli.search_command());
  while (model.requests().empty() && !first.wait(std::chrono::milliseconds(20))) {
  }
  REQUIRE(model.requests().size() == 1);
  const auto answer = cli.search();
  CHECK(answer.code == 5);
  CHECK(
      answer.output.find("kgate: " + (cli.folder() / "journal.jsonl").string() +
                         ": is being written by another search; wait until it has ended, or give this one a folder of "
                         "its own\n") != std::string::npos);
  first.kill();
}
