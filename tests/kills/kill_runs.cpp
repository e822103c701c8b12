#include "tests/kills/kill_runs.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <fmt/format.h>

#include "base/philox.h"
#include "tests/cli/cli_fixture.h"
#include "tests/kills/processes.h"

namespace kgate::test {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kPatience(10000);       // until what was killed is gone
constexpr std::chrono::seconds kLongest(120);  // that a run may take

constexpr const char* kPolicy =
    "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n"
    // What a busy machine does to times is not this test's matter.
    "[zone]\ntolerate = 1.0\nblock = 4.0\ncreep = 8.0\n[budget]\nseconds_per_case = 0.5\n"
    "[profile.pr]\nblock_on = [\"change\", \"creep\", \"environment\"]\n";

// No inputs: so it is not timed on fresh ones.
constexpr const char* kKernel = R"(__global__ void count(float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = %s;
}
)";

constexpr const char* kKernelToml = R"toml(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["count.cu"]
[[launch]]
entry = "count"
grid = ["ceil_div(n, 64)", 1, 1]
block = [64, 1, 1]
)toml";

constexpr const char* kCases = R"(schema = "kgate.cases/1"
kernel = "count"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "n"
kind = "scalar"
dtype = "i32"
value = "n"
[reference]
sources = ["reference.cu"]
entry = "reference"
grid = [1, 1, 1]
block = [1, 1, 1]
[[case]]
name = "few"
role = "correctness"
sizes = { n = 100 }
tolerance = { y = { rtol = 1e-6 } }
[[case]]
name = "many"
role = "performance"
sizes = { n = 2000 }
tolerance = { y = { rtol = 1e-6 } }
)";

constexpr const char* kReference =
    "__global__ void reference(float* y, int n) { for (int i = 0; i < n; ++i) y[i] = (float)i + (float)i; }\n";

std::string kernel(const std::string& value) {
  std::string text = kKernel;
  return text.replace(text.find("%s"), 2, value);
}

struct Plan {
  bool right = true, times = true, judge = false, cached = false;
  int signal = SIGKILL;  // SIGSTOP: stopped first, then killed
  double moment = 0;     // of an undisturbed run's length
  std::uint64_t pick = 0;

  std::string words() const {
    const char* name = signal == SIGKILL ? "SIGKILL" : signal == SIGSEGV ? "SIGSEGV" : "SIGSTOP, SIGKILL";
    return fmt::format("kgate {} of a {} kernel{}: {} to {} at {:.2f}", times ? "run" : "check",
                       right ? "right" : "wrong", cached ? ", compiled before" : "", name,
                       judge ? "the judge" : "a child", moment);
  }
};

Plan draw(RandomStream& random) {
  Plan plan;
  plan.right = random.below(3) != 0;
  plan.times = random.below(2) == 0;
  plan.judge = random.below(4) == 0;
  plan.cached = random.below(2) == 0;
  plan.signal = std::array{SIGKILL, SIGSEGV, SIGSTOP}[random.below(3)];
  plan.moment = random.uniform();
  plan.pick = random.below(1u << 20);
  return plan;
}

class Runs {
 public:
  explicit Runs(const KillOptions& options) : options_(options) {
    adopt_orphans();
    std::filesystem::remove_all(cli_.root() / "kernels");
    cli_.write({{".kgate/policy.toml", kPolicy},
                {"kernels/count/kernel.toml", kKernelToml},
                {"kernels/count/count.cu", kernel("2.0f * (float)i")},
                {"kernels/count/cases.toml", kCases},
                {"kernels/count/reference.cu", kReference}});
    cli_.commit("count");
    std::filesystem::create_directories(temporary());
    cli_.environment["TMPDIR"] = temporary().string();
  }

  KillReport all() {
    for (const bool times : {false, true}) {
      for (const bool cached : {false, true}) {
        Plan plan;
        plan.times = times;
        plan.cached = cached;
        if (cached) undisturbed(plan);  // fills the cache
        lengths_[{times, cached}] = undisturbed(plan);
      }
    }
    RandomStream random(options_.seed, 0x6b696c6c);
    for (int number = 1; number <= options_.runs; ++number) {
      number_ = number;
      one(draw(random));
    }
    return report_;
  }

 private:
  std::filesystem::path temporary() const { return cli_.root().parent_path() / "tmp"; }

  void breach(const Plan& plan, const std::string& what) {
    report_.breaches.push_back(fmt::format("run {} of seed {} ({}): {}", number_, options_.seed, plan.words(), what));
  }

  Process start(const Plan& plan) {
    // Another text, so that it is timed; the same work.
    cli_.write("kernels/count/count.cu", kernel(plan.right ? "(float)i * 2.0f + 0.0f * (float)n" : "2.5f * (float)i"));
    std::filesystem::remove_all(cli_.out());
    std::vector<std::string> arguments{plan.times ? "run" : "check", "--policy-ref", "main"};
    if (plan.cached) arguments.insert(arguments.end(), {"--cache", (cli_.root().parent_path() / "cache").string()});
    return Process::start(cli_.command(arguments));
  }

  Clock::duration undisturbed(const Plan& plan) {
    const auto begin = Clock::now();
    auto process = start(plan);
    const auto status = process.wait(kLongest);
    if (!status || status->code != 0) breach(plan, "an undisturbed run did not pass");
    look(plan);
    return Clock::now() - begin;
  }

  // One of the judge's children, by chance; 0: it has none now.
  static pid_t child_of(pid_t judge, std::uint64_t pick) {
    auto found = descendants_of(judge);
    std::erase_if(found, [](const auto& one) { return one.command.find("kgate-runner") == std::string::npos; });
    return found.empty() ? 0 : found[pick % found.size()].id;
  }

  void one(const Plan& plan) {
    const auto length = lengths_.at({plan.times, plan.cached});
    auto process = start(plan);
    std::this_thread::sleep_for(
        std::chrono::duration<double>(plan.moment * std::chrono::duration<double>(length).count()));
    pid_t victim = plan.judge ? process.id() : child_of(process.id(), plan.pick);
    while (victim == 0 && !process.wait(milliseconds(0))) victim = child_of(process.id(), plan.pick);
    if (victim != 0 && !process.wait(milliseconds(0))) {
      ::kill(victim, plan.signal);
      if (plan.signal == SIGSTOP) {
        std::this_thread::sleep_for(milliseconds(100));
        ::kill(victim, SIGKILL);
      }
      ++report_.counts[plan.judge ? "judge killed" : "child killed"];
    } else {
      ++report_.counts["over before"];
    }
    const auto status = process.wait(kLongest);
    if (!status) {
      breach(plan, "did not end");
      process.kill();
    }
    const std::string verdict = look(plan);
    ++report_.counts[fmt::format("{} kernel: {}", plan.right ? "right" : "wrong", verdict)];
    if (!plan.right && status && status->ok()) breach(plan, "ended with code 0");
    if (options_.on_run) options_.on_run(fmt::format("{:4} {}: {}", number_, plan.words(), verdict));
  }

  // The verdict, and what must hold whatever was killed.
  std::string look(const Plan& plan) {
    for (const auto& command : left_after(kPatience)) breach(plan, "left a process: " + command);
    for (const auto& entry : std::filesystem::directory_iterator(temporary())) {
      breach(plan, "left " + entry.path().filename().string());
      std::filesystem::remove_all(entry.path());
    }
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator("/dev/shm", error)) {
      if (entry.path().filename().string().find("kgate") != std::string::npos)
        breach(plan, "left shared memory: " + entry.path().string());
    }
    if (!cli_.has_result()) return "no result";
    std::string verdict;
    try {
      const Json result = cli_.result();
      verdict = result.at("verdict").get<std::string>();
      if (result.at("kernels").size() == 1) {
        const Json& kernel = result["kernels"][0];
        verdict = kernel.at("verdict").get<std::string>();
        reason_ = kernel.at("reason").get<std::string>();
      } else {
        reason_ = result.at("reason").get<std::string>();
      }
    } catch (const std::exception& broken) {
      breach(plan, std::string("left a broken result.json: ") + broken.what());
      return "broken";
    }
    const auto is_one_of = [&](std::initializer_list<const char*> names) {
      return std::any_of(names.begin(), names.end(), [&](const char* name) { return verdict == name; });
    };
    if (plan.right && is_one_of({"wrong", "regressed", "suspect", "untrusted", "missing"}))
      breach(plan, "a right kernel is " + verdict + ": " + reason_);
    if (!plan.right && !is_one_of({"wrong", "environment"})) breach(plan, "a wrong kernel is " + verdict);
    return verdict;
  }

  const KillOptions& options_;
  CliFixture cli_;
  std::map<std::pair<bool, bool>, Clock::duration> lengths_;  // of an undisturbed run: [times][cached]
  KillReport report_;
  int number_ = 0;
  std::string reason_;
};

}  // namespace

KillReport kill_runs(const KillOptions& options) {
  return Runs(options).all();
}

}  // namespace kgate::test
