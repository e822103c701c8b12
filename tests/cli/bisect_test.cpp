#include <algorithm>
#include <chrono>
#include <thread>

#include <signal.h>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using kgate::Json;

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";
constexpr const char* kToml = "kernels/scale/kernel.toml";

constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

// Commits on top of the fixture's, by name.
class History {
 public:
  History() { note("good"); }

  void comment(const std::string& name) {
    cli.replace(kSource, "__global__", "// " + name + "\n__global__");
    commit(name);
  }
  void replace(const std::string& name, const std::string& path, const std::string& before, const std::string& after) {
    cli.replace(path, before, after);
    commit(name);
  }
  void commit(const std::string& name) {
    cli.commit(name);
    note(name);
  }
  void note(const std::string& name) {
    std::string id = cli.git({"rev-parse", "HEAD"}).output;
    id.erase(id.find_last_not_of('\n') + 1);
    commits[name] = id;
  }
  std::string short_of(const std::string& name) const { return commits.at(name).substr(0, 10); }

  CliFixture::Answer bisect(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "bisect");
    return cli.kgate(arguments);
  }
  Json found() const {
    return kgate::parse_json(kgate::text_of(kgate::read_file(cli.out() / "bisect.json", 1 << 20)), "bisect.json");
  }

  CliFixture cli;
  std::map<std::string, std::string> commits;
};

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("bisect finds the commit that made a kernel wrong, and measures no comment") {
  History history;
  history.comment("first comment");
  history.cli.write("README.md", "nothing of the kernel's");
  history.commit("a readme");
  history.replace("wider blocks", kToml, "block = [64, 1, 1]", "block = [128, 1, 1]");
  history.replace("narrower again", kToml, "block = [128, 1, 1]", "block = [64, 1, 1]");
  history.comment("second comment");
  history.replace("three times", kSource, "2.0f * x[i]", "3.0f * x[i]");
  history.comment("third comment");
  history.comment("fourth comment");
  history.cli.write("README.md", "more words");
  history.commit("another readme");
  history.comment("fifth comment");
  const auto found =
      history.bisect({history.commits["good"], "HEAD", "scale", "--policy-ref", history.commits["good"]});
  INFO(found.output);
  CHECK(found.code == 2);
  CHECK(has(found.output, "kgate bisect: wrong (exit code 2): scale is wrong since " + history.short_of("three times") +
                              "\n\ncommit " + history.commits["three times"] + "\nauthor test, 20"));
  CHECK(has(found.output, "\n       three times\n"));
  CHECK(has(found.output, "10 commits on the way, of which 8 changed the kernel's files; "));
  const Json json = history.found();
  CHECK(json["schema"] == "kgate.bisect/1");
  CHECK(json["exit_code"] == 2);
  CHECK(json["finished"] == true);
  REQUIRE(json["suspects"].size() == 1);
  CHECK(json["suspects"][0]["commit"] == history.commits["three times"]);
  CHECK(json["looks"][0]["verdict"] == "wrong");
  // Of two kinds of machine code one run each: the bad end's, and that of all before it.
  CHECK(json["measurements"].get<int>() == 2);
  std::size_t measured = 0;
  for (const auto& look : json["looks"]) {
    if (look["measured"] == true) ++measured;
    CHECK(look["measured"] != look.contains("same_as"));
  }
  CHECK(measured == 2);
  // Each measurement's own result is beside it.
  const std::string bad = json["looks"][0]["commit"].get<std::string>().substr(0, 10);
  const auto result = history.cli.out() / "bisect" / bad / "result.json";
  const Json whole = kgate::parse_json(kgate::text_of(kgate::read_file(result, 1 << 20)), "result.json");
  CHECK(whole["verdict"] == "wrong");
  CHECK(whole["source"]["commit"] == json["looks"][0]["commit"]);
  // The answer names the folders that are there, and what they hold says how to repeat it.
  const std::string command = "whole result of " + bad + ": kgate report " + result.parent_path().string() + "\n";
  CHECK(has(found.output, command));
  const auto report = history.cli.kgate({"report", result.parent_path().string()});
  CHECK(report.code == 0);
  const std::string again = "again: kgate bisect " + history.short_of("good") + " " + bad + " scale --policy-ref " +
                            history.short_of("good") + " --backend host --seed " + json["seed"].get<std::string>();
  INFO(report.output);
  CHECK(has(report.output, again + "\n"));
}

TEST_CASE("a second bisection has nothing of the first in its folder") {
  History history;
  history.replace("three times", kSource, "2.0f * x[i]", "3.0f * x[i]");
  history.replace("four times", kSource, "3.0f * x[i]", "4.0f * x[i]");
  const auto folders = [&] {
    std::vector<std::string> names;
    for (const auto& one : std::filesystem::directory_iterator(history.cli.out() / "bisect"))
      names.push_back(one.path().filename().string());
    std::sort(names.begin(), names.end());
    return names;
  };
  history.cli.write("../out/result.json", "of a kgate run");
  CHECK(history.bisect({history.commits["good"], "HEAD", "scale", "--policy-ref", history.commits["good"]}).code == 2);
  CHECK(folders().size() == 3);  // the good end too: it might have been wrong as well
  CHECK(history.bisect({history.commits["good"], "HEAD~1", "scale", "--policy-ref", history.commits["good"]}).code ==
        2);
  std::vector<std::string> both{history.short_of("good"), history.short_of("three times")};
  std::sort(both.begin(), both.end());
  CHECK(folders() == both);
  CHECK(std::filesystem::exists(history.cli.out() / "result.json"));
  // One that cannot begin leaves no answer of another's either.
  CHECK(history.bisect({"nowhere", "HEAD", "scale"}).code == 64);
  CHECK_FALSE(std::filesystem::exists(history.cli.out() / "bisect.json"));
  CHECK_FALSE(std::filesystem::exists(history.cli.out() / "bisect"));
}

TEST_CASE("commits in which a kernel cannot be judged are told apart, and are no changes of it") {
  History history;
  history.replace("forbidden", kToml, "sources =", "options = [\"--device-debug\"]\nsources =");
  history.cli.write("README.md", "words");
  history.commit("a readme");
  history.cli.git({"rm", "-q", "--cached", kSource});
  std::filesystem::rename(history.cli.root() / kSource, history.cli.root() / ".git/kept.cu");
  history.cli.replace(kToml, "options = [\"--device-debug\"]\n", "");
  history.commit("source lost");
  std::filesystem::rename(history.cli.root() / ".git/kept.cu", history.cli.root() / kSource);
  history.replace("wrong", kSource, "2.0f * x[i]", "3.0f * x[i]");
  const auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(has(answer.output, "scale is wrong since one of 4 commits\n"));
  CHECK(has(answer.output,
            "4 commits on the way, of which 1 changed the kernel's files; in 3 of them it cannot be "
            "judged; "));
  CHECK(has(answer.output, "  forbidden\n              missing: "));
  CHECK(has(answer.output, "option \"--device-debug\" is not on the policy's allow list"));
  CHECK(has(answer.output, "  source lost\n              missing: "));
  const Json json = history.found();
  CHECK(json["changes"] == 1);
  CHECK(json["unjudged"] == 3);
}

TEST_CASE("bisect finds the commit that made a kernel slower, beside the good one, and says by how much") {
  History history;
  const std::string cases(kgate::text_of(kgate::read_file(history.cli.root() / "kernels/scale/cases.toml", 1 << 20)));
  history.cli.write("kernels/scale/cases.toml", cases + kTimed);
  history.cli.replace(".kgate/policy.toml", "[trust]",
                      "[budget]\nseconds_per_case = 30\n[zone]\ntolerate = 0.5\nblock = 0.9\n[trust]");
  history.commit("timed");
  history.comment("a comment");
  history.replace("a slow loop", kSource, "y[i] = 2.0f * x[i];",
                  "{ float s = 0; for (volatile int k = 0; k < 400; k = k + 1) s = 2.0f * x[i]; y[i] = s; }");
  history.comment("another comment");
  history.cli.replace(kToml, "block = [64, 1, 1]", "block = [32, 1, 1]");
  history.replace("narrow", kToml, "ceil_div(n, 64)", "ceil_div(n, 32)");
  const auto answer = history.bisect({history.commits["timed"], "HEAD", "scale"});
  INFO(answer.output);
  if (answer.code == 3) KGATE_SKIP("this machine is too busy to tell a slowdown of several times");
  CHECK(answer.code == 1);
  CHECK(has(answer.output,
            "kgate bisect: regressed (exit code 1): scale is slower since " + history.short_of("a slow loop") + "\n"));
  CHECK(has(answer.output, "against " + history.short_of("timed") + ", in case timed\n"));
  const Json json = history.found();
  REQUIRE(json["suspects"].size() == 1);
  CHECK(json["suspects"][0]["commit"] == history.commits["a slow loop"]);
  CHECK(json["by_time"] == true);
  CHECK(json["cases"] == Json::array({"timed"}));
  CHECK(json["before"]["time"]["ratio"].get<double>() == 1);
  CHECK(json["step"]["low"].get<double>() > 1.5);
  CHECK(json["measurements"].get<int>() <= 3);
}

TEST_CASE("bisect finds what no longer compiles without a measurement") {
  History history;
  history.comment("one");
  history.replace("broken", kSource, "2.0f * x[i]", "2.0f * z[i]");
  history.comment("two");
  history.comment("three");
  const auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(has(answer.output, "scale does not compile since " + history.short_of("broken") + "\n"));
  CHECK(has(answer.output, "3 versions compiled, 1 measurement\n") == false);
  // The bad end's own run of the gate is not needed: it does not compile.
  CHECK(history.found()["measurements"] == 0);
}

TEST_CASE("where nothing is wrong between two commits bisect says so, and measures nothing that is the same") {
  History history;
  history.comment("a comment");
  auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(
      has(answer.output, "kgate bisect: nothing found (exit code 0): scale is neither slower nor wrong in " +
                             history.short_of("a comment") + " beside " + history.short_of("good") +
                             ": its machine code is the same in both commits; whether that is right was not asked\n"));
  CHECK(history.found()["measurements"] == 0);
  history.cli.write("README.md", "words");
  history.commit("a readme");
  answer = history.bisect({history.commits["a comment"], "HEAD", "scale"});
  CHECK(answer.code == 0);
  CHECK(has(answer.output, ": both commits have the same version of it; whether that is right was not asked\n"));
  history.replace("wider", kToml, "block = [64, 1, 1]", "block = [128, 1, 1]");
  answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  CHECK(answer.code == 0);
  CHECK(history.found()["measurements"] == 1);
  CHECK(history.found()["finding"] == "none");
}

TEST_CASE("commits that cannot be measured are passed over, and what cannot be told apart is told together") {
  History history;
  history.replace("wide", kToml, "block = [64, 1, 1]", "block = [96, 1, 1]");
  history.replace("does not compile", kSource, "2.0f * x[i]", "2.0f * z[i]");
  history.cli.git({"mv", "kernels/scale/kernel.toml", "kernels/scale/kernel.off"});
  history.commit("gone");
  history.cli.git({"mv", "kernels/scale/kernel.off", "kernels/scale/kernel.toml"});
  history.replace("wrong", kSource, "2.0f * z[i]", "3.0f * x[i]");
  history.comment("a comment");
  const auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(has(answer.output, "scale is wrong since one of 3 commits\n"));
  CHECK(has(answer.output, "  " + history.short_of("does not compile") + "  "));
  CHECK(has(answer.output, "              missing: is not there\n"));
  CHECK(has(answer.output, "they cannot be told apart: those between could not be measured\n"));
  const Json json = history.found();
  REQUIRE(json["suspects"].size() == 3);
  CHECK(json["suspects"][0]["commit"] == history.commits["does not compile"]);
  CHECK(json["suspects"][1]["commit"] == history.commits["gone"]);
  CHECK(json["suspects"][2]["commit"] == history.commits["wrong"]);
}

TEST_CASE("a merge that brought it is named with the way into it") {
  History history;
  history.cli.git({"checkout", "-q", "-b", "topic"});
  history.comment("on topic");
  history.replace("three times", kSource, "2.0f * x[i]", "3.0f * x[i]");
  history.cli.git({"checkout", "-q", "main"});
  history.cli.write("README.md", "words");
  history.commit("on main");
  history.cli.git({"merge", "-q", "--no-ff", "-m", "merge topic", "topic"});
  history.note("merge");
  history.comment("after it");
  const auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(has(answer.output, "scale is wrong since " + history.short_of("merge") + "\n"));
  CHECK(has(answer.output, "it is a merge; to look inside of it: kgate bisect " + history.short_of("good") + " " +
                               history.short_of("three times") + " scale\n"));
  const auto inside = history.bisect({history.commits["good"], history.commits["three times"], "scale"});
  CHECK(has(inside.output, "scale is wrong since " + history.short_of("three times") + "\n"));
}

TEST_CASE("a kernel is found where it was, and a commit's own cases and other kernels do not matter") {
  History history;
  history.cli.write("kernels/other/kernel.toml", "this is not TOML");
  history.cli.git({"mv", "kernels/scale", "kernels/old_place"});
  history.cli.replace("kernels/old_place/cases.toml", "revision = 1", "revision = 7");
  history.commit("moved");
  history.cli.replace("kernels/old_place/scale.cu", "2.0f * x[i]", "3.0f * x[i]");
  history.cli.replace("kernels/old_place/reference.cu", "x[i] + x[i]", "3.0f * x[i]");
  history.commit("three times, and right by its own cases");
  history.cli.git({"mv", "kernels/old_place", "kernels/scale"});
  history.cli.git({"rm", "-q", "-r", "--cached", "kernels/other"});
  std::filesystem::remove_all(history.cli.root() / "kernels/other");
  history.cli.replace("kernels/scale/cases.toml", "revision = 7", "revision = 8");
  history.replace("moved back", "kernels/scale/reference.cu", "3.0f * x[i]", "x[i] + x[i]");
  const auto answer = history.bisect({history.commits["good"], "HEAD", "scale"});
  INFO(answer.output);
  CHECK(answer.code == 2);
  CHECK(
      has(answer.output, "scale is wrong since " + history.short_of("three times, and right by its own cases") + "\n"));
}

TEST_CASE("what bisect cannot begin with is told whole") {
  History history;
  history.replace("three times", kSource, "2.0f * x[i]", "3.0f * x[i]");
  history.comment("a comment");
  const std::string good = history.commits["good"], head = history.commits["a comment"];
  CHECK(has(history.bisect({good, "HEAD", "scael"}).output, "kgate: kernel \"scael\": is not in commit " +
                                                                head.substr(0, 10) +
                                                                ", whose cases count; did you mean \"scale\"?\n"));
  CHECK(history.bisect({good, "HEAD", "scael"}).code == 6);  // as kgate run scael
  const auto newer = history.bisect({"HEAD", good, "scale"});
  CHECK(newer.code == 64);
  CHECK(has(newer.output, "kgate: GOOD \"HEAD\": is newer than BAD \"" + good +
                              "\", which comes before it; give the older one first: kgate bisect " + good +
                              " HEAD scale\n"));
  const auto help = history.cli.kgate({"bisect", "--help"});
  CHECK(help.code == 0);
  CHECK(has(help.output, "kgate bisect v1.4 HEAD softmax"));
  CHECK(has(help.output, "3 too noisy"));
  CHECK_FALSE(has(help.output, "missing or new"));
  CHECK(
      has(history.bisect({good, "nowhere", "scale"}).output,
          "kgate: revision \"nowhere\": names no commit of this clone; give a branch, a tag or a commit that is here, "
          "or fetch it first\n"));
  const auto missing = history.bisect({good, "HEAD"});
  CHECK(missing.code == 64);
  CHECK(has(missing.output, "kgate bisect: KERNEL is required; see kgate bisect --help\n"));
  // Wrong from the beginning: there is no good end.
  history.replace("four times", kSource, "3.0f * x[i]", "4.0f * x[i]");
  const auto wrong = history.bisect({history.commits["three times"], "HEAD", "scale"});
  INFO(wrong.output);
  CHECK(wrong.code == 64);
  CHECK(has(wrong.output, "kgate: kernel \"scale\" in " + history.short_of("three times") + ": is wrong too: case "));
  CHECK(has(wrong.output, "; give an earlier commit as the good one\n"));
  CHECK(history.found()["finished"] == false);
}

TEST_CASE("a commit of another branch is refused with the one from which both come") {
  History history;
  history.cli.git({"checkout", "-q", "-b", "topic"});
  history.comment("on topic");
  history.cli.git({"checkout", "-q", "main"});
  history.comment("on main");
  const auto answer = history.bisect({"topic", "main", "scale"});
  CHECK(answer.code == 64);
  CHECK(has(answer.output, "kgate: commit " + history.commits["on topic"] + ": is not an ancestor of " +
                               history.short_of("on main") + "; give one that is, such as " + history.short_of("good") +
                               ", from which both come\n"));
}

TEST_CASE("an interrupted bisection leaves what it found until then") {
  History history;
  history.replace("endless", kSource, "if (i < n)",
                  "volatile int* stop = (volatile int*)y; while (i == 0 && *stop != 42) {}\n  if (i < n)");
  history.cli.replace(kSource, "volatile int* stop = (volatile int*)y; while (i == 0 && *stop != 42) {}\n  if (i < n)",
                      "if (i < n)");
  history.replace("wrong", kSource, "2.0f * x[i]", "3.0f * x[i]");
  auto options = history.cli.command({"bisect", history.commits["good"], "HEAD", "scale"});
  auto process = kgate::Process::start(options);
  const auto place = history.cli.out() / "bisect.json";
  for (int i = 0; i < 600 && !std::filesystem::exists(place); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  ::kill(process.id(), SIGINT);
  const auto status = process.wait(std::chrono::seconds(20));
  REQUIRE(status);
  CHECK(status->code == 130);
  const Json json = history.found();
  CHECK(json["finished"] == false);
  CHECK(json["exit_code"] == 130);
  CHECK(json["verdict"] == "wrong");
  CHECK(json["suspects"].size() == 3);
  CHECK(has(json["trouble"].get<std::string>(), "SIGINT"));
  // What is there can be read, and gone on from.
  const auto known = json["looks"][0]["result"].get<std::string>();
  CHECK(history.cli.kgate({"report", known}).code == 0);
}
