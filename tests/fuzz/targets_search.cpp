#include "base/error.h"
#include "base/json.h"
#include "gate/search/propose/fit.h"
#include "gate/search/propose/reply.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

using namespace kgate;

namespace {

search::Briefing briefing() {
  search::Briefing one;
  one.best = "b";
  one.sources = {{"k/f.cu", "int a;\nint b;\n"}, {"k/kernel.toml", "schema = \"kgate.kernel/1\"\n"}};
  one.tunables = {{"BLOCK", {"64", "128"}}};
  return one;
}

}  // namespace

int fuzz_proposal(const std::uint8_t* data, std::size_t size) {
  static const search::Briefing about = briefing();
  const std::string subject = "the answer";
  try {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto answer = search::read_answer(search::find_json_object(text, subject), about.best, subject);
    require(answer.proposal.has_value() != !answer.exhausted.empty());
    if (!answer.proposal) return 0;
    require(!answer.proposal->parts.empty() && answer.proposal->parts.size() <= search::kMostParts);
    const std::string again = canonical_json(to_json(*answer.proposal));
    const auto reread = search::read_answer(again, about.best, subject);
    require(canonical_json(to_json(*reread.proposal)) == again);
    search::check_fit(*answer.proposal, about, subject);
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::usage);
    require(message.starts_with(subject));
    require(message.find('\n') == std::string::npos);
    canonical_json(message);
  }
  return 0;
}
