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
