// Nights on machines that fail, seen by who runs kgate drift: what is recorded, what is said, how it goes on.
#include <chrono>
#include <thread>

#include <fmt/format.h>
#include <signal.h>

#include "tests/cli/fake_gpu.h"
#include "tests/cli/nightly.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using kgate::Json;

namespace {

namespace fs = std::filesystem;

bool says(const CliFixture::Answer& answer, const std::string& text) {
  return answer.output.find(text) != std::string::npos;
}

CliFixture::Answer answer_of(const kgate::ProcessOptions& options) {
  const auto result = kgate::run_command(options, {});
  return {result.status.signal != 0 ? 128 + result.status.signal : result.status.code, result.output};
}

void write_script(const fs::path& path, const std::string& lines) {
  kgate::write_file_atomic(path, std::string_view("#!/bin/sh\n" + lines));
  fs::permissions(path, fs::perms::owner_all);
}

// With a remote to which ledger and history go.
class Remote : public Nightly {
 public:
  Remote() {
    git({"init", "-q", "--bare", remote().string()});
    git({"remote", "add", "origin", remote().string()});
    git({"push", "-q", "origin", "main"});
    REQUIRE(accept().code == 0);
  }
  fs::path remote() const { return out().parent_path() / "remote.git"; }
  fs::path hook(const std::string& name) const { return remote() / "hooks" / name; }
  Answer at_remote(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "--git-dir=" + remote().string());
    return git(std::move(arguments));
  }
  Answer night() const { return tonight({"--key", key("history")}); }
};

// A runner beside a copy of kgate that fails from the start on that is asked for, as where the GPU has gone.
class LostGpu {
 public:
  LostGpu() {
    fs::copy_file(KGATE_BINARY, folder_.path() / "kgate");
    // Children that compile need no GPU, and say so by their folder.
    write_script(folder_.path() / "kgate-runner",
                 fmt::format("case \" $* \" in *' --compile '*) exec \"{0}\" \"$@\" ;; esac\n"
                             "echo start >> \"{1}/starts\"\n"
                             "if [ \"$(wc -l < \"{1}/starts\")\" -gt \"$(cat \"{1}/most\")\" ]; then exit 1; fi\n"
                             "exec \"{0}\" \"$@\"\n",
                             KGATE_RUNNER, folder_.path().string()));
  }
  // A night in which so many children find the GPU.
  CliFixture::Answer night(const Nightly& cli, std::size_t starts) const {
    kgate::write_file_atomic(folder_.path() / "most", std::string_view(std::to_string(starts)));
    fs::remove(folder_.path() / "starts");
    auto options = cli.command(cli.drift_arguments({"--key", cli.key("history"), "--backend", "host"}));
    options.command[0] = (folder_.path() / "kgate").string();
    return answer_of(options);
  }
  std::size_t starts() const {
    const auto text = kgate::read_file(folder_.path() / "starts", 1 << 20);
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), std::byte{'\n'}));
  }

 private:
  kgate::TemporaryFolder folder_{"kgate-test"};
};

CliFixture::Answer with_nvml(const Nightly& cli, const std::string& which) {
  const FakeGpu gpu(FakeGpu::Compiler::host);
  auto options = gpu.command(cli, cli.drift_arguments({}));
  if (!which.empty()) {
    options.environment["FAKE_NVML"] = which;
    options.environment["LD_LIBRARY_PATH"] = KGATE_FAKE_NVML_FOLDER;
  }
  return answer_of(options);
}

// kgate drift on a machine whose clock is wrong by so many seconds.
CliFixture::Answer at_another_time(const Nightly& cli, long seconds) {
  auto options = cli.command(cli.drift_arguments({"--key", cli.key("history"), "--backend", "host"}));
  options.environment["LD_PRELOAD"] = KGATE_FAKE_CLOCK;
  options.environment["FAKE_CLOCK"] = std::to_string(seconds);
  options.environment["ASAN_OPTIONS"] = "verify_asan_link_order=0";
  return answer_of(options);
}

}  // namespace

TEST_CASE("a push that the server refuses leaves the report with the night, and the next night goes on") {
  const Remote cli;
  write_script(cli.hook("update"),
               "case $1 in refs/heads/kgate/history) echo 'nights are not for you'; exit 1 ;; esac\n");
  auto answer = cli.night();
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(says(answer, "note: this night was not appended: "));
  CHECK(says(answer,
             "\nkgate: git push origin kgate/history: [remote rejected] (hook declined): nights are not for "
             "you; the server's own rule refused it: have it let who pushes here add to the branch "
             "kgate/history of origin, without force\n"));
  CHECK(cli.report()["appended"].is_null());
  CHECK(cli.report()["exit_code"] == 5);
  CHECK(cli.report()["nights"].size() == 1);
  CHECK(fs::exists(cli.out() / "drift.html"));
  fs::remove(cli.hook("update"));
  answer = cli.night();
  CHECK(answer.code == 0);
  CHECK(says(answer, "record 1 of kgate/history"));
  CHECK(cli.report()["appended"]["where"] == "pushed to origin");
}

TEST_CASE("a history that was forced back is told by who has seen more, and the night is reported all the same") {
  const Remote cli;
  REQUIRE(cli.night().code == 0);
  auto first = cli.at_remote({"rev-parse", "kgate/history"}).output;
  first.erase(first.find('\n'));
  REQUIRE(cli.night().code == 0);
  cli.at_remote({"update-ref", "refs/heads/kgate/history", first});
  const auto answer = cli.night();
  INFO(answer.output);
  CHECK(answer.code == 4);
  CHECK(says(answer, "note: this night was not appended: "));
  CHECK(says(answer,
             "is no longer in it: the branch was rolled back or rewritten; this clone keeps what it had; to "
             "restore that: git push --force origin "));
  CHECK(cli.report()["exit_code"] == 4);
  CHECK(cli.report()["nights"].size() == 3);
}

TEST_CASE("a disk that is full when the night is to be written costs the record alone") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  REQUIRE(cli.tonight({"--key", cli.key("history")}).code == 0);
  // The same objects, beneath a disk on which nothing can be written any more.
  auto options = cli.command(cli.drift_arguments({"--key", cli.key("history"), "--backend", "host"}));
  const std::vector<std::string> kgate = options.command;
  options.command = {"unshare",
                     "-m",
                     "sh",
                     "-c",
                     "mkdir .git/full && mv .git/objects .git/kept && mkdir .git/objects || exit 99\n"
                     "mount -t tmpfs -o size=4k full .git/objects || { rmdir .git/objects .git/full; mv .git/kept "
                     ".git/objects; exit 98; }\n"
                     "mkdir .git/objects/info && echo \"$PWD/.git/kept\" > .git/objects/info/alternates\n"
                     "\"$@\"\n"
                     "code=$?\n"
                     "umount .git/objects && rmdir .git/objects .git/full && mv .git/kept .git/objects || exit 97\n"
                     "exit $code\n",
                     "sh"};
  options.command.insert(options.command.end(), kgate.begin(), kgate.end());
  auto answer = answer_of(options);
  INFO(answer.output);
  if (answer.code == 98 || says(answer, "unshare failed")) KGATE_SKIP("this user may not mount a small disk");
  CHECK(answer.code == 5);
  CHECK(says(answer, "note: this night was not appended: "));
  CHECK(says(answer, "No space left on device"));
  CHECK(cli.report()["appended"].is_null());
  CHECK(cli.report()["nights"].size() == 2);
  // Nothing half is there: the next night is the second record.
  answer = cli.tonight({"--key", cli.key("history")});
  CHECK(answer.code == 0);
  CHECK(says(answer, "record 2 of kgate/history"));
  CHECK(cli.kgate({"verify"}).code == 0);
}

TEST_CASE("a kgate that is killed while it appends leaves a history that holds, with the night or without it") {
  for (const std::string moment : {"pre-receive", "post-receive"}) {
    const Remote cli;
    INFO(moment);
    const fs::path mark = cli.out().parent_path() / "pushing";
    write_script(cli.hook(moment), fmt::format("touch \"{}\"\nsleep 2\n", mark.string()));
    auto process =
        kgate::Process::start(cli.command(cli.drift_arguments({"--key", cli.key("history"), "--backend", "host"})));
    for (int i = 0; i < 1200 && !fs::exists(mark); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(50));
    REQUIRE(fs::exists(mark));
    ::kill(process.id(), SIGKILL);
    REQUIRE(process.wait(std::chrono::seconds(20)));
    fs::remove(cli.hook(moment));
    const auto answer = cli.night();
    INFO(answer.output);
    CHECK(answer.code == 0);
    const auto verified = cli.kgate({"verify"});
    INFO(verified.output);
    CHECK(verified.code == 0);
    const auto records = cli.report()["appended"]["sequence"].get<int>();
    CHECK((records == 1 || records == 2));
    if (moment == "post-receive") CHECK(records == 2);
    CHECK(says(verified, fmt::format("kgate/history: {} record", records)));
  }
}

TEST_CASE("a clock that is a day behind records nothing, and one a year ahead is told by the next night") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  REQUIRE(cli.tonight({"--key", cli.key("history")}).code == 0);
  auto answer = at_another_time(cli, -86400);
  INFO(answer.output);
  CHECK(answer.code != 0);
  CHECK_FALSE(says(answer, "time scale"));
  CHECK(says(answer, "set the clock"));
  // Nobody can tell on that night itself.
  REQUIRE(at_another_time(cli, 365 * 86400).code == 0);
  const auto next = cli.tonight({"--key", cli.key("history")});
  INFO(next.output);
  CHECK(next.code == 4);
  CHECK(says(next, "in the future"));
  CHECK_FALSE(says(next, "time scale"));
}

TEST_CASE(
    "a night that cannot know its GPU is none: no NVML, NVML without permission, MIG instances of which none is "
    "named") {
  const Nightly cli;
  REQUIRE(cli.accept().code == 0);
  const std::string remedy =
      "; a night needs to know its GPU: let this user read NVML; of MIG instances name one, --device MIG-...\n";
  for (const auto& [which, fact] :
       std::map<std::string, std::string>{{"", "device.architecture: not known: NVML told nothing of it"},
                                          {"denied", "device.architecture: not known: NVML told nothing of it"},
                                          {"mig", "GPU 0 has 2 MIG instances; name one with --device MIG-..."}}) {
    const auto answer = with_nvml(cli, which);
    INFO(which << "\n" << answer.output);
    if (which.empty() && !says(answer, fact) && answer.code == 0) continue;  // this machine has an NVML
    CHECK(answer.code == 5);
    CHECK(says(answer, fact));
    CHECK_FALSE(fs::exists(cli.out() / "drift.json"));
    if (which != "mig") CHECK(says(answer, remedy));
  }
}

TEST_CASE("a GPU that is lost in the middle of a night costs the kernels from then on, and the others are recorded") {
  const Nightly cli;
  for (const char* file : {"kernel.toml", "scale.cu", "reference.cu", "cases.toml"}) {
    const auto content = kgate::read_file(cli.root() / "kernels/scale" / file, 1 << 20);
    cli.write(std::string("kernels/wide/") + file, std::string(kgate::text_of(content)));
  }
  cli.replace("kernels/wide/cases.toml", "kernel = \"scale\"", "kernel = \"wide\"");
  cli.commit("wide");
  REQUIRE(cli.kgate({"accept", "scale", "wide", "--reason", "first", "--key", cli.key("accept"), "--out",
                     cli.out().string(), "--backend", "host", "--cache", ""})
              .code == 0);
  const LostGpu gpu;
  REQUIRE(gpu.night(cli, 1000).code == 0);
  const auto all = gpu.starts();
  REQUIRE(all >= 2);
  auto answer = gpu.night(cli, all - 1);  // the last of the second kernel's
  INFO(answer.output);
  CHECK(answer.code == 5);
  CHECK(says(answer, "environment wide: "));
  CHECK(says(answer, "record 2 of kgate/history"));
  Json report = cli.report();
  CHECK(report["kernels"][0]["name"] == "scale");
  CHECK(report["kernels"][0]["verdict"] == "pass");
  CHECK(report["kernels"][1]["verdict"] == "environment");
  CHECK(report["verdict"] == "environment");
  // Gone from the beginning: no figures, no record.
  answer = gpu.night(cli, 0);
  CHECK(answer.code == 5);
  CHECK_FALSE(says(answer, "record 3"));
  CHECK(cli.kgate({"verify"}).output.find("kgate/history: 2 records") != std::string::npos);
}
