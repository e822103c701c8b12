#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgate {

// The known word nearest to `word` by edit distance (optimal string alignment), where it is near enough to be meant;
// for "did you mean".
std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& known);
// "; did you mean \"rtol\"?" style remedy: `did you mean "rtol"?`, or `known keys: a, b, c` where nothing is near.
std::string suggestion(const std::string& word, const std::vector<std::string>& known,
                       const std::string& what = "keys");

}  // namespace kgate
