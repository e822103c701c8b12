#pragma once

#include <array>
#include <optional>
#include <string>

#include "fingerprint/nvml_abi.h"

namespace kgate::fingerprint {

// The one value that an NVML function gives; nothing where this driver has no such function or it refuses.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::kSuccess) return std::nullopt;
  return value;
}

// "this driver's NVML has no NAME", and "NAME says: ..." in NVML's own words.
std::string missing_function(const char* name);
std::string refused(const nvml::Functions& call, const char* name, nvml::Result result);

// Calls one function; why it said nothing, or the empty text.
template <typename Function, typename... Arguments>
std::string refusal(const nvml::Functions& call, const char* name, Function* function, Arguments... arguments) {
  if (function == nullptr) return missing_function(name);
  const nvml::Result result = function(arguments...);
  return result == nvml::kSuccess ? "" : refused(call, name, result);
}

// The one form of what cannot be read.
inline std::string unknown(const std::string& why) {
  return "unknown, because " + why;
}

template <typename Function, typename... Before>
std::string ask_text(const nvml::Functions& call, const char* name, Function* function, Before... before) {
  std::array<char, nvml::kStringLength + 1> text{};
  const std::string why = refusal(call, name, function, before..., text.data(), nvml::kStringLength);
  return why.empty() ? std::string(text.data()) : unknown(why);
}

}  // namespace kgate::fingerprint
