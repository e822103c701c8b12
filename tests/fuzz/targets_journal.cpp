#include "base/error.h"
#include "base/json.h"
#include "gate/search/candidate.h"
#include "gate/search/journal/journal.h"
#include "gate/search/loop.h"
#include "gate/search/next.h"
#include "gate/search/summary.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"
#include "tests/search/kernels.h"

using namespace kgate;
using namespace kgate::search;

namespace {

std::string text_of_all(const journal::Recorded& recorded) {
  std::string text = canonical_json(journal::to_json(recorded.header)) + "\n";
  for (const journal::Line& line : recorded.lines) text += canonical_json(journal::to_json(line)) + "\n";
  return text;
}

}  // namespace

int fuzz_journal(const std::uint8_t* data, std::size_t size) {
  static const Candidate baseline = make_candidate(test::search_files(), test::kSearchPath);
  try {
    const auto recorded = journal::read_journal(std::string_view(reinterpret_cast<const char*>(data), size), "journal");
    if (recorded.empty()) return 0;
    const std::string again = text_of_all(recorded);
    require(text_of_all(journal::read_journal(again, "journal")) == again);
    const History history = replay(recorded, baseline, {});
    canonical_json(journal::to_json(summarise(history, recorded.header)));
    require(history.steps().size() <= recorded.lines.size() + 1);
    next_action(history, {{"tuner", 2}}, history.spent().seconds);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::usage);
    require(message.starts_with("journal:") || message.starts_with("the search's journal"));
    require(message.find('\n') == std::string::npos);
    canonical_json(message);
  }
  return 0;
}
