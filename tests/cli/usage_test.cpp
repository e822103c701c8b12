#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

TEST_CASE("kgate without a verb, and with --help, lists the verbs and the exit codes") {
  const CliFixture cli;
  for (const auto& arguments : {std::vector<std::string>{}, std::vector<std::string>{"--help"}}) {
    const auto answer = cli.kgate(arguments);
    CHECK(answer.code == 0);
    for (const char* word : {"run", "check", "fingerprint", "doctor", "report", "Exit codes: 0 pass", "6 missing"}) {
      CHECK(answer.output.find(word) != std::string::npos);
    }
  }
}

TEST_CASE("kgate-runner, called by hand, says what it is, and whom to call instead") {
  for (const auto& arguments : {std::vector<std::string>{}, {"--help"}, {"-h"}}) {
    kgate::ProcessOptions options;
    options.command = {KGATE_RUNNER};
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    const auto answer = kgate::run_command(options, {});
    CHECK(answer.status.code == 0);
    CHECK(answer.output.starts_with("kgate-runner: the process in which kgate compiles, runs and times kernels"));
    CHECK(answer.output.find("It is not for use by hand: call kgate (kgate --help).") != std::string::npos);
  }
}

TEST_CASE("a GitHub event that is not there is no matter for who does not need it") {
  CliFixture cli;
  cli.environment["GITHUB_EVENT_PATH"] = "/nowhere/event.json";
  for (const auto& arguments :
       {std::vector<std::string>{"--version"}, {"--help"}, {"keygen", "it"}, {"doctor", "--help"}}) {
    INFO(arguments.front());
    CHECK(cli.kgate(arguments).code == 0);
  }
  CHECK(cli.kgate({"check", "--policy-ref", "main"}).code == 0);
  cli.environment["GITHUB_EVENT_NAME"] = "pull_request";
  const auto answer = cli.kgate({"check"});
  CHECK(answer.code == 4);
  CHECK(
      answer.output.find("base commit: the file that GITHUB_EVENT_PATH names is missing, empty or cannot be read; name "
                         "the protected branch: --policy-ref origin/main") != std::string::npos);
}

TEST_CASE("a message stays one line, whatever a name holds, and ends in what to do") {
  const CliFixture cli;
  auto answer = cli.kgate({"run", "--repo", "/nowhere\nkgate: pass"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: /nowhere\\x0akgate: pass: is not a folder; name the repository's folder with --repo\n");
  answer = cli.kgate({"report", "/nowhere/result.json"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: /nowhere/result.json: cannot be opened: No such file or directory; see that it is there, "
        "and how it is spelled\n");
  cli.write(".kgate/policy.toml", "schema = ");
  cli.commit("broken");
  answer = cli.kgate({"check"});
  CHECK(answer.output.find("; correct it there; https://toml.io says how TOML is written\n") != std::string::npos);
}

TEST_CASE("a cache that is named by a relative path is not made in the repository") {
  CliFixture cli;
  cli.environment["XDG_CACHE_HOME"] = "rel";
  auto options = cli.command({"check"});
  CHECK(kgate::run_command(options, {}).status.code == 0);
  CHECK_FALSE(std::filesystem::exists("rel"));
  CHECK_FALSE(std::filesystem::exists(cli.root() / "rel"));
}

TEST_CASE("an unknown verb or flag is told with the nearest one") {
  const CliFixture cli;
  auto answer = cli.kgate({"rnu"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: \"rnu\": is not known; did you mean \"run\"?\n");
  answer = cli.kgate({"run", "--polciy-ref", "main"});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("did you mean \"--policy-ref\"?") != std::string::npos);
}

TEST_CASE("values that an option does not have are usage errors") {
  const CliFixture cli;
  CHECK(cli.kgate({"run", "--profile", "weekly"}).code == 64);
  CHECK(cli.kgate({"run", "--backend", "opencl"}).code == 64);
  const auto answer = cli.kgate({"run", "--seed", "xyz"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: --seed \"xyz\": is no number of up to 16 hex digits; take the one that the report of a run prints\n");
}

TEST_CASE("a value that cannot be read is told once, with the verb's own help") {
  const CliFixture cli;
  const auto answer = cli.kgate({"log", "--limit", "many"});
  CHECK(answer.code == 64);
  CHECK(answer.output.starts_with("kgate log: "));
  CHECK(answer.output.ends_with("; see kgate log --help\n"));
}

TEST_CASE("a verb's help says how it is called, and what each option takes") {
  const CliFixture cli;
  const auto answer = cli.kgate({"accept", "--help"});
  CHECK(answer.code == 0);
  for (const char* text :
       {"Usage: kgate accept ", "--prepare DIR", "--key FILE", "--policy-ref REF", "--slower REASON"}) {
    INFO(text << " in\n" << answer.output);
    CHECK(answer.output.find(text) != std::string::npos);
  }
}

TEST_CASE("a public key in the place of the private one is told as what it is") {
  const CliFixture cli;
  REQUIRE(cli.kgate({"keygen", "ann"}).code == 0);
  const auto answer = cli.kgate({"sign", "scale", "--key", "ann.pub.pem"});
  CHECK(answer.code == 64);
  CHECK(answer.output ==
        "kgate: ann.pub.pem: is a public key; sign with its private half: NAME.key.pem of kgate keygen\n");
}

TEST_CASE("outside a git repository there is nothing to compare with") {
  const CliFixture cli;
  const auto answer = cli.kgate({"run", "--repo", "/"});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("is not in a git repository") != std::string::npos);
}

TEST_CASE("report renders a result again, and refuses what is none") {
  const CliFixture cli;
  REQUIRE(cli.kgate({"check"}).code == 0);
  const auto text = cli.kgate({"report", cli.out().string()});
  CHECK(text.code == 0);
  CHECK(text.output.find("kgate: pass (exit code 0): everything is right; a check times nothing") != std::string::npos);
  CHECK(text.output.find("again: kgate check --profile pr") != std::string::npos);
  const auto json = cli.kgate({"report", (cli.out() / "result.json").string(), "--format", "json"});
  CHECK(kgate::Json::parse(json.output) == cli.result());
  cli.write("other.json", "{\"schema\": \"kgate.result/9\"}");
  CHECK(cli.kgate({"report", (cli.root() / "other.json").string()}).code == 64);
  CHECK(cli.kgate({"report", "nowhere.json"}).code == 64);
  CHECK(cli.kgate({"report"}).output ==
        "kgate report: got 0 results; give one result.json, or a folder that holds one; with --merge, those of all "
        "shards\n");
}

TEST_CASE("fingerprint shows this machine, as JSON too, and what two of them differ in") {
  const CliFixture cli;
  const auto answer = cli.kgate({"fingerprint", "--format", "json", "--backend", "host"});
  REQUIRE(answer.code == 0);
  auto fingerprint = kgate::Json::parse(answer.output);
  for (const char* axis : {"driver", "toolkit", "device", "host", "state", "environment", "class"}) {
    CHECK(fingerprint.contains(axis));
  }
  cli.write("a.json", fingerprint.dump());
  fingerprint["host"]["kernel"] = "Linux 9.9";
  cli.write("b.json", fingerprint.dump());
  const auto difference = cli.kgate({"fingerprint", "a.json", "b.json"});
  CHECK(difference.code == 0);
  CHECK(difference.output.find("host.kernel: ") == 0);
  CHECK(difference.output.find(" -> Linux 9.9") != std::string::npos);
  CHECK(difference.output.find("; launches may cost more or less") != std::string::npos);
  CHECK(difference.output.find(" on both sides; stored times compare\n") != std::string::npos);
  CHECK(cli.kgate({"fingerprint", "a.json", "a.json"}).output.find("no differences\nclass: ") == 0);
  const auto as_json = kgate::Json::parse(cli.kgate({"fingerprint", "a.json", "b.json", "--format", "json"}).output);
  CHECK(as_json["schema"] == "kgate.fingerprint-comparison/1");
  CHECK(as_json["differences"].size() == 1);
  CHECK(as_json["differences"][0]["after"] == "Linux 9.9");
  CHECK(cli.kgate({"fingerprint", "a.json"}).code == 64);
  cli.write("none.json", "[1, 2]");
  const auto none = cli.kgate({"fingerprint", "a.json", "none.json"});
  CHECK(none.code == 64);
  cli.write("cut.json", fingerprint.dump().substr(0, 100));
  const auto cut = cli.kgate({"fingerprint", "a.json", "cut.json"});
  CHECK(cut.code == 64);
  CHECK(cut.output.find("kgate: cut.json: ") == 0);
  CHECK(none.output ==
        "kgate: none.json: is no fingerprint: \"driver\" is missing; give a fingerprint.json of a run, or what kgate "
        "fingerprint --format "
        "json printed\n");
}

TEST_CASE("doctor says what works and how to get what does not") {
  const CliFixture cli;
  const auto answer = cli.kgate({"doctor"});
  CHECK(answer.code == 0);
  CHECK(answer.output.find("ok   host backend") != std::string::npos);
  CHECK(answer.output.find("c++ compiler") != std::string::npos);
  const auto json = kgate::Json::parse(cli.kgate({"doctor", "--format", "json"}).output);
  CHECK(json["host"] == true);
}

TEST_CASE("check writes every format to its folder, and report writes and prints each of them again") {
  const CliFixture cli;
  REQUIRE(cli.kgate({"check"}).code == 0);
  const auto again = (cli.root() / "../again").string();
  REQUIRE(cli.kgate({"report", cli.out().string(), "--out", again}).code == 0);
  for (const char* name :
       {"result.json", "summary.md", "junit.xml", "metrics.prom", "codequality.json", "fingerprint.json"}) {
    INFO(name);
    const auto first = kgate::read_file(cli.out() / name, 1 << 20);
    CHECK(first == kgate::read_file(std::filesystem::path(again) / name, 1 << 20));
  }
  const auto junit = cli.kgate({"report", cli.out().string(), "--format", "junit"});
  CHECK(junit.output == kgate::text_of(kgate::read_file(cli.out() / "junit.xml", 1 << 20)));
  const auto none = cli.kgate({"report", cli.out().string(), "--format", "pdf"});
  CHECK(none.code == 64);
}

TEST_CASE("a result of one shard of two is merged to a whole that lacks the other's kernels") {
  const CliFixture cli;
  REQUIRE(cli.kgate({"check"}).code == 0);
  auto shard = cli.result();
  const auto own = shard["kernels"][0]["name"];
  shard["shard"] = {{"index", 1}, {"total", 2}, {"planned", {own, "other"}}};
  cli.write("shard.json", shard.dump());
  const auto whole =
      cli.kgate({"report", (cli.root() / "shard.json").string(), "--merge", "--out", cli.out().string()});
  CHECK(whole.code == 6);
  CHECK(whole.output.find("of 2 shards there is no result of 2") != std::string::npos);
  CHECK(cli.result()["kernels"][1]["verdict"] == "missing");
}

TEST_CASE("a result that says another verdict than its kernels is refused") {
  const CliFixture cli;
  REQUIRE(cli.kgate({"check"}).code == 0);
  auto result = cli.result();
  result["verdict"] = "wrong";
  cli.write("changed.json", result.dump());
  const auto answer = cli.kgate({"report", (cli.root() / "changed.json").string()});
  CHECK(answer.code == 64);
  CHECK(answer.output.find("it contradicts itself: its verdict is \"wrong\"") != std::string::npos);
}
