#include "gate/lease/process_tree.h"

#include <unistd.h>

#include "base/file.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::lease;

TEST_CASE("the process tree is read from /proc, whatever programs are called") {
  const TemporaryFolder proc("kgate-test");
  const auto process = [&](const std::string& folder, const std::string& name, int parent) {
    write_file_atomic(proc.path() / folder / "status", "Name:\t" + name + "\nState:\tS (sleeping)\nPid:\t" + folder +
                                                           "\nPPid:\t" + std::to_string(parent) +
                                                           "\nUid:\t1000\t1001\t1000\t1000\nGid:\t5\n");
  };
  process("1", "init", 0);
  process("20", "PPid:\t7 (x", 1);
  process("30", "sh", 20);
  process("self", "sh", 20);
  write_file_atomic(proc.path() / "40/status", "rubbish");
  const ProcessTree tree = read_process_tree(proc.path());
  REQUIRE(tree.size() == 3);
  CHECK(tree.at(20).name == "PPid:\t7 (x");
  CHECK(tree.at(20).parent == 1);
  CHECK(tree.at(30).user == 1000);
  CHECK(descends_from(tree, 30, 1));
  CHECK(descends_from(tree, 30, 30));
  CHECK(!descends_from(tree, 1, 30));
  CHECK(!descends_from(tree, 99, 1));
}

TEST_CASE("a tree with a loop, read while processes ended, is no endless search") {
  CHECK(!descends_from({{1, {2, "a", 0}}, {2, {1, "b", 0}}}, 1, 3));
}

TEST_CASE("this process descends from its parent and not from a stranger") {
  const ProcessTree tree = read_process_tree();
  CHECK(descends_from(tree, ::getpid(), ::getppid()));
  CHECK(!descends_from(tree, ::getppid(), ::getpid()));
}

TEST_CASE("without a /proc nobody is seen") {
  CHECK(read_process_tree("/nowhere").empty());
}
