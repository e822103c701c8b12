#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "gate/drift/history.h"

namespace kgate::drift {

// Why a change came, by what kgate records of the nights beside it.
struct Explanation {
  Cause cause = Cause::machine;
  std::size_t boundary = 0;  // in points: the first night with what is new, or of the change where nothing is
  std::vector<fingerprint::Difference> differences;
  std::int64_t record = 0;  // of the ledger, that came into use; 0: none
};

// A change point is dated within two nights (docs/drift.md): what changed in one of those, and lasted, explains it, the
// nearest first. What goes to and fro between nights, as the specimens of a pool do, explains nothing.
class Attribution {
 public:
  // `nights`: by time, with the fingerprint of each.
  Attribution(const std::vector<std::shared_ptr<const Json>>& fingerprints, std::string backend)
      : fingerprints_(fingerprints), backend_(std::move(backend)) {}

  Explanation explain(const std::vector<Point>& points, std::size_t change);
  // Between two nights: the differences that a lasting change of times may come from.
  const std::vector<fingerprint::Difference>& between(std::size_t before, std::size_t after);

 private:
  std::vector<fingerprint::Difference> lasting_at(const std::vector<Point>& points, std::size_t boundary);

  const std::vector<std::shared_ptr<const Json>>& fingerprints_;
  std::string backend_;
  std::map<std::pair<const Json*, const Json*>, std::vector<fingerprint::Difference>> known_;
};

}  // namespace kgate::drift
