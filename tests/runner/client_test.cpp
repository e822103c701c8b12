#include "runner/client.h"

#include <csignal>
#include <thread>

#include "tests/support/errors.h"

using namespace kgate;
using runner::Client;

namespace {

Client child(const std::string& manner) {
  runner::ClientOptions options;
  options.runner = KGATE_FAKE_RUNNER;
  options.backend = "host";
  options.device = manner;
  return Client(options);
}

constexpr Client::Seconds kLimit(20);

}  // namespace

TEST_CASE("a child that crashes while a kernel runs is a finding about the kernel") {
  Client client = child("crash");
  const auto report = client.run({}, 0xff, kLimit);
  CHECK_FALSE(report.outcome.ok);
  CHECK(report.outcome.fault == "the kernel crashed (SIGSEGV)");
  CHECK(client.lost());
}

TEST_CASE("a child that hangs is killed at its deadline, with what it started") {
  Client client = child("hang");
  const auto outcome = client.time({}, Client::Seconds(0.2));
  CHECK(outcome.run.fault == "the kernel did not finish within 0.2 s");
  CHECK(client.lost());
}

TEST_CASE("a child that ends while it has nothing to do with a kernel is the machine's fault") {
  CHECK(error_of([] { child("exit").probe(kLimit); }) ==
        "environment: kgate-runner: ended by itself with code 3 while it was asked to open the device");
  CHECK(error_of([] { child("crash").allocate({}, kLimit); }) ==
        "environment: kgate-runner: crashed (SIGSEGV) while it was asked to allocate buffers");
}

TEST_CASE("an error that the child reports is thrown as it was") {
  CHECK(error_of([] { child("error").probe(kLimit); }) == "environment: the device: fell off the bus; reboot");
}

TEST_CASE("a child that speaks rubbish is an internal error, never an answer") {
  CHECK(error_of([] { child("garbage").probe(kLimit); }) ==
        "internal: runner protocol: a frame that holds no CBOR map");
  CHECK(error_of([] { child("huge").probe(kLimit); }) == "internal: runner protocol: a frame of 4294967295 bytes");
  CHECK(error_of([] { child("empty").probe(kLimit); }) == "internal: runner protocol: \"backend\" is missing");
  CHECK(error_of([] { child("empty").run({}, 0, kLimit); }) == "internal: runner protocol: a run without an outcome");
  CHECK(error_of([] { child("empty").read(0, kLimit); }) == "internal: runner protocol: an output without its memory");
  CHECK(error_of([] { child("negative").time({}, kLimit); }).starts_with("internal: runner protocol:"));
}

TEST_CASE("a child that stops in the middle of an answer has ended") {
  CHECK(error_of([] { child("half").probe(kLimit); }) ==
        "environment: kgate-runner: ended by itself with code 0 while it was asked to open the device");
}

TEST_CASE("a client that was lost answers nothing more") {
  Client client = child("crash");
  client.run({}, 0, kLimit);
  CHECK(error_of([&] { client.probe(kLimit); }) ==
        "internal: kgate-runner: was asked again after it was lost (crashed (SIGSEGV))");
}

TEST_CASE("a runner that is not there is the environment's fault") {
  runner::ClientOptions options;
  options.runner = "/nonexistent/kgate-runner";
  CHECK(error_of([&] {
          Client client(options);
        }).starts_with("environment: /nonexistent/kgate-runner: cannot be started"));
}
