// What each kernel of a folder waits for, with Nsight Compute and without, on a real GPU.
//
//   device_counters RUNNER KERNELS
//
// RUNNER: the kgate-runner program; KERNELS: a folder of kernels, as examples/search/kernels. Prints both texts of each
// kernel's version as it stands, and how long the counters took. Exits with 1 where a text is missing, and where Nsight
// Compute is there and permitted but told nothing. Says "[skipped]" where there is no GPU or no Nsight Compute.
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "gate/search/evaluate/bottleneck.h"
#include "gate/search/evaluate/common_briefing.h"

namespace {

namespace fs = std::filesystem;
using namespace kgate;

class Silent : public verdict::Progress {
 public:
  void phase(const std::string&, int) override {}
  void step(const std::string&) override {}
  void slow(const std::string&, double) override {}
  void done(const verdict::KernelResult&) override {}
  void note(const std::string& line) override { std::printf("  note: %s\n", line.c_str()); }
  void wait(const std::string& line) override { std::printf("  wait: %s\n", line.c_str()); }
};

const std::map<std::string, std::string>& environment() {
  static const std::map<std::string, std::string> all{
      {"PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"},
      {"GIT_CONFIG_GLOBAL", "/dev/null"},
      {"GIT_CONFIG_SYSTEM", "/dev/null"}};
  return all;
}

void git(const fs::path& repository, const std::vector<std::string>& arguments) {
  ProcessOptions options;
  options.command = {"git", "-C", repository.string(), "-c", "user.name=test", "-c", "user.email=test@localhost"};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.environment = environment();
  const auto result = run_command(options, {});
  if (!result.status.ok()) throw Error(ErrorKind::environment, "git", result.output);
}

fs::path make_repository(const fs::path& folder, const fs::path& kernels) {
  const fs::path repository = folder / "repository";
  fs::create_directories(repository / "kernels");
  fs::copy(kernels, repository / "kernels", fs::copy_options::recursive);
  write_file_atomic(repository / ".kgate/policy.toml",
                    std::string_view("schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n"));
  git(repository, {"init", "-q", "-b", "main"});
  git(repository, {"add", "-A"});
  git(repository, {"commit", "-q", "-m", "kernels"});
  return repository;
}

// True where both texts are there, as far as they can be.
bool show(const verdict::JudgeOptions& options) {
  Silent progress;
  verdict::Judgement judgement;
  verdict::Preparation ready(options, progress, judgement);
  ready.read_policy();
  search::GateEvaluator evaluator(options, ready);
  const auto& version = evaluator.baseline();
  const double all = 1e9;
  const auto found = evaluator.evaluate(version, {version, {}}, {all, all});
  if (found.outcome != search::Outcome::better) {
    std::printf("  it cannot be judged: %s\n", found.reason.c_str());
    return false;
  }
  std::printf("  on paper: %s\n", search::bottleneck_on_paper(evaluator, found, version).c_str());
  const auto counted = search::bottleneck_of(evaluator, found, version);
  std::printf("  chosen (%.1f s): %s\n", counted.gpu_s, counted.text.c_str());
  evaluator.leave();
  return options.counters.path.empty() || counted.text.starts_with("from the GPU's performance counters") ||
         counted.text.find("does not let this user read") != std::string::npos;
}

int show_all(const fs::path& runner, const fs::path& kernels) {
  if (!fs::exists("/dev/nvidiactl")) {
    std::printf("[skipped] there is no GPU\n");
    return 0;
  }
  const TemporaryFolder folder("kgate-counters");
  verdict::JudgeOptions options;
  options.repository = make_repository(folder.path(), kernels);
  options.base.policy_ref = "main";
  options.backend = "cuda";
  options.queue.folder = folder.path() / "queue";
  options.queue.job = "device_counters";
  options.environment = environment();
  options.seed = 1;
  options.threads = 4;
  options.runner = fs::absolute(runner);
  options.toolkit = fingerprint::find_toolkit({});
  const char* path = std::getenv("PATH");
  options.counters = fingerprint::find_nsight_compute(path != nullptr ? path : "", options.toolkit.root);
  if (options.counters.path.empty())
    std::printf("[skipped] counters: Nsight Compute was not found %s\n", options.counters.broken.c_str());
  else
    std::printf("%s, version %s\n", options.counters.path.c_str(), options.counters.version.c_str());
  bool good = true;
  for (const auto& kernel : fs::directory_iterator(kernels)) {
    options.selection = {kernel.path().filename().string()};
    std::printf("%s\n", options.selection.front().c_str());
    try {
      good = show(options) && good;
    } catch (const Error& error) {
      std::printf("  %s\n", error.what());
      good = false;
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: device_counters RUNNER KERNELS\n");
    return 64;
  }
  try {
    return show_all(argv[1], argv[2]);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "device_counters: %s\n", error.what());
    return 70;
  }
}
