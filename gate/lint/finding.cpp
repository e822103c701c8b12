#include "gate/lint/finding.h"

#include <map>
#include <utility>

namespace kgate::lint {

void mark_known(Findings& candidate, const Findings& base) {
  std::map<std::pair<std::string, std::string>, int> left;
  for (const Finding& one : base) ++left[{one.rule, one.what}];
  for (Finding& one : candidate) {
    const auto known = left.find({one.rule, one.what});
    one.in_base = known != left.end() && known->second-- > 0;
  }
}

}  // namespace kgate::lint
