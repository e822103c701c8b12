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

  verdict::TimedKernel time() const {
    verdict::Subject subject;
    subject.name = "k";
    subject.cases = cases::parse_cases(kCases, "k/cases.toml");
    subject.cases_tree = std::make_shared<FolderTree>(".");
    subject.candidate.spec = version(candidate_scratch);
    subject.base = verdict::Version{version(base_scratch), {}, ""};
    const auto artifact = std::make_shared<runner::Compiled>();
    runner::ClientOptions child;
    child.runner = KGATE_FAKE_RUNNER;
    child.backend = "cuda";
    child.device = fmt::format("device:{}:{}", memory, ratio);
    verdict::ChildPool children(child, 1);
    verdict::TimeOptions options;
    options.backend = "cuda";
    return verdict::time_suite({{&subject, artifact, artifact, trust::Zone{}}}, options, children).front();
  }
};

}  // namespace

TEST_CASE("an equal kernel passes after two rounds of twelve blocks") {
  const auto timed = Bench{}.time();
  REQUIRE(timed.cases.size() == 1);
  const auto& one = timed.cases.front();
  CHECK(one.verdict == Verdict::pass);
  CHECK(one.timing.blocks == 24);
  CHECK(one.timing.rounds == 2);
  CHECK(one.timing.base_us == 100);
  CHECK(one.us.size() == 2);
}

TEST_CASE("a slower kernel is regressed only once a third, fresh round has confirmed it") {
  Bench bench;
  bench.ratio = 1.05;
  const auto one = bench.time().cases.front();
  CHECK(one.verdict == Verdict::regressed);
  CHECK(one.timing.rounds == 3);
  CHECK(one.timing.ratio == Approx(1.05));
  REQUIRE(one.timing.trace.size() == 4);
  CHECK(one.timing.trace[1] == "suspected; a fresh round must confirm it");
  CHECK(one.timing.trace[3] == "confirmed in a fresh round");
}

TEST_CASE("a faster kernel is faster") {
  Bench bench;
  bench.ratio = 0.9;
  CHECK(bench.time().cases.front().verdict == Verdict::faster);
}

TEST_CASE("scratch memory that fits alone but not beside the base's is the candidate's fault") {
  Bench bench;
  bench.candidate_scratch = 600000;
  bench.base_scratch = 600000;
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
