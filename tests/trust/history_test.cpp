#include "gate/trust/history.h"

#include <fmt/format.h>

#include "tests/support/catch.h"
#include "tests/trust/git_fixture.h"
#include "tests/trust/known_leaks.h"

using kgate::trust::Repository;
using kgate::trust::unchanged_since;

namespace {

constexpr long k2020 = 1577836800, k2021 = 1609459200, k2022 = 1640995200, k2023 = 1672531200;

// Commits with files and times of the test's choice.
class History : public GitFixture {
 public:
  History() { init("r"); }

  std::string commit(const std::string& x, const std::string& y, long time,
                     const std::vector<std::string>& parents) const {
    write("r/x", x);
    write("r/y", y);
    git("r", {"add", "-A"});
    std::string text = "tree " + git("r", {"write-tree"}) + "\n";
    for (const auto& parent : parents) text += "parent " + parent + "\n";
    text += fmt::format("author A <a@example.org> {0} +0000\ncommitter A <a@example.org> {0} +0000\n\nx\n", time);
    write("text", text);
    return git("r", {"hash-object", "-t", "commit", "-w", "../text"});
  }
  std::string since(const std::string& commit, const std::vector<std::string>& paths,
                    const std::string& enough = "2000-01-01T00:00:00Z", const std::string& folder = "r") const {
    const KnownLeaks leaks;
    return unchanged_since(Repository::open(path(folder)), commit, paths, enough).substr(0, 4);
  }
};

}  // namespace

TEST_CASE("a branch has a file since the oldest commit from which on it did not change") {
  const History history;
  const auto a = history.commit("1", "1", k2020, {});
  const auto b = history.commit("1", "2", k2021, {a});
  const auto c = history.commit("2", "2", k2022, {b});
  const auto d = history.commit("2", "3", k2023, {c});
  CHECK(history.since(d, {"x"}) == "2022");
  CHECK(history.since(d, {"y"}) == "2023");
  CHECK(history.since(d, {"x", "y"}) == "2023");
  CHECK(history.since(b, {"x"}) == "2020");
  CHECK(history.since(d, {"none"}) == "2020");
  // No further than asked for.
  CHECK(history.since(d, {"x"}, "2023-06-01T00:00:00Z") == "2023");
  CHECK(history.since(d, {"x"}, "2022-06-01T00:00:00Z") == "2022");
}

TEST_CASE("what a merge brought came with the merge, however old its own commits say that they are") {
  const History history;
  const auto a = history.commit("1", "1", k2020, {});
  const auto old = history.commit("2", "1", 0, {a});
  CHECK(history.since(history.commit("2", "1", k2022, {a, old}), {"x"}) == "2022");
}

TEST_CASE("a time that no clock can have shown is as young as can be") {
  const History history;
  CHECK(history.since(history.commit("1", "1", 1000000000000, {}), {"x"}) == "9999");
}

TEST_CASE("a shallow clone answers the latest that it can have been") {
  const History history;
  const auto a = history.commit("1", "1", k2020, {});
  const auto b = history.commit("1", "1", k2021, {a});
  history.git("r", {"update-ref", "refs/heads/main", b});
  history.git("", {"clone", "-q", "--depth", "1", "file://" + history.path("r"), "s"});
  CHECK(history.since(b, {"x"}, "2000-01-01T00:00:00Z", "s") == "2021");
}
