// Agents as shell scripts.
#include <chrono>
#include <fstream>
#include <thread>

#include <fmt/format.h>

#include "base/file.h"
#include "base/json.h"
#include "gate/search/propose/command_proposer.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

const std::string kReply =
    R"({"schema": "kgate.agent/1", "direction": "d", "parts": [{"hypothesis": "h", "parameters": {"BLOCK": "64"}}],
        "model": "m-1", "usage": {"tokens_in": 10, "tokens_out": 5, "cost_usd": 0.25}})";

CommandOptions agent(const std::string& script) {
  CommandOptions options;
  options.command = {"/bin/sh", "-c", script};
  options.environment = {{"PATH", "/usr/bin:/bin"}};
  return options;
}

Reply ask(const std::string& script) {
  return CommandProposer(agent(script)).propose(briefing());
}

std::string refused(const std::string& script) {
  const Reply reply = ask(script);
  CHECK_FALSE(reply.proposal);
  CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
  return reply.refusal.reason;
}

std::string content_of(const std::filesystem::path& path) {
  return std::string(text_of(read_file(path, 16 << 20)));
}

// Waits for it: who adopts a process reaps it when it gets to it.
bool has_ended(pid_t id) {
  for (int i = 0; i < 1000; ++i) {
    std::ifstream file("/proc/" + std::to_string(id) + "/stat");
    std::string text;
    std::getline(file, text);
    const auto name = text.rfind(')');
    if (name == std::string::npos || text.substr(name + 2, 1) == "Z") return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

}  // namespace

TEST_CASE("an agent gets the request on its input, and its reply is the proposal") {
  const TemporaryFolder folder("kgate-agent-test-");
  const auto seen = folder.path() / "request.json";
  CommandProposer proposer(agent(fmt::format("cat > {}; echo 'thinking' >&2; echo '{}'", seen.string(), kReply)));
  CHECK(proposer.name() == "command");
  const Reply reply = proposer.propose(briefing());
  INFO(reply.refusal.reason);
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->proposer == "command");
  CHECK(reply.proposal->parent == kBest);
  CHECK(reply.proposal->model == "m-1");
  CHECK(reply.proposal->prompt.empty());
  CHECK(reply.usage.tokens_in == 10);
  CHECK(reply.usage.tokens_out == 5);
  CHECK(reply.usage.cost_usd == 0.25);
  CHECK(reply.proposal->usage.cost_usd == 0.25);
  CHECK(Json::parse(content_of(seen)) ==
        Json{{"schema", "kgate.agent/1"}, {"ask", "propose"}, {"briefing", to_json(briefing())}});
}

TEST_CASE("a repair hands over the failed proposal and what is wrong with it") {
  const TemporaryFolder folder("kgate-agent-test-");
  const auto seen = folder.path() / "request.json";
  CommandProposer proposer(agent(fmt::format("cat > {}; echo '{}'", seen.string(), kReply)));
  Proposal failed = *proposer.propose(briefing()).proposal;
  failed.parent = std::string(64, 'a');
  const Reply reply = proposer.repair(briefing(), failed, "error: no");
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->parent == failed.parent);
  const Json request = Json::parse(content_of(seen));
  CHECK(request["ask"] == "repair");
  CHECK(request["failed"] == to_json(failed));
  CHECK(request["complaint"] == "error: no");
}

TEST_CASE("a reply that cannot be read is asked for once more, with the reason") {
  const TemporaryFolder folder("kgate-agent-test-");
  const auto seen = folder.path() / "request.json";
  const std::string script = fmt::format(
      "cat > {0}; if grep -q '\"refused\"' {0}; then echo '{1}'; else echo '{{}}'; fi", seen.string(), kReply);
  CHECK(ask(script).proposal);
  CHECK(Json::parse(content_of(seen))["refused"] ==
        "the agent's reply: schema: is missing; write \"schema\": \"kgate.agent/1\"");
  CHECK(
      refused("echo 'no JSON'; echo 'I am lost' >&2").find("/bin/sh: the agent's reply: is not valid JSON at byte ") ==
      0);
  CHECK(refused("echo 'no JSON'; echo 'I am lost' >&2").ends_with("; it said: I am lost"));
  CHECK(refused("true").find("/bin/sh: the agent's reply: is not valid JSON") == 0);
}

TEST_CASE("a reply that can be read and does not fit, after it was told so, is a step: the search refuses it") {
  const TemporaryFolder folder("kgate-agent-test-");
  const auto asked = folder.path() / "asked";
  std::string unfit = kReply;
  unfit.replace(unfit.find("BLOCK"), 5, "BLOCKS");
  const Reply reply = ask(fmt::format("echo once >> {}; echo '{}'", asked.string(), unfit));
  REQUIRE(reply.proposal);
  CHECK(reply.proposal->proposer == "command");
  CHECK(reply.proposal->parts[0].parameters.contains("BLOCKS"));
  CHECK(content_of(asked) == "once\nonce\n");
}

TEST_CASE("an agent that fails is told with its exit code or signal and its last words") {
  CHECK(refused(fmt::format("echo '{}'; echo 'no\n money' >&2; exit 3", kReply)) ==
        "/bin/sh ended with exit code 3; it said: no money");
  CHECK(refused("kill -SEGV $$") == "/bin/sh was ended by signal 11");
  const std::string loud = refused("yes 'a loud word' | head -c 100000 >&2; exit 1");
  CHECK(loud.find("/bin/sh ended with exit code 1; it said: a loud word a loud word") == 0);
  CHECK(loud.size() < 4300);
  CommandOptions missing;
  missing.command = {"/no/such/agent"};
  const Reply reply = CommandProposer(missing).propose(briefing());
  CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
  CHECK(reply.refusal.reason == "/no/such/agent: cannot be started: it cannot be executed: No such file or directory");
  CHECK(error_of([] { CommandProposer{{}}; }) ==
        "usage: [search] command: names no program; write for example command = [\"python3\", \"tools/agent.py\"]");
}

TEST_CASE("an agent that misses its deadline is killed with all that it started") {
  const TemporaryFolder folder("kgate-agent-test-");
  const auto started = folder.path() / "started";
  CommandOptions options =
      agent(fmt::format("sleep 3600 & echo $! > {0}.new && mv {0}.new {0}; sleep 3600", started.string()));
  // A slow machine needs longer until the agent has started something.
  for (options.timeout_s = 0.25; !std::filesystem::exists(started); options.timeout_s *= 2) {
    REQUIRE(options.timeout_s < 100);
    const Reply reply = CommandProposer(options).propose(briefing());
    CHECK(reply.refusal.reason == fmt::format("/bin/sh did not answer within {:g} s and was ended", options.timeout_s));
    CHECK(reply.usage.seconds >= options.timeout_s);
  }
  CHECK(has_ended(std::stoi(content_of(started))));

  Briefing hurried = briefing();
  hurried.seconds_left = 0.2;
  CommandOptions patient = agent("sleep 3600");
  CHECK(CommandProposer(patient).propose(hurried).refusal.reason ==
        "/bin/sh did not answer within 0.2 s and was ended");
}

TEST_CASE("an agent that prints without end is cut off, and one that reads nothing blocks nobody") {
  const std::string flood = refused("yes | head -c 3000000");
  CHECK(flood.find("/bin/sh: the agent's reply: has 10") == 0);
  CHECK(flood.find("more than 1048576") != std::string::npos);
  Briefing large = briefing();
  large.sources["k/large.cu"] = std::string(8 << 20, 'x');
  CHECK(CommandProposer(agent(fmt::format("echo '{}'", kReply))).propose(large).proposal);
}

TEST_CASE("an agent may say that nothing is left") {
  const Reply reply = ask(R"(echo '{"schema": "kgate.agent/1", "exhausted": "done"}')");
  CHECK(reply.refusal.kind == Refusal::Kind::exhausted);
  CHECK(reply.refusal.reason == "done");
}

TEST_CASE("an agent's environment is PATH, HOME and what is listed, and never a signing key") {
  const std::map<std::string, std::string> all{{"PATH", "/usr/bin:/bin"},         {"HOME", "/home/ci"},
                                               {"OPENAI_API_KEY", "sk-1"},        {"KGATE_KEY", "signing"},
                                               {"KGATE_KEY_PASSPHRASE", "words"}, {"AWS_SECRET_ACCESS_KEY", "x"},
                                               {"KGATE_SEARCH_KEY", "sk-2"}};
  using Variables = std::map<std::string, std::string>;
  CHECK(agent_environment(all, {}) == Variables{{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/ci"}});
  CHECK(agent_environment(all, {"OPENAI_API_KEY", "KGATE_KEY", "KGATE_KEY_PASSPHRASE", "ABSENT"}) ==
        Variables{{"PATH", "/usr/bin:/bin"}, {"HOME", "/home/ci"}, {"OPENAI_API_KEY", "sk-1"}});

  const TemporaryFolder folder("kgate-agent-test-");
  const auto seen = folder.path() / "environment";
  CommandOptions options = agent(fmt::format("env > {}; echo '{}'", seen.string(), kReply));
  options.environment = agent_environment(all, {});
  REQUIRE(CommandProposer(options).propose(briefing()).proposal);
  const std::string variables = content_of(seen);
  CHECK(variables.find("HOME=/home/ci\n") != std::string::npos);
  for (const char* secret : {"sk-1", "sk-2", "signing", "words", "AWS_"})
    CHECK(variables.find(secret) == std::string::npos);
}
