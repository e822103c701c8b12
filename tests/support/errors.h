#pragma once

#include <string>

#include "base/error.h"
#include "tests/support/catch.h"

// The whole message of the Error that `action` throws, as "kind: message"; "no error" where it throws none.
template <typename Action>
std::string error_of(Action&& action) {
  try {
    action();
  } catch (const kgate::Error& error) {
    return std::string(kgate::name_of(error.kind())) + ": " + error.what();
  }
  return "no error";
}

// Whether a message begins and ends so: for those that have words of a library in the middle, which differ by its
// version.
inline bool reads(const std::string& message, const std::string& beginning, const std::string& end) {
  UNSCOPED_INFO(message);
  return message.size() >= beginning.size() + end.size() && message.compare(0, beginning.size(), beginning) == 0 &&
         message.compare(message.size() - end.size(), end.size(), end) == 0;
}
