#include "tests/verdict/experiment_bench.h"

#include <fstream>

#include <fmt/format.h>

#include "gate/verdict/compile/baseline.h"

using namespace kgate;

namespace {

constexpr const char* kCases = R"toml(schema = "kgate.cases/1"
kernel = "k"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "u8"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[reference]
sources = ["r.cu"]
entry = "r"
grid = [1, 1, 1]
block = [32, 1, 1]
)toml";

constexpr const char* kCase = R"toml([[case]]
name = "{}"
role = "performance"
sizes = {{ n = 1000 }}
inputs = {{ x = {{ normal = [0.0, 1.0] }} }}
)toml";

constexpr const char* kNames[] = {"one", "two", "three", "four"};

// A version that wants so many bytes of scratch memory.
cases::KernelSpec version(int scratch) {
  std::string text = "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n";
  if (scratch > 0) text += fmt::format("[[workspace]]\nname = \"w\"\ndtype = \"u8\"\nshape = [{}]\n", scratch);
  text += "[[launch]]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\nargs = [\"y\", \"x\"]\n";
  return cases::parse_kernel(text, "k/kernel.toml");
}

verdict::Artifact code_of(char code) {
  runner::Compiled compiled;
  compiled.status = runner::Compiled::Status::ok;
  compiled.code = Bytes(1, static_cast<std::byte>(code));
  return std::make_shared<runner::Compiled>(compiled);
}

// What the fake device shows where it leaves nothing out.
std::shared_ptr<const verdict::KernelAnswers> answers() {
  auto answers = std::make_shared<verdict::KernelAnswers>();
  verdict::CaseAnswers& known = (*answers)["one"];
  known.candidate = {{{0, "looked at"}}};
  known.wholes = {{{0, "all"}}};
  return answers;
}

}  // namespace

verdict::Subject ExperimentBench::subject() const {
  std::string text = kCases;
  for (int i = 0; i < cases; ++i) text += fmt::format(kCase, kNames[i]);
  verdict::Subject subject;
  subject.name = "k";
  subject.cases = cases::parse_cases(text, "k/cases.toml");
  subject.cases_tree = std::make_shared<FolderTree>(".");
  subject.candidate.spec = version(candidate_scratch);
  subject.base = verdict::Version{version(base_scratch), "", {}, ""};
  return subject;
}

std::vector<verdict::TimedKernel> ExperimentBench::time_all(int kernels) const {
  const verdict::Subject one = subject();
  runner::ClientOptions child;
  child.runner = KGATE_FAKE_RUNNER;
  child.backend = "cuda";
  child.device = fmt::format("device:{}:{}{}:log={}", memory, ratio, fields, (folder_.path() / "asked").string());
  verdict::ChildPool children(child, 1);
  verdict::TimeOptions options;
  options.backend = "cuda";
  options.budget = budget;
  options.watch = watch;
  options.alone = alone;
  options.shards = shards;
  if (watch != nullptr) options.on_case = [this](const auto&, const auto&) { watch->look(); };
  verdict::TimeJob job;
  job.subject = &one;
  job.candidate = code_of('c');
  if (checked) job.answers = answers();
  for (std::size_t i = 0; i < against.size(); ++i) {
    job.references.push_back({against[i], code_of(references[i]), cases::version_of(one.base->spec), zone, recorded});
    if (against[i] == verdict::kToolkit) job.references.back().other = i - 1;
  }
  return verdict::time_suite(std::vector(static_cast<std::size_t>(kernels), job), options, children);
}

std::vector<std::string> ExperimentBench::asked() const {
  std::vector<std::string> lines;
  std::ifstream file(folder_.path() / "asked");
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

verdict::WatchOptions FakeGpu::options() {
  verdict::WatchOptions options;
  options.period_s = 0;
  options.clock = [this] { return seconds += 0.05; };
  options.look = [this] {
    fingerprint::GpuState state;
    state.throttle_reasons = throttle_reasons;
    state.tells_utilisation = true;
    fingerprint::GpuProcess other, own;
    other.pid = 4242;
    other.name = "python3";
    other.utilisation_percent = seconds < busy_until_s ? 37 : 0;
    own.pid = 77;
    state.processes = {other, own};
    return state;
  };
  options.started_here = [](unsigned) { return false; };
  return options;
}
