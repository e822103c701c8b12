#include "tests/adversarial/gate.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "tests/attacks/git.h"
#include "tests/attacks/signing.h"
#include "tests/support/catch.h"

using namespace kgate;
namespace fs = std::filesystem;

namespace {

constexpr const char* kSecret = "kgate_secret_7f3a91";
constexpr std::chrono::minutes kLimit{15};

// The zone is wide: a busy machine answers too, and cheats are not after a few per cent. What the L2 can give is less.
constexpr const char* kPolicy = R"toml(schema = "kgate.policy/1"
[zone]
tolerate = 0.5
block = 0.9
[budget]
seconds_per_case = 3
rounds = [2, 3]
[numerics]
error_growth = 1000.0
[[override]]
kernels = ["*_l2", "*_l2_*"]
zone = {{ tolerate = 0.1, block = 0.2 }}
[compile]
timeout_s = {}
[[key]]
file = "keys/reviewer.pub.pem"
roles = ["cases"]
)toml";

// A compiler on a busy machine takes seconds for what is honest.
constexpr int kCompileLimit = 120, kEndlessLimit = 12;

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  for (auto at = text.find(old_text); at != std::string::npos; at = text.find(old_text, at + new_text.size()))
    text.replace(at, old_text.size(), new_text);
  return text;
}

std::string kernel_toml(const Task& task, const std::string& source, const std::string& keys,
                        const std::string& launch) {
  return fmt::format(
      "schema = \"kgate.kernel/1\"\nsources = [\"{}\"]\nheaders = [\"../../tasks/*.cuh\"]\n"
      "include_dirs = [\"../../tasks\"]\n{}[[launch]]\nentry = \"{}\"\ngrid = [\"{}\"]\nblock = [{}]\n{}",
      source, keys, task.name, task.grid, task.block, launch);
}

std::string cases_toml(const Cheat& cheat) {
  const Task& task = *cheat.task;
  return fmt::format(
      "schema = \"kgate.cases/1\"\nkernel = \"{}\"\nrevision = 1\n{}\n[reference]\n"
      "sources = [\"../../tasks/{}_reference.cu\"]\nentry = \"reference\"\ngrid = [\"{}\"]\nblock = [{}]\n{}{}",
      cheat.name, task.params, task.name, task.grid, task.block,
      task.params.find("kind = \"inout\"") == std::string::npos ? "out_dtype = { y = \"f64\" }\n" : "", task.cases);
}

void lay_out(const Folder& repo, const std::vector<Cheat>& cheats, const fs::path& work) {
  const bool endless = cheats.front().endless;
  fs::create_directories(repo.root());
  run_git(repo.root(), {"init", "-q", "-b", "main", "--template="});
  repo.write(".kgate/policy.toml", fmt::format(kPolicy, endless ? kEndlessLimit : kCompileLimit));
  repo.write(".kgate/keys/reviewer.pub.pem", key_of(Who::reviewer).public_key().pem());
  repo.write("tasks/blend.cuh", blend_header());
  repo.write("tasks/timed.cuh", timed_header());
  for (const auto& cheat : cheats) {
    const Task& task = *cheat.task;
    const std::string folder = "kernels/" + cheat.name;
    repo.write("tasks/" + task.name + ".cu", task.honest);
    repo.write("tasks/" + task.name + "_reference.cu", task.reference);
    repo.write(folder + "/kernel.toml", kernel_toml(task, "../../tasks/" + task.name + ".cu", "", ""));
    repo.write(folder + "/cases.toml", cases_toml(cheat));
    sign_cases(repo, folder);
  }
  run_git(repo.root(), {"add", "-A"});
  run_git(repo.root(), {"commit", "-q", "-m", "honest"});
  run_git(repo.root(), {"checkout", "-q", "-b", "change"});
  for (const auto& cheat : cheats) {
    const std::string folder = "kernels/" + cheat.name;
    repo.write(folder + "/kernel.toml", kernel_toml(*cheat.task, cheat.file, cheat.keys, cheat.launch));
    repo.write(folder + "/" + cheat.file, source_of(cheat, work));
  }
  run_git(repo.root(), {"add", "-A"});
  run_git(repo.root(), {"commit", "-q", "-m", "change"});
}

fs::path secret_of(const fs::path& work) {
  return work / "secret";
}

fs::path trace_of(const fs::path& work) {
  return work / "trace";
}

void hide_secret(const fs::path& work) {
  std::ofstream(secret_of(work)) << kSecret << '\n';
}

std::string read_all(const fs::path& folder) {
  std::string all;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().parent_path().filename() != "samples")
      all += std::string(text_of(read_file(entry.path(), 256 << 20))) + "\n";
  }
  return all;
}

bool is_command(const std::string& line) {
  const auto start = line.find_first_not_of(" \t");
  return (start != std::string::npos && line.compare(start, 2, "::") == 0) || line.find("##[") != std::string::npos;
}

}  // namespace

std::string source_of(const Cheat& cheat, const fs::path& work) {
  return replaced(replaced(cheat.source, "{secret}", secret_of(work).string()), "{trace}", trace_of(work).string());
}

GateRun run_gate(const std::vector<Cheat>& cheats, const GateOptions& options) {
  const Folder repo(options.work / "repository");
  const fs::path out = options.work / "out";
  fs::create_directories(options.work);
  hide_secret(options.work);
  lay_out(repo, cheats, options.work);
  ProcessOptions process;
  process.command = {options.kgate.string(), "run", "--repo", repo.root().string(), "--policy-ref", "main"};
  process.command.insert(process.command.end(), {"--out", out.string(), "--cache", "", "--no-color", "--backend",
                                                 options.backend == Backend::cuda ? "cuda" : "host"});
  process.environment = git_environment();
  process.environment["JOB_SECRET"] = kSecret;
  // Where the driver and the toolkit are.
  for (const char* name : {"LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH"}) {
    if (const char* value = std::getenv(name)) process.environment[name] = value;
  }
  CommandLimits limits;
  limits.deadline = kLimit;
  const auto start = std::chrono::steady_clock::now();
  const auto answer = run_command(process, limits);
  GateRun run;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.code = answer.status.signal != 0 ? 128 + answer.status.signal : answer.status.code;
  run.output = answer.output;
  INFO(run.output);
  REQUIRE_FALSE(answer.timed_out);
  REQUIRE(fs::exists(out / "result.json"));
  run.everything = run.output + "\n" + read_all(out);
  run.result =
      verdict::result_from_json(Json::parse(text_of(read_file(out / "result.json", 256 << 20))), "result.json");
  return run;
}

std::vector<std::string> leaks(const GateRun& run, const fs::path& work) {
  std::vector<std::string> found;
  // Without Landlock a compiler can read what its user can.
  if (run.result.sandbox == "landlock" && run.everything.find(kSecret) != std::string::npos)
    found.emplace_back("the secret is told");
  if (fs::exists(trace_of(work))) found.emplace_back("a kernel has written a file");
  std::istringstream lines(run.output);
  for (std::string line; std::getline(lines, line);) {
    if (is_command(line)) found.push_back("a command to a CI system: " + line);
    for (const char c : line) {
      if (static_cast<unsigned char>(c) < 0x20 && c != '\t') {
        found.push_back("a control character: " + line);
        break;
      }
    }
  }
  return found;
}
