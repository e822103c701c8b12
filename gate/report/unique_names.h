#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>

#include "gate/report/format.h"

namespace kgate::report {

// Names as a format's reader can keep them apart: cut, on one line, and numbered where two would be the same.
class UniqueNames {
 public:
  std::string add(const std::string& name) {
    const std::string begin = name.empty() ? "(no name)" : short_name(name);
    std::size_t& number = last_[begin];
    std::string found;
    do {
      found = ++number == 1 ? begin : begin + " (" + std::to_string(number) + ")";
    } while (!taken_.insert(found).second);
    return found;
  }

 private:
  std::map<std::string, std::size_t> last_;
  std::set<std::string> taken_;
};

}  // namespace kgate::report
