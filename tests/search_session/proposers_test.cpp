#include "gate/search/session/proposers.h"

#include "base/memory_tree.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;

namespace {

const MemoryTree kBase({{".kgate/policy.toml", bytes_of("schema")}, {".kgate/prompts/coder.md", bytes_of("Write.")}},
                       "a commit");

ProposerOptions named(std::vector<std::string> names) {
  ProposerOptions options;
  options.names = std::move(names);
  return options;
}

trust::SearchBounds with_model() {
  trust::SearchBounds bounds;
  bounds.url = "http://127.0.0.1:1/v1";
  bounds.model = "some-model";
  bounds.command = {"true"};
  return bounds;
}

}  // namespace

TEST_CASE("proposers are asked in the order in which they are named") {
  const trust::SearchBounds bounds = with_model();
  Proposers all(bounds, kBase, named({"http", "tuner", "command"}));
  const auto found = all.begin(1);
  REQUIRE(found.size() == 3);
  CHECK(found[0]->name() == "http");
  CHECK(found[1]->name() == "tuner");
  CHECK(found[2]->name() == "command");
  CHECK(all.ask_a_model());
  CHECK(all.prompts().count("http") == 1);
  const trust::SearchBounds none;
  CHECK_FALSE(Proposers(none, kBase, named({"tuner"})).ask_a_model());
}

TEST_CASE("a role's prompt is the policy's commit's file, and another text has another digest") {
  trust::SearchBounds bounds = with_model();
  const auto own = Proposers(bounds, kBase, named({"http"})).prompts().at("http");
  bounds.coder = trust::SearchRole{"", "prompts/coder.md"};
  const auto written = Proposers(bounds, kBase, named({"http"})).prompts().at("http");
  CHECK(written != own);
  const MemoryTree later({{".kgate/prompts/coder.md", bytes_of("Write well.")}}, "another commit");
  CHECK(Proposers(bounds, later, named({"http"})).prompts().at("http") != written);
  bounds.coder->prompt = "prompts/lost.md";
  CHECK(error_of([&] { Proposers(bounds, kBase, named({"http"})); }) ==
        "missing: .kgate/prompts/lost.md: is not there; [search.roles] names it: add it in the commit that the policy "
        "is read from");
}

TEST_CASE("a proposer without what it needs is told with the remedy") {
  const trust::SearchBounds none;
  CHECK(error_of([&] { Proposers(none, kBase, named({"http"})); }) ==
        "usage: [search]: says no url and model for the proposer \"http\"; add both to .kgate/policy.toml");
  CHECK(error_of([&] { Proposers(none, kBase, named({"command"})); }) ==
        "usage: [search]: says no command for the proposer \"command\"; add it to .kgate/policy.toml");
  CHECK(error_of([&] { Proposers(none, kBase, named({"oracle"})); }) ==
        "usage: --proposer \"oracle\": is no proposer; there are tuner, http and command");
}
