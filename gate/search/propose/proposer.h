#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "gate/search/propose/briefing.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

// Why no proposal came. A proposer that fails ends its own part in a search, never the process.
struct Refusal {
  enum class Kind {
    exhausted,   // it has nothing more to propose
    budget,      // asking once more would go over a budget
    unavailable  // no answer, or rubbish, after all retries
  } kind = Kind::unavailable;
  std::string reason;  // for people
};

struct Reply {
  std::optional<Proposal> proposal;  // nothing: `refusal` says why
  Refusal refusal;
  Usage usage;  // of this asking, failed tries too; the proposal's is the same
};

// Who proposes versions: the tuner, a model behind HTTP, an external program. A proposer never touches the repository
// and never measures.
class Proposer {
 public:
  virtual ~Proposer() = default;
  virtual std::string name() const = 0;
  // How many proposals may be asked for before the outcome of the first is known; at least 1.
  virtual std::size_t ahead() const { return 1; }
  // One proposal. The briefing says all that has been tried, what is still open included. Throws Error(interrupted)
  // alone.
  virtual Reply propose(const Briefing& briefing) = 0;
  // A proposal of its own that did not compile or was wrong, with the compiler's words, once more. By default: no.
  virtual Reply repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint);
};

}  // namespace kgate::search
