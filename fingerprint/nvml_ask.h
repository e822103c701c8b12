#pragma once

#include <optional>

#include "fingerprint/nvml_abi.h"

namespace kgate::fingerprint {

// The one value that an NVML function gives; nothing where this driver has no such function or it refuses.
template <typename Value, typename Function, typename... Arguments>
std::optional<Value> ask(Function* function, Arguments... arguments) {
  Value value{};
  if (function == nullptr || function(arguments..., &value) != nvml::kSuccess) return std::nullopt;
  return value;
}

}  // namespace kgate::fingerprint
