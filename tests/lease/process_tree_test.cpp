#include "gate/lease/process_tree.h"

#include <unistd.h>

#include "base/file.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::lease;

TEST_CASE("the process tree is read from /proc, whatever programs are called") {
  const TemporaryFolder proc("kgate-test");
  write_file_atomic(proc.path() / "1/stat", "1 (init) S 0 1 1 0");
  write_file_atomic(proc.path() / "20/stat", "20 (a) S 1) R 1 20 1 0");
  write_file_atomic(proc.path() / "30/stat", "30 (sh) S 20 20 1 0");
  write_file_atomic(proc.path() / "40/stat", "rubbish");
  write_file_atomic(proc.path() / "self/stat", "30 (sh) S 20 20 1 0");
  const ProcessTree tree = read_process_tree(proc.path());
  REQUIRE(tree.size() == 3);
  CHECK(tree.at(20).name == "a) S 1");
  CHECK(tree.at(20).parent == 1);
  CHECK(tree.at(30).user == ::geteuid());
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
