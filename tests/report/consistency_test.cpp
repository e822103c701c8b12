#include "gate/verdict/result/consistency.h"

#include "base/json.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate::verdict;

namespace {

template <typename Spoil>
std::string refused(const std::string& name, Spoil&& spoil) {
  Result result = sample(name);
  spoil(result);
  const std::string text = error_of([&] { result_from_json(to_json(result), "r.json"); });
  const std::string begin = "usage: r.json: it contradicts itself: ";
  const std::string end =
      "; it was changed since kgate wrote it, or is none of kgate's: take the one that the run wrote";
  REQUIRE(text.substr(0, begin.size()) == begin);
  REQUIRE(text.ends_with(end));
  return text.substr(begin.size(), text.size() - begin.size() - end.size());
}

}  // namespace

TEST_CASE("a verdict that its kernels do not have is refused") {
  CHECK(refused("regressed", [](Result& result) { result.verdict = Verdict::pass; }) ==
        "its verdict is \"pass\", and the worst of its kernels' is \"regressed\"");
  CHECK(refused("all-pass", [](Result& result) { result.verdict = Verdict::wrong; }) ==
        "its verdict is \"wrong\", and the worst of its kernels' is \"pass\"");
  CHECK(refused("all-pass", [](Result& result) { result.verdict = Verdict::faster; }) ==
        "its verdict is \"faster\", which only a kernel's can be");
  CHECK(refused("all-pass", [](Result& result) { result.kernels.clear(); }) ==
        "its verdict is \"pass\", and it has no kernel");
}

TEST_CASE("an exit code that nothing explains is refused") {
  CHECK(refused("wrong", [](Result& result) { result.exit_code = 0; }) == "its exit code is 0, and its kernels give 2");
  CHECK(refused("all-pass", [](Result& result) { result.exit_code = 1; }) ==
        "its exit code is 1, and its kernels give 0");
  CHECK(refused("toolkit", [](Result& result) { result.exit_code = 0; }) ==
        "its exit code is 0, and its kernels give 1");
  CHECK(refused("toolkit", [](Result& result) { result.exit_code = 3; }) ==
        "its exit code is 3, and its kernels give 1");
  CHECK(refused("nothing-selected", [](Result& result) { result.exit_code = 0; }) ==
        "its exit code is 0, and its kernels give 6");
}

TEST_CASE("a kernel that is better than its cases is refused, and so are bounds the wrong way round") {
  CHECK(refused("all-pass", [](Result& result) { result.kernels[0].cases[0].verdict = Verdict::wrong; }) ==
        "kernel \"softmax\", case \"odd\" is \"wrong\", and the kernel \"pass\"");
  CHECK(refused("regressed", [](Result& result) { result.kernels[1].cases[0].verdict = Verdict::wrong; }) ==
        "kernel \"softmax\", case \"odd\" is \"wrong\", and the kernel \"regressed\"");
  CHECK(refused("preapproved", [](Result& result) { result.kernels[1].cases[0].verdict = Verdict::wrong; }) ==
        "kernel \"softmax\", case \"odd\" is \"wrong\", and the kernel \"preapproved\"");
  CHECK(refused("all-pass", [](Result& result) { result.kernels[0].blocks = true; }) ==
        "kernel \"softmax\" passes (pass) and blocks");
  CHECK(refused("all-pass", [](Result& result) { result.kernels[0].cases[2].time->low = 2; }) ==
        "kernel \"softmax\", case \"wide\" has a lower bound 2 over its upper 1.0035");
}

TEST_CASE("a shard that is not one of them is refused") {
  CHECK(refused("all-pass", [](Result& result) { result.shard_index = 3; }) == "it is shard 3 of 1");
  CHECK(refused("all-pass", [](Result& result) { result.shard_index = 0; }) == "it is shard 0 of 1");
  CHECK(refused("all-pass", [](Result& result) { result.shard_total = std::int64_t{1} << 62; }) ==
        "it is shard 1 of 4611686018427387904");
}

TEST_CASE("what an error ended is whole as it is, whatever its kernels had come to") {
  Result result = sample("interrupted");
  result.kernels[0].verdict = Verdict::wrong;
  CHECK_NOTHROW(check_consistent(result, "r.json"));
  result.exit_code = 5;
  CHECK_NOTHROW(check_consistent(result, "r.json"));
  result.verdict = Verdict::pass;
  CHECK_THROWS(check_consistent(result, "r.json"));
}
