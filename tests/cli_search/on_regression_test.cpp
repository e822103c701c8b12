#include "tests/cli_search/search_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

constexpr const char* kBounds = "iterations = 3\nseconds = 300\ngpu_seconds = 200\npatience = 3\n";

// The base is quick; the change takes STEPS from 100 to `steps`.
struct Regressed : SearchFixture {
  explicit Regressed(const std::string& search, const std::string& steps = "20000") {
    set_steps("100");
    allow(search);
    set_steps(steps);
  }

  Answer run(std::vector<std::string> arguments = {}) const {
    arguments.insert(arguments.begin(), {"run", "--backend", "host", "--out", out().string(), "--cache",
                                         (root().parent_path() / "cache").string()});
    const auto result = run_command(command(std::move(arguments)), {});
    return {result.status.code, result.output};
  }

  Json result() const { return parse_json(text_of(read_file(out() / "result.json", 64 << 20)), "result.json"); }

 private:
  void set_steps(const std::string& steps) const {
    std::string toml(text_of(read_file(root() / kKernel, 1 << 20)));
    const std::size_t begin = toml.find("STEPS = ") + 8;
    toml.replace(begin, toml.find(' ', begin) - begin, steps);
    write(kKernel, toml);
  }
};

}  // namespace

TEST_CASE("a run whose policy wants it searches what regressed: the verdict stays, the reports carry what was found") {
  const Regressed cli(std::string("on_regression = true\n") + kBounds);
  const auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 1);
  const Json result = cli.result();
  CHECK(result["verdict"] == "regressed");
  CHECK(result["exit_code"] == 1);
  REQUIRE(result["searches"].size() == 1);
  const Json found = result["searches"][0];
  CHECK(found["kernel"] == "scale");
  CHECK(found["folder"] == cli.folder().string());
  CHECK(found["patch"] == cli.file("best.patch"));
  CHECK(found["patch"].get<std::string>().find("+defines = { STEPS = 100 }\n") != std::string::npos);
  CHECK(answer.output.find("search: scale: ") != std::string::npos);
  CHECK(cli.summary()["best"] > 0);
  CHECK(found["better"] == cli.summary()["confirmation"]["better"]);
  const auto report = [&](const char* name) { return std::string(text_of(read_file(cli.out() / name, 64 << 20))); };
  CHECK(report("summary.md").find("### A search for a better `scale`") != std::string::npos);
  CHECK(report("report.html").find("<h2>Searches for better versions</h2>") != std::string::npos);
  CHECK(cli.git({"status", "--porcelain"}).output == " M kernels/scale/kernel.toml\n");
}

TEST_CASE("a run searches nothing where the policy does not want it, nothing regressed, or it only checks") {
  {
    const Regressed silent(kBounds);
    CHECK(silent.run().code == 1);
    CHECK_FALSE(silent.result().contains("searches"));
    CHECK_FALSE(std::filesystem::exists(silent.folder()));
  }
  const Regressed unchanged(std::string("on_regression = true\n") + kBounds, "100");
  CHECK(unchanged.run().code == 0);
  CHECK_FALSE(unchanged.result().contains("searches"));
}

TEST_CASE("a search that a run cannot make is a warning, and the run's answer stays") {
  // on_regression without anything that a search may spend.
  const Regressed cli("on_regression = true\n");
  const auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 1);
  CHECK(answer.output.find("warning: search: kgate search: [search] iterations is 0: no search is allowed") !=
        std::string::npos);
  CHECK(cli.result()["searches"][0]["better"] == false);
  CHECK(cli.result()["searches"][0]["headline"].get<std::string>().starts_with("no search: "));
}

TEST_CASE("a run's search begins anew: what lies in its folder is nobody's but another run's, and goes") {
  const Regressed cli(std::string("on_regression = true\n") + kBounds, "100");
  std::filesystem::create_directories(cli.folder());
  for (const char* name : {"journal.jsonl", "best.patch", "notes.txt"})
    write_file_atomic(cli.folder() / name, std::string_view("from elsewhere"));
  CHECK(cli.run().code == 0);
  CHECK_FALSE(cli.has("journal.jsonl"));
  CHECK_FALSE(cli.has("best.patch"));
  CHECK(cli.file("notes.txt") == "from elsewhere");
  // A link there is not followed, and is no reason for another verdict.
  const auto elsewhere = cli.root().parent_path() / "elsewhere";
  std::filesystem::rename(cli.folder(), elsewhere);
  write_file_atomic(elsewhere / "best.patch", std::string_view("mine"));
  std::filesystem::create_directory_symlink(elsewhere, cli.folder());
  const auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("is a link") != std::string::npos);
  CHECK(std::filesystem::exists(elsewhere / "best.patch"));
}
