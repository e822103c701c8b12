#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"

namespace kgate::trust {

// Reads an object within a signed statement, strictly: keys that are missing, of another type or not known are
// Error(untrusted, subject, "PLACE: ...", remedy). What this kgate does not know it cannot judge.
class PredicateReader {
 public:
  // The values must outlive the reader. `known`: every key that may be there.
  PredicateReader(const Json& object, std::string place, std::string subject, const std::vector<std::string>& known);

  const Json& at(const char* key) const;
  const std::string& text(const char* key) const;
  std::optional<std::string> text_or_null(const char* key) const;
  std::int64_t positive(const char* key) const;  // 1 to 2^53: up to there every reader of JSON agrees
  const Json& array(const char* key) const;
  std::vector<std::string> texts(const char* key) const;
  [[noreturn]] void fail(const std::string& fact) const;

 private:
  const Json& object_;
  std::string place_, subject_;
};

}  // namespace kgate::trust
