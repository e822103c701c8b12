#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"

namespace kgate::search::journal {

// One object of a line: every key is there, and no other. Numbers are finite and not negative: all that a journal
// counts is.
class Fields {
 public:
  // Throws Error(usage, subject, ...) unless it is an object. `json` must outlive it.
  Fields(const Json& json, std::string place, const std::string& subject);

  void get(const char* key, std::string& value);
  void get(const char* key, bool& value);
  void get(const char* key, std::int64_t& value);
  void get(const char* key, std::uint64_t& value);
  void get(const char* key, double& value);
  void get(const char* key, Json& value);  // an object
  void get(const char* key, std::vector<std::string>& values);
  void get(const char* key, std::map<std::string, std::string>& values);
  Fields inside(const char* key);
  std::vector<Fields> items(const char* key);
  // Nothing is left that was not asked for.
  void end() const;

  [[noreturn]] void fail(const std::string& key, const std::string& what) const;

 private:
  const Json& at(const char* key);
  std::string name_of(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  const Json* json_;
  std::string place_;
  const std::string* subject_;
  std::vector<std::string> taken_;
};

}  // namespace kgate::search::journal
