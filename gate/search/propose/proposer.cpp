#include "gate/search/propose/proposer.h"

namespace kgate::search {

Reply Proposer::repair(const Briefing&, const Proposal&, const std::string&) {
  Reply reply;
  reply.refusal = {Refusal::Kind::exhausted, name() + " does not repair its proposals"};
  return reply;
}

}  // namespace kgate::search
