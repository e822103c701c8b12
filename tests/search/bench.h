#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "gate/search/convert.h"
#include "gate/search/loop.h"
#include "tests/search/scripted.h"

namespace kgate::test {

// A search with a script and a table, in a folder of its own.
struct Bench {
  Clock clock;
  TableEvaluator evaluator{clock};
  TemporaryFolder folder{"kgate-search"};
  search::LoopOptions options;
  std::vector<std::unique_ptr<ScriptedProposer>> proposers;

  Bench() {
    options.budgets.patience = 0;
    options.clock = [this] { return clock.now; };
    options.time = [] { return std::string("2026-11-29T22:55:27Z"); };
  }

  ScriptedProposer& add(std::vector<Scripted> script, std::size_t ahead = 1, const std::string& name = "script") {
    proposers.push_back(std::make_unique<ScriptedProposer>(name, std::move(script), clock, ahead));
    return *proposers.back();
  }

  search::journal::Header header() const {
    search::journal::Header header;
    header.kernel = "scale";
    header.baseline = scripted_baseline().digest;
    header.policy = std::string(64, 'b');
    header.bounds = search::bounds_of(options.budgets);
    for (const auto& one : proposers) header.proposers.push_back(one->name());
    return header;
  }

  search::History run() {
    auto journal = search::journal::Journal::open(folder.path(), header());
    std::vector<search::Proposer*> list;
    for (const auto& one : proposers) list.push_back(one.get());
    return search::run_search(journal, scripted_baseline(), list, evaluator, options);
  }
};

inline Scripted says(std::vector<std::string> parts, std::string direction = "") {
  Scripted one;
  one.parts = std::move(parts);
  one.direction = std::move(direction);
  return one;
}

inline Scripted refuses(search::Refusal::Kind kind, const std::string& reason) {
  Scripted one;
  one.refusal = {kind, reason};
  return one;
}

// "0 better, 1 slower, 2 duplicate"
inline std::string outcomes(const search::History& history) {
  std::string text;
  for (const search::Step& step : history.steps())
    text += (text.empty() ? "" : ", ") + std::to_string(step.number) + " " +
            std::string(search::name_of(step.evaluation.outcome));
  return text;
}

inline std::string why(const search::History& history) {
  return history.stopped() ? history.stopped()->why + ": " + history.stopped()->reason : "goes on";
}

}  // namespace kgate::test
