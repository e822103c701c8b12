#pragma once

#include <string>

namespace kgate::fingerprint {

// What a difference in one field of a fingerprint may do to times, in a few words; "nothing is known about it" for a
// field that kgate does not know. The table of docs/fingerprint.md.
std::string timing_effect(const std::string& axis, const std::string& field);

// Whether a lasting change of times may come from it: false for the moment's state, paths, counters, what is only a
// limit of what can be set, and variables, which no child gets.
bool may_change_times(const std::string& axis, const std::string& field);

}  // namespace kgate::fingerprint
