#include "gate/verdict/result/merge.h"

#include "tests/report/samples.h"
#include "tests/report/validity.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate::verdict;

namespace {

// Shards of a plan for saxpy, transpose and softmax, of which two regressed.
std::vector<ShardResult> shards() {
  Result first = sample("all-pass"), second = sample("regressed");
  first.kernels.erase(first.kernels.begin());    // saxpy and transpose are left
  second.kernels.erase(second.kernels.begin());  // softmax is left
  second.kernels[0].blocks = true;
  for (Result* one : {&first, &second}) {
    one->shard_total = 2;
    one->shard_planned = {"saxpy", "softmax", "transpose"};
  }
  first.shard_index = 1;
  second.shard_index = 2;
  return {{"1.json", first}, {"2.json", second}};
}

template <typename Spoil>
std::string refused(Spoil&& spoil) {
  auto all = shards();
  spoil(all);
  return error_of([&] { merge(all); });
}

std::vector<std::string> names(const Result& result) {
  std::vector<std::string> found;
  for (const KernelResult& kernel : result.kernels) found.push_back(kernel.name);
  return found;
}

}  // namespace

TEST_CASE("shards are one run: its kernels in the plan's order, its verdict and code from what blocks") {
  const Result whole = merge(shards());
  CHECK(names(whole) == std::vector<std::string>{"saxpy", "softmax", "transpose"});
  CHECK(whole.verdict == Verdict::regressed);
  CHECK(whole.exit_code == 1);
  CHECK(whole.reason == shards()[1].result.reason);
  CHECK(whole.shard_total == 1);
  CHECK(whole.total_s == 12.5);
  CHECK(whole.seed == "00000000deadbeef");
  CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
  auto other_way = shards();
  std::swap(other_way[0], other_way[1]);
  CHECK(names(merge(other_way)) == names(whole));
}

TEST_CASE("what the profile does not block on does not block the merged run") {
  auto all = shards();
  all[1].result.kernels[0].blocks = false;
  all[1].result.exit_code = 0;
  const Result whole = merge(all);
  CHECK(whole.verdict == Verdict::regressed);
  CHECK(whole.exit_code == 0);
}

TEST_CASE("a red shard of an earlier kgate, which did not write what blocks, is as red when merged") {
  auto all = shards();
  all[1].result.kernels[0].blocks = false;
  REQUIRE(all[1].result.exit_code == 1);
  const Result whole = merge(all);
  CHECK(whole.exit_code == 1);
  CHECK(whole.kernels[1].blocks);
  CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
}

TEST_CASE("kernels of a shard that is not there are missing, and block") {
  auto all = shards();
  all.pop_back();
  const Result whole = merge(all);
  REQUIRE(names(whole) == std::vector<std::string>{"saxpy", "softmax", "transpose"});
  CHECK(whole.kernels[1].verdict == Verdict::missing);
  CHECK(whole.kernels[1].reason == "it was planned, and no shard has it; of 2 shards there is no result of 2");
  CHECK(whole.exit_code == 6);
  CHECK(whole.warnings == std::vector<std::string>{"there is no result of shard 2"});
  CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
}

TEST_CASE("a shard that claims the kernels of one that is not there does not stand in for it") {
  auto all = shards();
  KernelResult stolen = all[0].result.kernels[0];
  stolen.name = "softmax";
  all[0].result.kernels.push_back(stolen);
  all.pop_back();
  const Result whole = merge(all);
  CHECK(whole.exit_code == 6);
  CHECK(whole.verdict == Verdict::missing);
  REQUIRE(whole.kernels.size() == 4);
  CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
}

TEST_CASE("a shard that ended early is no pass") {
  auto all = shards();
  Result& ended = all[1].result;
  ended.kernels.clear();
  ended.verdict = Verdict::environment;
  ended.exit_code = 5;
  ended.reason = "the GPU is busy";
  const Result lost = merge(all);
  CHECK(lost.exit_code == 6);
  CHECK(lost.kernels[1].reason == "it was planned, and no shard has it; shard 2 of 2 ended early: the GPU is busy");
  CHECK_NOTHROW(result_from_json(to_json(lost), "whole.json"));
  // Also where it had judged all that was its own.
  ended.kernels = {sample("all-pass").kernels[0]};
  const Result whole = merge(all);
  CHECK(whole.verdict == Verdict::environment);
  CHECK(whole.exit_code == 5);
  CHECK(whole.reason == "shard 2 of 2 ended early: the GPU is busy");
  CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
}

TEST_CASE("a shard that ended before it knew the plan is told, whichever is given first") {
  auto all = shards();
  Result& ended = all[1].result;
  ended.kernels.clear();
  ended.shard_planned.clear();
  ended.backend = ended.source_base = ended.device_class = ended.device_name = "";
  ended.verdict = Verdict::environment;
  ended.exit_code = 5;
  ended.reason = "the GPU is busy";
  for (int i = 0; i < 2; ++i) {
    const Result whole = merge(all);
    CHECK(names(whole) == std::vector<std::string>{"saxpy", "softmax", "transpose"});
    CHECK(whole.exit_code == 6);
    CHECK(whole.kernels[1].reason == "it was planned, and no shard has it; shard 2 of 2 ended early: the GPU is busy");
    CHECK(whole.warnings == std::vector<std::string>{"shard 2 of 2 ended early: the GPU is busy"});
    CHECK(whole.backend == "cuda");
    CHECK_NOTHROW(result_from_json(to_json(whole), "whole.json"));
    std::swap(all[0], all[1]);
  }
  // What it does say has to be of the same run.
  ended.profile = "release";
  CHECK(error_of([&] { merge(all); }).starts_with("usage: 2.json: its profile is \"release\""));
}

TEST_CASE("what is gone stands in no plan, and is in the merged run nevertheless") {
  auto all = shards();
  KernelResult gone;
  gone.name = "gone";
  gone.verdict = Verdict::missing;
  gone.reason = "the base has it, this tree does not";
  gone.blocks = true;
  all[0].result.kernels.push_back(gone);
  const Result whole = merge(all);
  CHECK(names(whole) == std::vector<std::string>{"saxpy", "softmax", "transpose", "gone"});
  CHECK(whole.kernels[3].blocks);
}

TEST_CASE("a shard without a kernel is a pass of its own, and adds nothing to the whole") {
  auto all = shards();
  Result empty = all[0].result;
  empty.kernels.clear();
  for (auto& shard : all) shard.result.shard_total = 4;
  empty.shard_total = 4;
  empty.verdict = Verdict::pass;
  empty.exit_code = 0;
  empty.reason = "shard 4 of 4 has no kernel: 3 kernels were planned";
  empty.shard_index = 4;
  CHECK_NOTHROW(result_from_json(to_json(empty), "4.json"));
  Result third = all[0].result;
  third.shard_index = 3;
  third.kernels.erase(third.kernels.begin());
  all[0].result.kernels.pop_back();
  all.push_back({"3.json", third});
  all.push_back({"4.json", empty});
  CHECK(names(merge(all)) == std::vector<std::string>{"saxpy", "softmax", "transpose"});
  // The first three kernels of a plan have a shard each: an empty third shard has lost one.
  empty.shard_index = 3;
  CHECK(
      error_of([&] { result_from_json(to_json(empty), "3.json"); }) ==
      "usage: 3.json: it contradicts itself: its verdict is \"pass\", and it has no kernel; it was changed since kgate "
      "wrote it, or is none of kgate's: take the one that the run wrote");
}

TEST_CASE("each kernel keeps the seed of its shard, where they are not the same") {
  auto all = shards();
  all[1].result.seed = "0000000000000007";
  const Result whole = merge(all);
  CHECK(whole.seed.empty());
  CHECK(whole.kernels[0].seed == "00000000deadbeef");
  CHECK(whole.kernels[1].seed == "0000000000000007");
  CHECK(to_json(result_from_json(to_json(whole), "whole.json")) == to_json(whole));
}

TEST_CASE("results that are not of one run are refused") {
  const std::string remedy = "; merge the results of one run's shards";
  CHECK(refused([](auto& all) { all[1].result.source_commit = "d"; }) ==
        "usage: 2.json: its commit is \"d\", and that of 1.json \"" + std::string(40, 'c') + "\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.tool_version = "9"; }) ==
        "usage: 2.json: its kgate is \"9 (0123456789)\", and that of 1.json \"0.1.0 (0123456789)\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.profile = "release"; }) ==
        "usage: 2.json: its profile is \"release\", and that of 1.json \"pr\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.backend = "host"; }) ==
        "usage: 2.json: its backend is \"host\", and that of 1.json \"cuda\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.shard_total = 3; }) ==
        "usage: 2.json: its number of shards is \"3\", and that of 1.json \"2\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.shard_planned = {"softmax"}; }) ==
        "usage: 2.json: its planned kernels is \"softmax\", and that of 1.json \"saxpy, softmax, transpose\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.shard_plan = "sha256:ab"; }) ==
        "usage: 2.json: its plan is \"sha256:ab\", and that of 1.json \"\"" + remedy);
  CHECK(refused([](auto& all) { all[1].result.policy_digest = ""; }).starts_with("usage: 2.json: its policy is "));
  CHECK(refused([](auto& all) { all[1].result.verb = "check"; }).starts_with("usage: 2.json: its verb is "));
  CHECK(refused([](auto& all) { all.clear(); }) == "usage: the merged result: has no shard" + remedy);
}

TEST_CASE("a shard or a kernel twice is refused, and so is one that nobody planned") {
  CHECK(refused([](auto& all) { all[1].result.shard_index = 1; }) ==
        "usage: 2.json: it is shard 1 of 2, and so is 1.json; give each shard once");
  CHECK(refused([](auto& all) { all[1].result.kernels.push_back(all[0].result.kernels[0]); }) ==
        "usage: 2.json: kernel \"saxpy\" is in 1.json too; a kernel belongs to one shard");
  CHECK(refused([](auto& all) { all[1].result.kernels[0].name = "other"; }) ==
        "usage: 2.json: kernel \"other\" is not in its plan; merge the results of one run's shards");
  CHECK(refused([](auto& all) {
          all.pop_back();
          all[0].result.shard_planned.clear();
        }) == "usage: kgate report --merge: got 1 of 2 shards, and they do not say what was planned; give all of them");
}
