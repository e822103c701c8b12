#include <algorithm>
#include <functional>
#include <thread>

#include <signal.h>
#include <unistd.h>

#include "gate/lease/status.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return true;
}

// kgate lease, in a folder of this test's own, on the device "host".
class Leases : public CliFixture {
 public:
  std::filesystem::path folder() const { return root().parent_path() / "leases"; }
  ProcessOptions run_options(const std::vector<std::string>& command, std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"lease", "run", "--lease-dir", folder().string(), "--device", "host"};
    if (std::find(more.begin(), more.end(), "--wait") == more.end())
      arguments.insert(arguments.end(), {"--wait", "60"});
    arguments.insert(arguments.end(), more.begin(), more.end());
    arguments.push_back("--");
    arguments.insert(arguments.end(), command.begin(), command.end());
    return this->command(arguments);
  }
  Answer run(const std::vector<std::string>& command, std::vector<std::string> more = {}) const {
    return answer(run_options(command, std::move(more)));
  }
  Answer answer(const ProcessOptions& options) const {
    const auto result = run_command(options, {});
    return {result.status.signal != 0 ? 1000 + result.status.signal : result.status.code, result.output};
  }
  Answer status(std::vector<std::string> more = {}) const {
    std::vector<std::string> arguments{"lease", "status", "--lease-dir", folder().string()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return kgate(arguments);
  }
  bool is_held() const {
    const auto devices = lease::read_status(folder()).devices;
    return !devices.empty() && devices[0].holder;
  }
  std::size_t waiting() const {
    const auto devices = lease::read_status(folder()).devices;
    return devices.empty() ? 0 : devices[0].waiting.size();
  }
};

bool says(const CliFixture::Answer& answer, const std::string& text) {
  return answer.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("kgate lease run runs a command while it holds the lease, and exits as the command does") {
  const Leases cli;
  CHECK(cli.run({"true"}).code == 0);
  CHECK(cli.run({"sh", "-c", "exit 37"}).code == 37);
  CHECK(cli.run({"sh", "-c", "kill -9 $$"}).code == 137);
  CHECK(cli.run({"echo", "run", "--device", "check"}).output == "run --device check\n");
  CHECK(!cli.is_held());
}

TEST_CASE("the command sees the lease that is held, and which") {
  const Leases cli;
  const auto answer = cli.run(
      {"sh", "-c", "echo $KGATE_LEASE; \"$0\" lease status --lease-dir \"$1\"", KGATE_BINARY, cli.folder().string()});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("host.1.1\nqueue: " + cli.folder().string() + "\nhost\n  held by \"sh -c echo "));
  CHECK(says(answer, "), pull-request, for "));
}

TEST_CASE("a kgate lease run within another one does not wait for itself") {
  const Leases cli;
  const auto answer = cli.run({KGATE_BINARY, "lease", "run", "--lease-dir", cli.folder().string(), "--wait", "0",
                               "--device", "host", "--", "sh", "-c", "echo $KGATE_LEASE"});
  CHECK(answer.output == "host.1.1,host.1.1.1.1\n");
  CHECK(answer.code == 0);
}

TEST_CASE("who lies about its lease waits as everybody, and is told why") {
  const Leases cli;
  auto holder = Process::start(cli.run_options({"sleep", "600"}));
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  auto options = cli.run_options({"true"}, {"--wait", "0"});
  options.environment["KGATE_LEASE"] = "host.1.1";
  const auto answer = cli.answer(options);
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(says(answer, "kgate: host: was not free within 0 s: it is held by \"sleep 600\" of "));
  CHECK(
      says(answer,
           "; the lease host.1.1 that KGATE_LEASE names is not held by a process that started this one; see "
           "\"kgate lease status\"; wait longer ([lease] wait_s in the policy; --wait of kgate lease run), or end that "
           "job\n"));
  ::kill(holder.id(), SIGTERM);
  CHECK(holder.wait(std::chrono::minutes(1))->code == 143);
}

TEST_CASE("who waits says so on stderr, and starts its command when the holder is done") {
  const Leases cli;
  auto holder = Process::start(cli.run_options({"sleep", "600"}));
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  Leases::Answer answer;
  std::thread waiting([&] { answer = cli.run({"echo", "my turn"}); });
  REQUIRE(becomes_true([&] { return cli.waiting() == 1; }));
  const auto status = cli.status();
  ::kill(holder.id(), SIGINT);
  CHECK(holder.wait(std::chrono::minutes(1))->code == 130);
  waiting.join();
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("kgate lease: waiting for host: place 1 of 1; held by \"sleep 600\" of "));
  CHECK(answer.output.ends_with("\nmy turn\n"));
  INFO(status.output);
  CHECK(says(status, "\n  1. \"echo my turn\" of "));
  CHECK(says(status, "), pull-request, waits for "));
}

TEST_CASE("signals are handed on to the command, whose end decides") {
  const Leases cli;
  const auto ready = cli.root() / "ready";
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    std::filesystem::remove(ready);
    auto process = Process::start(cli.run_options(
        {"sh", "-c", "trap 'exit 9' INT TERM HUP; echo > '" + ready.string() + "'; while :; do sleep 0.01; done"}));
    REQUIRE(becomes_true([&] { return std::filesystem::exists(ready); }));
    ::kill(process.id(), signal);
    const auto status = process.wait(std::chrono::minutes(1));
    REQUIRE(status);
    CHECK(status->code == 9);
  }
}

TEST_CASE("a kgate lease run that is killed leaves the lease to its command until that ends") {
  const Leases cli;
  const auto ready = cli.root() / "ready", end = cli.root() / "end";
  auto options =
      cli.run_options({"sh", "-c",
                       "echo $$ > '" + ready.string() + ".part'; mv '" + ready.string() + ".part' '" + ready.string() +
                           "'; while [ ! -e '" + end.string() + "' ]; do sleep 0.05; done"});
  options.own_group = false;  // what is killed is kgate alone
  auto process = Process::start(options);
  REQUIRE(becomes_true([&] { return std::filesystem::exists(ready); }));
  ::kill(process.id(), SIGKILL);
  process.wait(std::chrono::minutes(1));
  CHECK(cli.is_held());
  CHECK(cli.run({"true"}, {"--wait", "0"}).code == 5);
  cli.write("end", "");
  CHECK(becomes_true([&] { return !cli.is_held(); }));
}

TEST_CASE("a lease within a lease keeps the device when the outer command was ended by a signal") {
  const Leases cli;
  const std::string inner = std::string(KGATE_BINARY) + " lease run --lease-dir " + cli.folder().string() +
                            " --device host -- sh -c 'touch held; exec sleep 600'";
  auto options = cli.run_options({"sh", "-c", inner + "; true"});
  options.own_group = false;  // else what it leaves behind would be killed with it
  auto outer = Process::start(options);
  const auto held = cli.root() / "held";
  REQUIRE(becomes_true([&] { return std::filesystem::exists(held); }));
  ::kill(outer.id(), SIGTERM);
  CHECK(outer.wait(std::chrono::minutes(1))->code == 143);
  CHECK(cli.run({"true"}, {"--wait", "0"}).code == 5);
  for (const auto& device : lease::read_status(cli.folder()).devices) {
    if (!device.within.empty() && device.holder) ::kill(static_cast<pid_t>(device.holder->claim.pid), SIGTERM);
  }
  CHECK(becomes_true([&] { return cli.run({"true"}, {"--wait", "0"}).code == 0; }));
}

TEST_CASE("a wait that is interrupted exits by the signal, and gives its place up") {
  const Leases cli;
  auto holder = Process::start(cli.run_options({"sleep", "600"}));
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  auto process = Process::start(cli.run_options({"true"}));
  REQUIRE(becomes_true([&] { return cli.waiting() == 1; }));
  ::kill(process.id(), SIGTERM);
  CHECK(process.wait(std::chrono::minutes(1))->code == 143);
  CHECK(cli.waiting() == 0);
}

TEST_CASE("a clock that jumps neither ends a wait nor ages a holder") {
  const Leases cli;
  auto holder = Process::start(cli.run_options({"sleep", "600"}));
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  for (const char* jump : {"1000000000", "-1000000000"}) {
    auto status = cli.command({"lease", "status", "--lease-dir", cli.folder().string(), "--format", "json"});
    auto wait = cli.run_options({"echo", "my turn"});
    for (auto* options : {&status, &wait}) {
      options->environment["LD_PRELOAD"] = KGATE_FAKE_CLOCK;
      options->environment["FAKE_CLOCK"] = jump;
    }
    const Json seen = Json::parse(cli.answer(status).output);
    CHECK(seen["devices"][0]["holder"]["for_s"] >= 0);
    CHECK(seen["devices"][0]["holder"]["for_s"] < 600);
    Leases::Answer answer;
    std::thread waiting([&] { answer = cli.answer(wait); });
    REQUIRE(becomes_true([&] { return cli.waiting() == 1; }));
    ::kill(holder.id(), SIGTERM);
    holder.wait(std::chrono::minutes(1));
    waiting.join();
    CHECK(answer.code == 0);
    CHECK(answer.output.ends_with("my turn\n"));
    holder = Process::start(cli.run_options({"sleep", "600"}));
    REQUIRE(becomes_true([&] { return cli.is_held(); }));
  }
}

TEST_CASE("the queue's state as JSON has every field that a script needs") {
  const Leases cli;
  auto options = cli.run_options({"sleep", "600"}, {"--priority", "nightly"});
  options.environment["GITHUB_RUN_ID"] = "77";
  options.environment["GITHUB_SERVER_URL"] = "https://github.example";
  options.environment["GITHUB_REPOSITORY"] = "team/kernels";
  auto holder = Process::start(options);
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  const Json seen = Json::parse(cli.status({"--format", "json"}).output);
  CHECK(seen["schema"] == "kgate.lease-status/1");
  CHECK(seen["folder"] == cli.folder().string());
  REQUIRE(seen["devices"].size() == 1);
  const Json& device = seen["devices"][0];
  CHECK(device["device"] == "host");
  CHECK(device["waiting"].empty());
  CHECK(device["without_lease"].empty());
  CHECK(device["holder"]["job"] == "sleep 600 (https://github.example/team/kernels/actions/runs/77)");
  CHECK(device["holder"]["pid"] == holder.id());
  CHECK(device["holder"]["uid"] == ::geteuid());
  CHECK(device["holder"]["priority"] == "nightly");
  CHECK(device["holder"]["ticket"] == "host.2.1");
}

TEST_CASE("folder and wait come from the base's policy, and the command line wins") {
  const Leases cli;
  const auto folder = cli.root().parent_path() / "by policy";
  cli.write(".kgate/policy.toml",
            "schema = \"kgate.policy/1\"\n[lease]\nfolder = \"" + folder.string() + "\"\nwait_s = 0\n");
  cli.commit("policy");
  auto holder = Process::start(cli.command({"lease", "run", "--device", "host", "--", "sleep", "600"}));
  REQUIRE(becomes_true(
      [&] { return std::filesystem::exists(folder / "host.1.1") && !lease::read_status(folder).devices.empty(); }));
  auto answer = cli.kgate({"lease", "run", "--device", "host", "--", "true"});
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(says(answer, "host: was not free within 0 s: it is held by \"sleep 600\" of "));
  CHECK(cli.run({"true"}).code == 0);
}

TEST_CASE("outside of a repository the defaults hold, and a repository that cannot be read is an error") {
  const Leases cli;
  auto options = cli.command({"lease", "status"});
  options.folder = cli.root().parent_path();
  auto answer = cli.answer(options);
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(answer.output.starts_with("queue: /var/lock/kgate\n"));
  cli.write(".kgate/policy.toml", "schema = \"kgate.policy/1\"\n[lease]\nfolder = \"here\"\n");
  cli.commit("wrong");
  answer = cli.kgate({"lease", "status"});
  CHECK(answer.code == 64);
  CHECK(says(answer, ".kgate/policy.toml:3: lease.folder: is no absolute path; name a folder of the GPU's host"));
}

TEST_CASE("what kgate lease does not understand is usage, with a remedy") {
  const Leases cli;
  CHECK(cli.kgate({"lease", "run", "--lease-dir", cli.folder().string(), "--wait", "0"}).output ==
        "kgate lease run: has no command; write it after --: kgate lease run -- make bench\n");
  CHECK(cli.status({"true"}).output == "kgate lease status: takes no command; did you mean kgate lease run?\n");
  for (const auto& arguments : std::vector<std::vector<std::string>>{{"lease"},
                                                                     {"lease", "stop"},
                                                                     {"lease", "run", "--priority", "urgent", "true"},
                                                                     {"lease", "run", "--wait", "-1"}}) {
    CHECK(cli.kgate(arguments).code == 64);
  }
}

TEST_CASE("a command that cannot be started is environment, and gives the lease back") {
  const Leases cli;
  const auto answer = cli.run({"no-such-command"});
  CHECK(answer.code == 5);
  CHECK(answer.output.starts_with("kgate: no-such-command: is not installed; looked in "));
  CHECK(!cli.is_held());
}

TEST_CASE("a GPU that disappears while it is leased is said to be gone, and its lease is still told") {
  const Leases cli;
  auto options = cli.run_options({"sleep", "600"});
  options.environment["LD_LIBRARY_PATH"] = KGATE_FAKE_NVML_FOLDER;
  for (auto& argument : options.command) {
    if (argument == "host") argument = "GPU-1";
  }
  auto holder = Process::start(options);
  REQUIRE(becomes_true([&] { return cli.is_held(); }));
  // As NVML lists the machine now, the GPU is in MIG mode: its UUID is no device any more.
  auto status = cli.command({"lease", "status", "--lease-dir", cli.folder().string()});
  status.environment["LD_LIBRARY_PATH"] = KGATE_FAKE_NVML_FOLDER;
  auto answer = cli.answer(status);
  INFO(answer.output);
  CHECK(says(answer, "\nGPU-1  NVIDIA H200\n  held by \"sleep 600\" of "));
  status.environment["FAKE_NVML"] = "mig";
  answer = cli.answer(status);
  CHECK(says(
      answer,
      "\nGPU-1\n  NVML does not list it: it was lost, or is not visible in this container\n  held by \"sleep 600\""));
  CHECK(says(answer, "\nMIG-1  NVIDIA H200 MIG 1g.18gb\n  free\n"));
}

TEST_CASE("a command with a GPU's lease sees that GPU alone, unless the user chose") {
  const Leases cli;
  auto options = cli.run_options({"sh", "-c", "echo $CUDA_VISIBLE_DEVICES $KGATE_LEASE"}, {"--device", "all"});
  options.environment["LD_LIBRARY_PATH"] = KGATE_FAKE_NVML_FOLDER;
  options.environment["FAKE_NVML"] = "mig";
  CHECK(cli.answer(options).output == "MIG-1,MIG-2 MIG-1.1.1,MIG-2.1.1,host.1.1\n");
  options.environment["CUDA_VISIBLE_DEVICES"] = "7";
  CHECK(cli.answer(options).output == "7 MIG-1.1.1,MIG-2.1.1,host.1.1\n");
}

TEST_CASE("a lease whose file was removed meanwhile is told when the command has ended") {
  const Leases cli;
  const auto answer = cli.run({"sh", "-c", "rm \"$0\"; exit 3", (cli.folder() / "host.1.1").string()});
  CHECK(answer.code == 3);
  CHECK(answer.output ==
        "warning: " + (cli.folder() / "host.1.1").string() +
            ": was removed while host was leased, so another job may use it too; leave the files in that "
            "folder alone; kgate removes its own\n");
}
