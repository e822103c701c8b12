#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace kgate {

using Json = nlohmann::json;

// The one byte form of a value: keys sorted, no white space, UTF-8 unescaped, numbers in their shortest form that reads
// back equal. Throws Error(internal) for NaN, infinities and strings that are not UTF-8: they would not survive a round
// trip.
std::string canonical_json(const Json& value);

// Strict JSON, at most 64 levels deep. Throws Error(usage, subject, ...) with the byte at which it stopped.
Json parse_json(std::string_view text, const std::string& subject);

}  // namespace kgate
