#include "base/json.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

// The library's own writer is not used for numbers: it picks a short form by Grisu2, which is not always the shortest,
// and writes NaN as null. Its own reader to a value is not used either: it keeps the last of two equal keys, where two
// readers of one signed text could then see different values, and has no limit on depth. The text is still split into
// tokens by the library; what is here is what the tokens mean.
namespace kgate {
namespace {

constexpr std::size_t kMaxDepth = 64;

// ---- writing

[[noreturn]] void not_canonical(const std::string& fact) {
  throw Error(ErrorKind::internal, "JSON value", fact, "it cannot be written so that it reads back equal");
}

void append_string(const std::string& text, std::string& out) {
  try {
    out += Json(text).dump(-1, ' ', false, Json::error_handler_t::strict);
  } catch (const Json::exception&) {
    not_canonical("holds a string that is not UTF-8");
  }
}

void append_double(double value, std::string& out) {
  if (!std::isfinite(value)) not_canonical(std::isnan(value) ? "holds NaN" : "holds an infinity");
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  const std::string_view digits(text.data(), static_cast<std::size_t>(end - text.data()));
  out += digits;
  // A floating-point number reads back as one, not as an integer.
  if (digits.find_first_of(".e") == std::string_view::npos) out += ".0";
}

void append(const Json& value, std::size_t depth, std::string& out) {
  if (depth > kMaxDepth) not_canonical(fmt::format("is more than {} levels deep", kMaxDepth));
  switch (value.type()) {
    case Json::value_t::null:
      out += "null";
      return;
    case Json::value_t::boolean:
      out += value.get<bool>() ? "true" : "false";
      return;
    case Json::value_t::number_integer:
      out += fmt::format("{}", value.get<std::int64_t>());
      return;
    case Json::value_t::number_unsigned:
      out += fmt::format("{}", value.get<std::uint64_t>());
      return;
    case Json::value_t::number_float:
      append_double(value.get<double>(), out);
      return;
    case Json::value_t::string:
      append_string(value.get_ref<const std::string&>(), out);
      return;
    case Json::value_t::array: {
      char before = '[';
      for (const Json& item : value) {
        out += std::exchange(before, ',');
        append(item, depth + 1, out);
      }
      out += value.empty() ? "[]" : "]";
      return;
    }
    case Json::value_t::object: {
      char before = '{';
      for (const auto& [key, item] : value.items()) {  // a std::map: sorted by bytes
        out += std::exchange(before, ',');
        append_string(key, out);
        out += ':';
        append(item, depth + 1, out);
      }
      out += value.empty() ? "{}" : "}";
      return;
    }
    case Json::value_t::binary:
    case Json::value_t::discarded:
      break;
  }
  not_canonical("holds bytes");
}

// ---- reading

// Counts what the library has consumed: its events do not say where in the text they are.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, std::size_t* consumed) : at_(at), consumed_(consumed) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*consumed_;
    return *this;
  }
  CountingIterator operator++(int) {
    CountingIterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const CountingIterator& other) const { return at_ == other.at_; }
  bool operator!=(const CountingIterator& other) const { return at_ != other.at_; }

 private:
  const char* at_;
  std::size_t* consumed_;
};

class Builder : public nlohmann::json_sax<Json> {
 public:
  Builder(std::string_view text, const std::string& subject, const std::size_t& consumed)
      : text_(text), subject_(subject), consumed_(consumed) {}

  Json take() { return std::move(root_); }

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { fail(consumed_, "bytes are not JSON"); }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    if (open_.back()->contains(name)) fail(consumed_, fmt::format("the key {} is there twice", kgate::quoted(name)));
    key_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const Json::exception& error) override {
    constexpr int kOutOfRange = 406;
    if (error.id == kOutOfRange) fail(consumed_, "the number is too large");
    if (position > text_.size()) fail(text_.size(), "the text ends too early");
    const std::string_view rest = text_.substr(position - 1, 20);
    fail(position - 1, fmt::format("near {}", kgate::quoted(rest.substr(0, rest.find('\n')))));
  }

 private:
  [[noreturn]] void fail(std::size_t byte, std::string_view what) const {
    const std::string_view before = text_.substr(0, byte);
    const auto lines = std::count(before.begin(), before.end(), '\n');
    const std::size_t last = before.rfind('\n');
    const std::size_t column = last == std::string_view::npos ? byte + 1 : byte - last;
    throw Error(ErrorKind::usage, subject_,
                fmt::format("is not valid JSON at byte {} (line {}, column {}): {}", byte, lines + 1, column, what));
  }
  Json* place(Json&& value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    Json& slot = parent[key_];
    slot = std::move(value);
    return &slot;
  }
  template <typename T>
  bool add(T&& value) {
    place(Json(std::forward<T>(value)));
    return true;
  }
  bool open(Json&& value) {
    if (open_.size() == kMaxDepth) fail(consumed_, fmt::format("more than {} levels deep", kMaxDepth));
    // A pointer to the innermost value stays good: only that one grows until it is closed.
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::string_view text_;
  const std::string& subject_;
  const std::size_t& consumed_;
  Json root_;
  std::vector<Json*> open_;
  std::string key_;
};

}  // namespace

std::string canonical_json(const Json& value) {
  std::string out;
  append(value, 0, out);
  return out;
}

Json parse_json(std::string_view text, const std::string& subject) {
  std::size_t consumed = 0;
  Builder builder(text, subject, consumed);
  Json::sax_parse(CountingIterator(text.data(), &consumed), CountingIterator(text.data() + text.size(), &consumed),
                  &builder);
  return builder.take();
}

}  // namespace kgate
