#include "gate/verdict/subject/suite_plan.h"

#include <fmt/format.h>

#include "base/memory_tree.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

using Files = std::map<std::string, std::string>;

// A kernel with one checked case of 32 elements and `timed` timed ones of a MiB of i32.
void add(Files& files, const std::string& name, int timed, const std::string& source = "__global__ void k(int*) {}") {
  const std::string folder = "kernels/" + name + "/";
  files[folder + "kernel.toml"] =
      "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n"
      "[[launch]]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n";
  files[folder + "k.cu"] = source;
  std::string cases = "schema = \"kgate.cases/1\"\nkernel = \"" + name +
                      "\"\nrevision = 1\n[[param]]\nname = \"y\"\nkind = \"out\"\ndtype = \"i32\"\nshape = [\"n\"]\n"
                      "[reference]\nsources = [\"k.cu\"]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [32, 1, 1]\n"
                      "[[case]]\nname = \"one\"\nrole = \"correctness\"\nsizes = { n = 32 }\n";
  for (int i = 0; i < timed; ++i)
    cases += fmt::format("[[case]]\nname = \"timed{}\"\nrole = \"performance\"\nsizes = {{ n = 262144 }}\n", i);
  files[folder + "cases.toml"] = cases;
}

struct Scene {
  Files working, base;
  trust::Policy policy;
  std::vector<std::string> selection;

  verdict::SuitePlan plan(verdict::PlanOptions options = {}) const {
    verdict::SuiteOptions suite;
    suite.working = tree_of(working);
    suite.base = tree_of(base);
    suite.policy = &policy;
    suite.selection = selection;
    return verdict::plan_suite(suite, options);
  }

 private:
  static std::shared_ptr<const FileTree> tree_of(const Files& files) {
    std::map<std::string, Bytes> bytes;
    for (const auto& [path, content] : files) bytes[path] = bytes_of(content);
    return std::make_shared<MemoryTree>(std::move(bytes), "tree");
  }
};

Scene three() {
  Scene scene;
  for (Files* files : {&scene.working, &scene.base}) {
    add(*files, "a", 1);
    add(*files, "b", 2);
    add(*files, "c", 3);
  }
  return scene;
}

std::vector<std::string> texts(const verdict::SuitePlan& plan) {
  std::vector<std::string> found;
  for (const auto& one : plan.kernels)
    found.push_back(fmt::format("{}: {} us, {} of {} timed, shard {}", one.name, one.cost_us, one.timed_cases,
                                one.cases, one.shard));
  return found;
}

}  // namespace

TEST_CASE("an unchanged kernel costs its check, a changed one its compilation and timing too") {
  Scene scene = three();
  CHECK(texts(scene.plan()) == std::vector<std::string>{"a: 12516 us, 0 of 2 timed, shard 1",
                                                        "b: 20032 us, 0 of 3 timed, shard 1",
                                                        "c: 27548 us, 0 of 4 timed, shard 1"});
  add(scene.working, "a", 1, "__global__ void k(int* y) { *y = 1; }");
  CHECK(texts(scene.plan({2}))[0] == "a: 525242 us, 1 of 2 timed, shard 1");
  CHECK(texts(scene.plan({2}))[1] == "b: 20032 us, 0 of 3 timed, shard 2");
  // What is only checked, and what is timed although it is unchanged.
  CHECK(texts(scene.plan({1, true}))[0] == "a: 132516 us, 0 of 2 timed, shard 1");
  CHECK(texts(scene.plan({1, false, true}))[1] == "b: 805484 us, 2 of 3 timed, shard 1");
  // A budget that is smaller than what a case usually takes.
  scene.policy.budget.seconds_per_case = 0.1;
  CHECK(texts(scene.plan())[0] == "a: 235242 us, 1 of 2 timed, shard 1");
}

TEST_CASE("a kernel that the base does not have is compiled and checked") {
  Scene scene = three();
  add(scene.working, "young", 2);
  CHECK(texts(scene.plan())[3] == "young: 140032 us, 0 of 3 timed, shard 1");
}

TEST_CASE("what is gone from the working tree is in no plan, and what was not selected is not either") {
  Scene scene = three();
  for (const char* file : {"kernel.toml", "cases.toml", "k.cu"}) scene.working.erase(std::string("kernels/b/") + file);
  CHECK(scene.plan().names() == std::vector<std::string>{"a", "c"});
  scene.selection = {"c", "z*"};
  CHECK(scene.plan().names() == std::vector<std::string>{"c"});
}

TEST_CASE(
    "the same trees give the same plan; the split does not ask where folders lie; other sources or another split have "
    "another digest") {
  const Scene scene = three();
  Scene moved = three();
  for (Files* files : {&moved.working, &moved.base}) {
    for (const char* file : {"kernel.toml", "cases.toml", "k.cu"}) {
      auto node = files->extract(std::string("kernels/a/") + file);
      node.key() = std::string("kernels/zz/") + file;
      files->insert(std::move(node));
    }
  }
  const std::string digest = scene.plan({2}).digest();
  CHECK(digest.starts_with("sha256:"));
  CHECK(three().plan({2}).digest() == digest);
  for (const std::int64_t shard : {1, 2}) CHECK(moved.plan({2}).of_shard(shard) == scene.plan({2}).of_shard(shard));
  CHECK(moved.plan({2}).digest() != digest);
  CHECK(scene.plan({3}).digest() != digest);
  CHECK(scene.plan({4}).digest() != scene.plan({3}).digest());
  moved.selection = {"a", "b"};
  CHECK(moved.plan({2}).digest() != digest);
}

TEST_CASE("every kernel of a plan has one shard, and the shards' costs are those of their kernels") {
  const auto plan = three().plan({2});
  CHECK(plan.of_shard(1) == std::set<std::string>{"c"});
  CHECK(plan.of_shard(2) == std::set<std::string>{"a", "b"});
  CHECK(plan.cost_us(1) == 27548);
  CHECK(plan.cost_us(2) == 12516 + 20032);
}

TEST_CASE("sizes that no machine can hold, or that make no sense, leave a plan") {
  Scene scene = three();
  auto& cases = scene.working["kernels/a/cases.toml"];
  cases +=
      "[[case]]\nname = \"huge\"\nrole = \"correctness\"\nsizes = { n = 2147483647 }\n"
      "[[case]]\nname = \"over\"\nrole = \"correctness\"\nsizes = { n = 3000000000 }\n";
  CHECK(texts(scene.plan())[0] == "a: 20638359 us, 0 of 4 timed, shard 1");
  scene.working["kernels/b/k.cu"].clear();
  scene.working.erase("kernels/b/k.cu");  // its sources cannot be read: as if changed
  CHECK(texts(scene.plan())[1].starts_with("b: 9"));
}

TEST_CASE("two kernels of one name have no plan") {
  Scene scene = three();
  scene.working["kernels/b/cases.toml"] = scene.working["kernels/a/cases.toml"];
  CHECK(
      error_of([&] { scene.plan(); }) ==
      "untrusted: kernels/b/cases.toml: kernel \"a\" is declared by kernels/a/cases.toml too; give each kernel a name "
      "of its own");
}
