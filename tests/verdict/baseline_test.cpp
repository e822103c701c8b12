// Which earlier versions a candidate is compared with.
#include "gate/verdict/compile/baseline.h"

#include "tests/support/catch.h"

using namespace kgate;
using verdict::Artifact;

namespace {

Artifact code(char what, runner::Compiled::Status status = runner::Compiled::Status::ok) {
  runner::Compiled compiled;
  compiled.status = status;
  compiled.code = Bytes(1, static_cast<std::byte>(what));
  return std::make_shared<runner::Compiled>(compiled);
}

struct Kernel {
  verdict::Subject subject;
  verdict::Artifacts code;

  Kernel() { subject.base = verdict::Version{}; }
  void accept(const char* against, std::int64_t sequence, const Artifact& recorded, const Artifact& rebuilt) {
    verdict::AcceptedVersion one;
    one.against = against;
    one.sequence = sequence;
    one.recorded = recorded;
    subject.accepted.push_back(std::move(one));
    code.accepted.push_back(recorded);
    code.rebuilt.push_back(rebuilt);
  }
  std::vector<verdict::Baseline> baselines() const {
    return verdict::baselines_of(subject, code, {"base", "accepted", "last-release"}, "b");
  }
};

std::vector<std::string> names(const std::vector<verdict::Baseline>& all) {
  std::vector<std::string> found;
  for (const auto& one : all) found.push_back(one.against);
  return found;
}

}  // namespace

TEST_CASE(
    "what today's toolkit makes of the accepted source is compared, and the recorded code only where it differs") {
  Kernel kernel;
  SECTION("equal") {
    kernel.accept("accepted", 3, code('a'), code('a'));
    const auto all = kernel.baselines();
    CHECK(names(all) == std::vector<std::string>{"base", "accepted"});
    CHECK(all[1].recorded);
  }
  SECTION("another") {
    kernel.accept("accepted", 3, code('a'), code('t'));
    const auto all = kernel.baselines();
    REQUIRE(names(all) == std::vector<std::string>{"base", "accepted", "toolkit"});
    CHECK_FALSE(all[1].recorded);
    CHECK(all[1].code->code == code('t')->code);
    CHECK(all[2].recorded);
    CHECK(all[2].code->code == code('a')->code);
    CHECK(all[2].version == all[1].version);
  }
  SECTION("none: the source does not compile any more, and the recorded code stands for it") {
    kernel.accept("accepted", 3, code('a'), code('t', runner::Compiled::Status::failed));
    const auto all = kernel.baselines();
    REQUIRE(names(all) == std::vector<std::string>{"base", "accepted"});
    CHECK(all[1].recorded);
    CHECK(all[1].code->code == code('a')->code);
  }
}

TEST_CASE("of several accepted versions the toolkit is asked once") {
  Kernel kernel;
  kernel.accept("accepted", 3, code('a'), code('t'));
  kernel.accept("last-release", 2, code('l'), code('u'));
  const auto all = kernel.baselines();
  REQUIRE(names(all) == std::vector<std::string>{"base", "accepted", "last-release", "toolkit"});
  CHECK(all[3].sequence == 3);
}
