// The experiment's own course, on a child that answers at once with the times it is told to have measured.
#include "gate/verdict/experiment.h"

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace kgate;
using verdict::Verdict;

namespace {

constexpr const char* kCases = R"toml(schema = "kgate.cases/1"
kernel = "k"
revision = 1
[[param]]
name = "y"
kind = "out"
dtype = "u8"
shape = ["n"]
[reference]
sources = ["r.cu"]
entry = "r"
grid = [1, 1, 1]
block = [32, 1, 1]
[[case]]
name = "one"
role = "performance"
sizes = { n = 1000 }
)toml";

// A version that wants so many bytes of scratch memory.
cases::KernelSpec version(int scratch) {
  std::string text = "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n";
  if (scratch > 0) text += fmt::format("[[workspace]]\nname = \"w\"\ndtype = \"u8\"\nshape = [{}]\n", scratch);
  text += "[[launch]]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\nargs = [\"y\"]\n";
  return cases::parse_kernel(text, "k/kernel.toml");
}

struct Bench {
  int memory = 1 << 20;
  double ratio = 1;
  int candidate_scratch = 0, base_scratch = 0;
  std::vector<std::string> against{"base"};
  std::string references = "b";  // the machine code of each
  verdict::Watch* watch = nullptr;

  static verdict::Artifact code_of(char code) {
    runner::Compiled compiled;
    compiled.status = runner::Compiled::Status::ok;
    compiled.code = Bytes(1, static_cast<std::byte>(code));
    return std::make_shared<runner::Compiled>(compiled);
  }

  verdict::TimedKernel time() const {
    verdict::Subject subject;
    subject.name = "k";
    subject.cases = cases::parse_cases(kCases, "k/cases.toml");
    subject.cases_tree = std::make_shared<FolderTree>(".");
    subject.candidate.spec = version(candidate_scratch);
    subject.base = verdict::Version{version(base_scratch), {}, ""};
    runner::ClientOptions child;
    child.runner = KGATE_FAKE_RUNNER;
    child.backend = "cuda";
    child.device = fmt::format("device:{}:{}", memory, ratio);
    verdict::ChildPool children(child, 1);
    verdict::TimeOptions options;
    options.backend = "cuda";
    options.watch = watch;
    if (watch != nullptr) options.on_case = [this](const auto&, const auto&) { watch->look(); };
    verdict::TimeJob job;
    job.subject = &subject;
    job.candidate = code_of('c');
    for (std::size_t i = 0; i < against.size(); ++i)
      job.references.push_back({against[i], code_of(references[i]), cases::version_of(subject.base->spec), {}});
    return verdict::time_suite({job}, options, children).front();
  }
};

}  // namespace

TEST_CASE("an equal kernel passes after two rounds of seven blocks") {
  const auto timed = Bench{}.time();
  REQUIRE(timed.cases.size() == 1);
  const auto& one = timed.cases.front();
  CHECK(one.verdict == Verdict::pass);
  REQUIRE(one.comparisons.size() == 1);
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.blocks == 14);
  CHECK(timing.rounds == 2);
  CHECK(timing.base_us == 100);
  CHECK(timing.p95_ratio == Approx(1));
  CHECK(one.us.size() == 2);
}

TEST_CASE("a slower kernel is regressed only once a third, fresh round has confirmed it") {
  Bench bench;
  bench.ratio = 1.05;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::regressed);
  const auto& timing = one.comparisons.front().timing;
  CHECK(timing.rounds == 3);
  CHECK(timing.ratio == Approx(1.05));
  REQUIRE(timing.trace.size() == 4);
  CHECK(timing.trace[1] == "suspected; a fresh round must confirm it");
  CHECK(timing.trace[3] == "confirmed in a fresh round");
}

TEST_CASE("several references are timed in the same blocks, and each has its own verdict") {
  Bench bench;
  bench.ratio = 1.05;
  bench.against = {"base", "accepted", "last-release"};
  bench.references = "bac";
  const auto one = bench.time().cases.front();
  REQUIRE(one.comparisons.size() == 3);
  CHECK(one.verdict == Verdict::regressed);
  CHECK(one.comparisons[0].verdict == Verdict::regressed);
  CHECK(one.comparisons[1].verdict == Verdict::regressed);
  CHECK(one.comparisons[1].reason.starts_with("than the accepted version: slower by 5.00 %"));
  // The last release has the candidate's own machine code: nothing to time.
  CHECK(one.comparisons[2].verdict == Verdict::unchanged);
  CHECK(one.comparisons[2].timing.blocks == 0);
  CHECK(one.us.front().size() == 3);
}

TEST_CASE("a candidate that equals all references is not timed") {
  Bench bench;
  bench.references = "c";
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::unchanged);
  CHECK(one.us.empty());
}

TEST_CASE("windows that a neighbour disturbed are dropped, measured again, and told") {
  // A GPU on which python3 is busy until the fourth second of a clock that moves with every question.
  double seconds = 0;
  verdict::WatchOptions options;
  options.period_s = 0;
  options.clock = [&] { return seconds += 0.2; };
  options.look = [&] {
    fingerprint::GpuState state;
    fingerprint::GpuProcess other;
    other.pid = 4242;
    other.name = "python3";
    other.utilisation_percent = seconds < 2.5 ? 37 : 0;
    state.processes = {other};
    state.tells_utilisation = true;
    fingerprint::GpuProcess own;
    own.pid = 77;
    state.processes.push_back(own);
    return state;
  };
  options.started_here = [](unsigned) { return false; };
  verdict::Watch watch(options);
  watch.own(77);
  watch.look();
  Bench bench;
  bench.watch = &watch;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::pass);
  CHECK(one.comparisons.front().timing.dropped > 0);
  CHECK(watch.summary()["cause"].get<std::string>().find("python3 (pid 4242") != std::string::npos);
}

TEST_CASE("a faster kernel is faster") {
  Bench bench;
  bench.ratio = 0.9;
  CHECK(bench.time().cases.front().verdict == Verdict::faster);
}

TEST_CASE("scratch memory that fits alone but not beside the base's is the candidate's fault") {
  Bench bench;
  bench.candidate_scratch = 600000;
  bench.base_scratch = 500000;
  const auto timed = bench.time();
  CHECK(timed.failure.empty());
  CHECK(timed.cases.front().verdict == Verdict::wrong);
  CHECK(timed.cases.front().reason == "its scratch memory does not fit beside the base's: device memory: is too small");
}

TEST_CASE("a device that has no room for the base either is at fault itself") {
  Bench bench;
  bench.candidate_scratch = 600000;
  bench.base_scratch = 2000000;
  CHECK(bench.time().failure == "device memory: is too small");
}
