#include "base/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace kgate {
namespace {

constexpr std::size_t kLongest = 200;  // the time is the product of the lengths, and the word is whatever a file says

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours, each letter touched once.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last = last;
    last = row;
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before_last[j - 2] + 1);
    }
  }
  return row[b.size()];
}

}  // namespace

std::optional<std::string> nearest(const std::string& word, const std::vector<std::string>& known) {
  if (word.empty() || word.size() > kLongest) return std::nullopt;
  const std::string meant = lower(word);
  std::optional<std::string> best;
  std::size_t best_distance = 0;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongest) continue;
    const std::size_t d = distance(meant, lower(candidate));
    // A third of the letters may differ; and something of the word must be left, or "x" would be near to "y".
    const bool near =
        d <= (std::max(word.size(), candidate.size()) + 2) / 3 && d < std::min(word.size(), candidate.size());
    if (near && (!best || d < best_distance)) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string suggestion(const std::string& word, const std::vector<std::string>& known, const std::string& what) {
  if (const auto meant = nearest(word, known)) return "did you mean \"" + *meant + "\"?";
  std::string text = "known " + what + ": ";
  if (known.empty()) text += "none";
  for (std::size_t i = 0; i < known.size(); ++i) text += (i == 0 ? "" : ", ") + known[i];
  return text;
}

}  // namespace kgate
