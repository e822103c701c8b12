#include "gate/trust/policy_values.h"

#include <algorithm>

namespace kgate::trust {

double number_in(const TomlReader& value, double low, double high, const std::string& hint) {
  const double number = value.number();
  // Written so that a NaN is refused too.
  if (!(number >= low && number <= high)) value.fail("is out of range", hint);
  return number;
}

std::int64_t integer_in(const TomlReader& value, std::int64_t low, std::int64_t high, const std::string& hint) {
  const std::int64_t number = value.integer();
  if (number < low || number > high) value.fail("is out of range", hint);
  return number;
}

std::vector<std::string> texts_of(const TomlReader& value) {
  std::vector<std::string> texts = value.texts();
  if (texts.size() > kMostEntries) value.fail("has more than 1000 entries");
  if (std::find(texts.begin(), texts.end(), "") != texts.end()) value.fail("holds an empty string", "leave it out");
  return texts;
}

std::vector<std::string> words_of(const TomlReader& value, const std::vector<std::string>& known) {
  std::vector<std::string> words;
  for (const TomlReader& item : value.items()) {
    const std::string& word = known[item.choice(known)];
    if (std::find(words.begin(), words.end(), word) != words.end()) item.fail("is there twice");
    words.push_back(word);
  }
  return words;
}

}  // namespace kgate::trust
