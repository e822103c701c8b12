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

TEST_CASE(
    "a child that speaks rubbish is lost and never believed: a failure of the machine, or a finding about the kernel "
    "in it") {
  const auto rubbish = [](const std::string& what, const std::string& asked) {
    return "environment: kgate-runner: answered with rubbish (" + what + ") while it was asked to " + asked;
  };
  CHECK(error_of([] { child("garbage").probe(kLimit); }) ==
        rubbish("a frame that holds no CBOR map", "open the device"));
  CHECK(error_of([] { child("huge").probe(kLimit); }) == rubbish("a frame of 4294967295 bytes", "open the device"));
  CHECK(error_of([] { child("empty").probe(kLimit); }) == rubbish("\"backend\" is missing", "open the device"));
  CHECK(error_of([] { child("empty").read(0, kLimit); }) == rubbish("an output without its memory", "give an output"));
  CHECK(error_of([] { child("odd error").probe(kLimit); }) ==
        rubbish("an error of the kind interrupted", "open the device"));
  Client client = child("empty");
  CHECK(client.run({}, 0, kLimit).outcome.fault == "the kernel answered with rubbish (\"outcome\" is missing)");
  CHECK(client.lost());
  CHECK(client.died());
  CHECK_FALSE(client.killed());
}

TEST_CASE("a time that is not positive is a failure of the machine, whatever the child calls it") {
  runner::TimeJob job;
  job.arms.resize(1);
  job.blocks = 2;
  CHECK(error_of([&] {
          child("negative").time(job, kLimit);
        }).starts_with("environment: measured times: say that a launch took -1 us; the driver or a clock is broken"));
}

TEST_CASE("a child that is killed from outside is told from one that crashes, and from one that is late") {
  Client crashed = child("crash"), killed = child("killed"), late = child("hang");
  CHECK(crashed.run({}, 0, kLimit).outcome.fault == "the kernel crashed (SIGSEGV)");
  CHECK((crashed.died() && !crashed.killed()));
  CHECK(killed.run({}, 0, kLimit).outcome.fault == "the kernel crashed (SIGKILL)");
  CHECK((killed.died() && killed.killed()));
  late.run({}, 0, Client::Seconds(0.2));
  CHECK((late.lost() && !late.died() && !late.killed()));
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
