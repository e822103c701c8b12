#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kgate::fingerprint {

struct Difference {
  std::string axis, field, before, after;
  std::string timing;  // what it may do to times
};

// Two fingerprints, whoever took them: what differs, axis by axis, and whether times stored under one hold under the
// other.
struct Comparison {
  std::vector<Difference> differences;
  std::string class_before, class_after;
  std::vector<std::string> class_unknown;  // "device.name": what the class is made of and a side does not know
  bool times_compare() const { return class_before == class_after && class_unknown.empty(); }
};
Comparison compare(const Json& before, const Json& after);

// One line a difference, "axis.field: before -> after; what it may do to times", and the class as the last one.
std::vector<std::string> lines_of(const Comparison& comparison);
Json json_of(const Comparison& comparison);  // kgate.fingerprint-comparison/1

// A fingerprint that was written down: fingerprint.json, what kgate fingerprint --format json printed, or the one in a
// result.json. Throws Error(usage, subject) for anything else. Of an older kgate it may lack fields.
Json read_fingerprint(std::string_view text, const std::string& subject);

}  // namespace kgate::fingerprint
