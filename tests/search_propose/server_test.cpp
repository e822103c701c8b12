// Servers that fail, in every way that they do.
#include <csignal>
#include <thread>

#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/interrupt.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/search/propose/retry.h"
#include "tests/base/in_child.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

// What comes of a script, and how long was slept between tries.
struct Run {
  Reply reply;
  std::vector<double> slept;
  std::size_t asked = 0;
  std::string host;
};

Run run(std::vector<ModelStep> steps, const std::function<void(HttpOptions&)>& change = {},
        const Briefing& about = briefing()) {
  const ScriptedModel model(std::move(steps));
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  if (change) change(options);
  Run outcome;
  outcome.reply = HttpProposer(options).propose(about);
  outcome.slept = clock.slept;
  outcome.asked = model.requests().size();
  outcome.host = model.host();
  INFO(outcome.reply.refusal.reason);
  CHECK(outcome.reply.refusal.reason.find(kKey) == std::string::npos);
  return outcome;
}

std::string reason(const Run& outcome) {
  CHECK_FALSE(outcome.reply.proposal);
  std::string text = outcome.reply.refusal.reason;
  const auto at = text.find(outcome.host);
  return at == std::string::npos ? text : text.replace(at, outcome.host.size(), "HOST");
}

ModelStep with(ModelStep step, const std::function<void(ModelStep&)>& change) {
  change(step);
  return step;
}

// A port of this machine on which nobody listens.
std::string dead_url() {
  const UniqueFd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), length);
  ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &length);
  return fmt::format("http://127.0.0.1:{}/v1", ntohs(address.sin_port));
}

}  // namespace

TEST_CASE("what may pass is tried again after waits that double, with jitter") {
  const Run outcome = run({fails(500, "a"), fails(503, "b"), fails(408, "c"), fails(429, "d"), says(kProposal)});
  CHECK(outcome.reply.proposal);
  CHECK(outcome.asked == 5);
  REQUIRE(outcome.slept.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const double whole = std::exp2(static_cast<double>(i));
    CHECK(outcome.slept[i] >= whole / 2);
    CHECK(outcome.slept[i] < whole);
  }
  // Refused requests are not charged for.
  CHECK(outcome.reply.usage.tokens_out < 1000);
  // The same seed waits the same.
  CHECK(run({fails(500, "a"), fails(503, "b"), fails(408, "c"), fails(429, "d"), says(kProposal)}).slept ==
        outcome.slept);
  const auto other = [](HttpOptions& options) { options.server.jitter_seed = 1; };
  CHECK(run({fails(500, "a"), says(kProposal)}, other).slept.front() != outcome.slept.front());
}

TEST_CASE("waits between tries grow to their bound and no further") {
  RandomStream jitter(1, 2);
  for (int tries = 1; tries < 100; ++tries) {
    const double pause = pause_after(tries, 60, jitter);
    CHECK(pause >= std::min(60.0, std::exp2(tries - 1)) / 2);
    CHECK(pause <= 60);
  }
}

TEST_CASE("a server that never recovers is given up, with its words") {
  const Run outcome = run({fails(503, "over\nloaded"), fails(503, "a"), fails(503, "over\nloaded")},
                          [](HttpOptions& options) { options.server.retries = 2; });
  CHECK(reason(outcome) == "HOST answered 503: over loaded (tried 3 times)");
  CHECK(outcome.reply.refusal.kind == Refusal::Kind::unavailable);
  CHECK(outcome.asked == 3);
}

TEST_CASE("Retry-After is honoured in seconds, and too long a wait is none") {
  const auto wait = [](const char* value) {
    return with(fails(429, "slow down"), [&](ModelStep& step) { step.headers["Retry-After"] = value; });
  };
  const Run short_wait = run({wait("17"), says(kProposal)});
  CHECK(short_wait.reply.proposal);
  CHECK(short_wait.slept == std::vector<double>{17});
  const Run long_wait = run({wait("3600"), says(kProposal)});
  CHECK(
      reason(long_wait) ==
      "HOST answered 429: slow down; ask less often, or raise the account's limits; it wants to be left alone for 3600 "
      "s, and kgate waits 60 s at most");
  CHECK(long_wait.asked == 1);
  CHECK(long_wait.slept.empty());
  const Run rubbish = run({wait("soon"), says(kProposal)});
  CHECK(rubbish.reply.proposal);
  CHECK(rubbish.slept.front() < 1);
}

TEST_CASE("what will not pass is told at once, with the remedy") {
  const std::map<int, std::string> remedies{
      {400, "; look at [search] model, temperature and max_tokens"},
      {401, "; the key is missing or not accepted: look at the variable that holds it"},
      {402, "; the account has no money left"},
      {403, "; the key may not use this model"},
      {404, "; look at [search] url and model"},
      {413, "; lower [search] prompt_bytes"},
      {418, ""}};
  for (const auto& [status, remedy] : remedies) {
    const Run outcome = run({fails(status, "no"), says(kProposal)});
    CHECK(reason(outcome) == fmt::format("HOST answered {}: no{}", status, remedy));
    CHECK(outcome.asked == 1);
    CHECK(outcome.reply.usage.tokens_in == 0);
  }
  CHECK(reason(run({fails(400, "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.")})) ==
        "HOST answered 400: Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.; set [search] "
        "max_tokens_as = \"max_completion_tokens\"");
}

TEST_CASE("a redirect is not followed, and told") {
  const ScriptedModel elsewhere({says(kProposal)});
  for (const int status : {301, 302, 307, 308}) {
    const Run outcome = run({with(fails(status, "moved"), [&](ModelStep& step) {
      step.headers["Location"] = elsewhere.url() + "/chat/completions";
    })});
    CHECK(reason(outcome) ==
          fmt::format("HOST answered {} and points to {}/chat/completions; kgate follows no redirect "
                      "with a key: write the address that is meant into [search] url",
                      status, elsewhere.url()));
  }
  CHECK(elsewhere.requests().empty());
}

TEST_CASE("a connection that is refused is tried again, and told") {
  const std::string url = dead_url();
  FakeClock clock;
  HttpOptions options;
  options.server.url = url;
  options.server.clock = &clock;
  options.server.retries = 2;
  options.model = "m";
  const Reply reply = HttpProposer(options).propose(briefing());
  CHECK(reads(reply.refusal.reason, url.substr(7, url.size() - 10) + " cannot be reached: ", " (tried 3 times)"));
  CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
  CHECK(clock.slept.size() == 2);
  CHECK(reply.usage.tokens_in == 0);
}

TEST_CASE("an answer that breaks off is asked for again, and counted as if it had been as long as it may be") {
  for (const std::size_t bytes : {0, 5, 60, 150, 400}) {
    INFO(bytes);
    const Run outcome =
        run({with(says(kProposal), [&](ModelStep& step) { step.drop_after = bytes; }), says(kProposal, {1000, 100})});
    CHECK(outcome.reply.proposal);
    CHECK(outcome.asked == 2);
    CHECK(outcome.slept.size() == 1);
    CHECK(outcome.reply.usage.tokens_out == 8192 + 100);
    CHECK(outcome.reply.usage.estimated);
  }
  const Run chunked = run({with(says(kProposal),
                                [](ModelStep& step) {
                                  step.chunked = true;
                                  step.drop_after = 200;
                                }),
                           says(kProposal)});
  CHECK(chunked.reply.proposal);
}

TEST_CASE("a server that hangs before it answers runs into the whole time, and is not asked again") {
  const Run outcome = run({with(says(kProposal), [](ModelStep& step) { step.hang_after = 0; }), says(kProposal)},
                          [](HttpOptions& options) { options.server.timeout_s = 0.2; });
  CHECK(reads(reason(outcome), "HOST did not answer in time: ", "; raise [search] timeout_s, or lower max_tokens"));
  CHECK(outcome.asked == 1);
  CHECK(outcome.reply.usage.tokens_out == 8192);
}

TEST_CASE("a server that dribbles runs into the whole time too") {
  const Run outcome = run({with(says(std::string(20000, 'x')), [](ModelStep& step) { step.trickle = 1; })},
                          [](HttpOptions& options) { options.server.timeout_s = 0.3; });
  CHECK(reads(reason(outcome), "HOST did not answer in time: ", "; raise [search] timeout_s, or lower max_tokens"));
}

TEST_CASE("an answer that stalls in its middle is given up long before the whole time, and asked for again") {
  const Run outcome = run({with(says(kProposal), [](ModelStep& step) { step.hang_after = 150; }), says(kProposal)},
                          [](HttpOptions& options) {
                            options.server.timeout_s = 3600;
                            options.server.stall_s = 0.2;
                          });
  CHECK(outcome.reply.proposal);
  const Run always =
      run({with(says(kProposal), [](ModelStep& step) { step.hang_after = 150; })}, [](HttpOptions& options) {
        options.server.stall_s = 0.2;
        options.server.retries = 0;
      });
  CHECK(reason(always) == "HOST broke off: sent nothing for 0.2 s in the middle of its answer");
}

TEST_CASE("rubbish is asked for again, and told with its beginning") {
  ModelStep page;
  page.headers = {{"Content-Type", "text/html"}};
  page.body = "<html><body>\nSign in\n</body></html>";
  const auto once = [](HttpOptions& options) { options.server.retries = 0; };
  CHECK(
      reason(run({page}, once)) ==
      "HOST answered 200 with what is no chat completion (text/html): the answer: is not valid JSON at byte 0 (line 1, "
      "column 1): near \"<html><body>\": <html><body> Sign in </body></html>");
  ModelStep empty;
  empty.body = "{\"choices\": []}";
  CHECK(reason(run({empty}, once)) ==
        "HOST answered 200 with what is no chat completion (application/json): the answer: choices: is empty: "
        "{\"choices\": []}");
  ModelStep nothing;
  nothing.headers.clear();
  CHECK(reads(reason(run({nothing}, once)),
              "HOST answered 200 with what is no chat completion (no content type): ", ": nothing"));
  ModelStep refused = says("");
  refused.body = R"({"choices": [{"message": {"content": null, "refusal": "I may not"}}]})";
  CHECK(reason(run({refused}, once)).find("choices[0].message.content: is null; the model refused: I may not") !=
        std::string::npos);
  CHECK(run({page, says(kProposal)}).reply.proposal);
}

TEST_CASE("what is no HTTP at all is refused") {
  ModelStep rubbish;
  rubbish.body = "x";
  rubbish.headers = {{"Transfer-Encoding", "nonsense"}, {"\x01\x02", "\xFF"}};
  const Run outcome = run({rubbish}, [](HttpOptions& options) { options.server.retries = 0; });
  CHECK_FALSE(outcome.reply.proposal);
  CHECK(outcome.reply.refusal.kind == Refusal::Kind::unavailable);
}

TEST_CASE("megabytes are cut off") {
  ModelStep flood = says(std::string(5 << 20, 'x'));
  CHECK(reason(run({flood, says(kProposal)})) == "HOST sent more than 4194304 bytes: no answer is that long");
  flood.chunked = true;
  CHECK(reason(run({flood, says(kProposal)})) == "HOST sent more than 4194304 bytes: no answer is that long");
  ModelStep headers = says(kProposal);
  for (int i = 0; i < 100; ++i) headers.headers["X-" + std::to_string(i)] = std::string(4000, 'h');
  const Run outcome = run({headers}, [](HttpOptions& options) { options.server.retries = 0; });
  CHECK_FALSE(outcome.reply.proposal);
}

TEST_CASE("a signal ends the wait for an answer, and the wait between tries") {
  const auto interrupted = [](ModelStep step) {
    return in_child([&] {
      const Interrupt interrupt;
      const ScriptedModel model([&](const ModelRequest&) {
        ::kill(::getpid(), SIGTERM);
        return step;
      });
      HttpOptions options;
      options.server.url = model.url();
      options.server.interrupt = &interrupt;
      options.server.timeout_s = 3600;
      options.model = "m";
      HttpProposer proposer(options);
      return error_of([&] { proposer.propose(briefing()); });
    });
  };
  CHECK(interrupted(with(says(kProposal), [](ModelStep& step) { step.hang_after = 0; })) ==
        "interrupted: ended by SIGTERM");
  CHECK(in_child([] {
          const Interrupt interrupt;
          ::kill(::getpid(), SIGINT);
          SystemClock clock(&interrupt);
          return error_of([&] { clock.sleep(3600); });
        }) == "interrupted: interrupted by SIGINT");
}

TEST_CASE("an address that must not be used is refused before anything is sent") {
  const auto error = [](const std::string& url, bool plain = false) {
    HttpOptions options;
    options.server.url = url;
    options.server.key = kKey;
    options.server.plain_http = plain;
    options.model = "m";
    return error_of([&] { HttpProposer proposer(options); });
  };
  CHECK(error("https://api.example.com/v1") == "no error");
  CHECK(error("http://localhost:8000/v1") == "no error");
  CHECK(error("http://[::1]:8000/v1") == "no error");
  CHECK(error("http://127.0.0.2/v1") == "no error");
  CHECK(error("http://models.example.com/v1", true) == "no error");
  for (const char* url : {"http://models.example.com/v1", "http://127.0.0.1.example.com/v1", "http://10.0.0.1",
                          "http://localhost.example.com"}) {
    CHECK(error(url) ==
          fmt::format("usage: [search] url: \"{}\" would send the key and the sources unencrypted; use "
                      "https; or allow it for a network that is your own, with [search] plain_http = true",
                      url));
  }
  const std::string example = "; write for example url = \"https://api.example.com/v1\"";
  CHECK(error("ftp://api.example.com") ==
        "usage: [search] url: \"ftp://api.example.com\" is neither https nor http" + example);
  CHECK(error("file:///etc/passwd") ==
        "usage: [search] url: \"file:///etc/passwd\" is neither https nor http" + example);
  CHECK(error("https://") == "usage: [search] url: \"https://\" is no URL" + example);
  CHECK(error("https://me:secret@api.example.com/v1") ==
        "usage: [search] url: holds a user or a password; the key comes from the environment, never from the policy");
  CHECK(error("https://api.example.com/v1?key=secret") ==
        "usage: [search] url: \"https://api.example.com/v1?key=secret\" has a query or a fragment" + example);
}

TEST_CASE("the address may be the base or the whole one") {
  for (const char* tail : {"", "/", "/chat/completions", "/chat/completions/"}) {
    const ScriptedModel model({says(kProposal)});
    FakeClock clock;
    HttpOptions options = options_for(model, clock);
    options.server.url += tail;
    REQUIRE(HttpProposer(options).propose(briefing()).proposal);
    CHECK(model.requests()[0].target == "/v1/chat/completions");
  }
}
