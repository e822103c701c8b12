#include "gate/trust/first_parents.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/git_fixture.h"

using kgate::trust::first_parents;
using kgate::trust::Repository;

using Way = std::vector<std::string>;

TEST_CASE("the way between two commits has both ends, the older first") {
  const GitFixture fixture;
  const auto one = fixture.init("r");
  const auto two = fixture.commit("r", "a", "2"), three = fixture.commit("r", "a", "3");
  const auto repository = Repository::open(fixture.path("r"));
  CHECK(first_parents(repository, one, three) == Way{one, two, three});
  CHECK(first_parents(repository, two, three) == Way{two, three});
  CHECK(first_parents(repository, two, two) == Way{two});
}

TEST_CASE("what a merge brought is one step, and a way to what it brought begins where that branched off") {
  const GitFixture fixture;
  const auto root = fixture.init("r");
  fixture.git("r", {"checkout", "-q", "-b", "topic"});
  const auto topic_1 = fixture.commit("r", "t", "1"), topic_2 = fixture.commit("r", "t", "2");
  fixture.git("r", {"checkout", "-q", "main"});
  const auto main_1 = fixture.commit("r", "a", "2");
  fixture.git("r", {"merge", "-q", "--no-ff", "-m", "merge topic", "topic"});
  const auto merge = fixture.git("r", {"rev-parse", "HEAD"});
  const auto main_2 = fixture.commit("r", "a", "3");
  const auto repository = Repository::open(fixture.path("r"));
  CHECK(first_parents(repository, root, main_2) == Way{root, main_1, merge, main_2});
  CHECK(first_parents(repository, topic_1, main_2) == Way{topic_1, main_1, merge, main_2});
  CHECK(first_parents(repository, topic_2, merge) == Way{topic_2, main_1, merge});
  const auto info = kgate::trust::read_commit(repository, merge);
  CHECK(info.parents == Way{main_1, topic_2});
  CHECK(info.subject == "merge topic");
  CHECK(info.date.size() == 20);
}

TEST_CASE("what is no ancestor is refused, with the commit that would be one") {
  const GitFixture fixture;
  const auto root = fixture.init("r");
  const auto main = fixture.commit("r", "a", "2");
  fixture.git("r", {"checkout", "-q", "-b", "topic", root});
  const auto topic = fixture.commit("r", "t", "1");
  const auto repository = Repository::open(fixture.path("r"));
  CHECK(error_of([&] { first_parents(repository, topic, main); }) ==
        "usage: commit " + topic + ": is not an ancestor of " + main.substr(0, 10) + "; give one that is, such as " +
            root.substr(0, 10) + ", from which both come");
  CHECK(error_of([&] { first_parents(repository, main, root); }) ==
        "usage: commit " + main + ": is not an ancestor of " + root.substr(0, 10) +
            ", but that one of it; give the older commit first");
}

TEST_CASE("in a shallow clone the remedy is the rest of its history") {
  const GitFixture fixture;
  const auto root = fixture.init("r");
  const auto two = fixture.commit("r", "a", "2");
  fixture.commit("r", "a", "3");
  fixture.git("", {"clone", "-q", "--depth", "1", "file://" + fixture.path("r"), "shallow"});
  fixture.git("shallow", {"fetch", "-q", "--depth", "1", "origin", root});
  const auto repository = Repository::open(fixture.path("shallow"));
  const auto head = *repository.resolve("HEAD");
  CHECK(error_of([&] { first_parents(repository, root, head); }) ==
        "usage: commit " + root + ": is not an ancestor of " + head.substr(0, 10) +
            " in this clone, which is shallow; fetch its history: git fetch --unshallow");
}
