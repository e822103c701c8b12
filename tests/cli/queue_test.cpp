// Runs that queue for their device. On the host backend they do where a folder is named.
#include <chrono>
#include <thread>

#include "gate/lease/lease.h"
#include "gate/lease/status.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

class Queue : public CliFixture {
 public:
  std::filesystem::path folder() const { return out().parent_path() / "queue"; }

  kgate::lease::Lease hold(const std::string& device) const {
    kgate::lease::LeaseRequest request;
    request.folder = folder();
    request.device = device;
    request.who = kgate::lease::own_claim("make bench");
    return kgate::lease::acquire(request);
  }

  void wait_at_most(int seconds) const {
    replace(".kgate/policy.toml", "schema = \"kgate.policy/1\"",
            "schema = \"kgate.policy/1\"\nlease = { wait_s = " + std::to_string(seconds) + " }");
    commit("a bounded wait");
  }

  std::vector<std::string> check(std::vector<std::string> more = {}) const {
    std::vector<std::string> all{"check", "--policy-ref", "main", "--lease-dir", folder().string()};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
};

}  // namespace

TEST_CASE("a run whose device another job holds says who, and is an environment failure when the wait ends") {
  const Queue cli;
  cli.wait_at_most(1);
  const auto held = cli.hold("host");
  const auto answer = cli.kgate(cli.check());
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find("waiting for host: place 1 of 1") != std::string::npos);
  CHECK(answer.output.find("\"make bench\"") != std::string::npos);
  const Json result = cli.result();
  CHECK(result["verdict"] == "environment");
  CHECK(result["exit_code"] == 5);
}

TEST_CASE("a run goes on as soon as its device is free, and says how long it waited") {
  const Queue cli;
  auto held = cli.hold("host");
  std::jthread other([&held] {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    held.release();
  });
  const auto answer = cli.kgate(cli.check());
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["timings"]["wait_s"] > 0.0);
  CHECK(kgate::lease::read_status(cli.folder()).devices.empty());
}

TEST_CASE("a run over several devices goes to those that nobody has, and says who has the others") {
  const Queue cli;
  const auto held = cli.hold("right");
  const auto answer = cli.kgate(cli.check({"--device", "left,right"}));
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.find("right is held by \"make bench\"") != std::string::npos);
  CHECK(answer.output.find("its kernels go to the others") != std::string::npos);
  CHECK(answer.output.find("waiting for") == std::string::npos);
}

TEST_CASE("a run over several devices that are all taken queues for them") {
  const Queue cli;
  cli.wait_at_most(1);
  const auto left = cli.hold("left"), right = cli.hold("right");
  const auto answer = cli.kgate(cli.check({"--device", "left,right"}));
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find("waiting for left") != std::string::npos);
}

TEST_CASE("a run that is killed leaves nothing in the queue") {
  const Queue cli;
  auto process = kgate::Process::start(cli.command(cli.check()));
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.kill();
  CHECK(kgate::lease::read_status(cli.folder()).devices.empty());
  const auto answer = cli.kgate(cli.check());
  INFO(answer.output);
  CHECK(answer.code == 0);
}

TEST_CASE("a folder in which no queue can be kept is an environment failure with what to do") {
  const Queue cli;
  cli.write("file", "no folder");
  const auto answer = cli.kgate({"check", "--policy-ref", "main", "--lease-dir", (cli.root() / "file").string()});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(answer.output.find((cli.root() / "file").string()) != std::string::npos);
}
