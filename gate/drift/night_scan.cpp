#include "gate/drift/night_scan.h"

#include <charconv>
#include <cmath>

#include "base/error.h"
#include "gate/drift/drift.h"

namespace kgate::drift {
namespace {

// Goes over the text; from the first thing that is not as expected on it stands still, and `good()` says so.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : rest_(text) {}

  bool good() const { return good_; }
  bool at_end() const { return good_ && (rest_.empty() || rest_ == "\n"); }
  void stop() { good_ = false; }
  bool is_next(std::string_view words) const { return good_ && rest_.starts_with(words); }

  void pass(std::string_view words) {
    if (is_next(words)) {
      rest_.remove_prefix(words.size());
    } else {
      stop();
    }
  }

  // Plain ASCII without escapes; every other string is for the whole reader.
  std::string_view text() {
    pass("\"");
    std::size_t length = 0;
    while (good_ && length < rest_.size() && rest_[length] != '"') {
      const auto letter = static_cast<unsigned char>(rest_[length++]);
      if (letter < 0x20 || letter >= 0x7f || letter == '\\') stop();
    }
    if (!good_ || length == rest_.size()) return stop(), std::string_view();
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length + 1);
    return found;
  }

  std::int64_t count() {
    std::int64_t value = 0;
    const auto digits = number();
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size()) stop();
    return value;
  }

  double real() {
    double value = 0;
    const auto digits = number();
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (read.ec != std::errc() || read.ptr != digits.data() + digits.size() || !std::isfinite(value)) stop();
    return value;
  }

  bool flag() {
    const bool yes = is_next("true");
    pass(yes ? "true" : "false");
    return yes;
  }

  // An object of whatever there is in it.
  std::string_view object() {
    std::size_t length = 0, depth = 0;
    bool in_text = false;
    if (!is_next("{")) stop();
    while (good_ && length < rest_.size()) {
      const char letter = rest_[length++];
      if (letter == '\\') ++length;
      if (letter == '"') in_text = !in_text;
      if (in_text) continue;
      if (letter == '{') ++depth;
      if (letter == '}' && --depth == 0) break;
    }
    if (!good_ || depth != 0 || length > rest_.size()) return stop(), std::string_view();
    const std::string_view found = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return found;
  }

  // {"KEY":VALUE,...} with the keys in their order, each once; `value` reads one.
  template <typename Value>
  void members(Value&& value) {
    pass("{");
    std::string_view before;
    for (bool first = true; good_ && !is_next("}"); first = false) {
      if (!first) pass(",");
      const std::string_view key = text();
      if (!first && key <= before) stop();
      before = key;
      pass(":");
      if (good_) value(key);
    }
    pass("}");
  }

 private:
  // As JSON has it, from zero on.
  std::string_view number() {
    const auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    std::size_t length = 0;
    while (length < rest_.size() && (is_digit(rest_[length]) || rest_[length] == '.' || rest_[length] == 'e' ||
                                     rest_[length] == '-' || rest_[length] == '+'))
      ++length;
    const std::string_view digits = rest_.substr(0, good_ ? length : 0);
    const bool whole = !digits.empty() && is_digit(digits.front()) && is_digit(digits.back());
    const bool padded = digits.size() > 1 && digits[0] == '0' && is_digit(digits[1]);
    const auto point = digits.find('.');
    const bool bare = point != std::string_view::npos && (point + 1 >= digits.size() || !is_digit(digits[point + 1]));
    if (!whole || padded || bare) return stop(), std::string_view();
    rest_.remove_prefix(length);
    return digits;
  }

  std::string_view rest_;
  bool good_ = true;
};

NightCase scan_case(Scanner& scanner) {
  NightCase one;
  scanner.pass("{\"blocks\":");
  one.blocks = scanner.count();
  scanner.pass(",\"launches_per_sample\":");
  one.launches_per_sample = scanner.count();
  scanner.pass(",\"regime\":");
  one.regime = scanner.text();
  scanner.pass(",\"rounds\":");
  one.rounds = scanner.count();
  scanner.pass(",\"spread\":");
  one.spread = scanner.real();
  scanner.pass(",\"us\":");
  one.us = scanner.real();
  scanner.pass("}");
  if (!is_time(one.us)) scanner.stop();
  return one;
}

NightKernel scan_kernel(Scanner& scanner) {
  NightKernel kernel;
  scanner.pass("{\"accepted\":");
  kernel.accepted = scanner.count();
  scanner.pass(",\"cases\":");
  scanner.members([&](std::string_view name) {
    kernel.cases.emplace_hint(kernel.cases.end(), std::string(name), scan_case(scanner));
  });
  scanner.pass(",\"code\":");
  kernel.code = scanner.text();
  scanner.pass(",\"compiled_here\":");
  kernel.compiled_here = scanner.flag();
  scanner.pass("}");
  return kernel;
}

// Small, and of no fixed form.
Json scan_object(Scanner& scanner) {
  const std::string_view text = scanner.object();
  if (!scanner.good()) return {};
  try {
    return parse_json(text, "a part of a night");
  } catch (const Error&) {
    scanner.stop();
    return {};
  }
}

}  // namespace

std::optional<NightFigures> scan_night(std::string_view text) {
  Scanner scanner(text);
  NightFigures night;
  scanner.pass("{\"backend\":");
  night.backend = scanner.text();
  scanner.pass(",\"class\":");
  night.device_class = scanner.text();
  scanner.pass(",\"commit\":");
  night.commit = scanner.text();
  scanner.pass(",\"device\":{\"architecture\":");
  night.architecture = scanner.text();
  scanner.pass(",\"name\":");
  night.device_name = scanner.text();
  scanner.pass("},\"environment\":");
  night.environment = scan_object(scanner);
  scanner.pass(",\"hardware\":");
  night.hardware = scanner.text();
  scanner.pass(",\"kernels\":");
  scanner.members([&](std::string_view name) {
    night.kernels.emplace_hint(night.kernels.end(), std::string(name), scan_kernel(scanner));
  });
  scanner.pass(",\"missing\":");
  const Json missing = scan_object(scanner);
  for (const auto& [name, why] : missing.items())
    night.missing.emplace(name, why.is_string() ? why.get<std::string>() : "");
  scanner.pass(",\"schema\":");
  if (scanner.text() != kNightSchema) scanner.stop();
  scanner.pass(",\"time\":");
  night.time = scanner.text();
  scanner.pass("}");
  if (!scanner.at_end() || night.time.size() != 20 || !day_from(night.time)) return std::nullopt;
  return night;
}

}  // namespace kgate::drift
