#include "base/npy.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Its header is a Python literal.
// Only the little of that language is read that NumPy itself writes: a dictionary of three known keys with a string, a
// boolean and a tuple of integers.
namespace kgate {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kMaxDimensions = 64;  // NumPy's own limit

struct Code {
  std::string_view descr;  // without its byte order
  DType type;
};

constexpr std::array<Code, 12> kCodes{{
    {"f8", DType::f64},
    {"f4", DType::f32},
    {"f2", DType::f16},
    {"i8", DType::i64},
    {"i4", DType::i32},
    {"i2", DType::i16},
    {"i1", DType::i8},
    {"u8", DType::u64},
    {"u4", DType::u32},
    {"u2", DType::u16},
    {"u1", DType::u8},
    {"b1", DType::boolean},
}};

class Reader {
 public:
  explicit Reader(const std::string& subject) : subject_(subject) {}

  [[noreturn]] void fail(const std::string& fact, const std::string& hint = "write it again with numpy.save") const {
    throw Error(ErrorKind::usage, subject_, fact, hint);
  }

 private:
  const std::string& subject_;
};

struct Header {
  std::string descr;
  bool fortran_order = false;
  Shape shape;
};

class HeaderParser {
 public:
  HeaderParser(std::string_view text, const Reader& reader) : text_(text), reader_(reader) {}

  Header parse() {
    std::optional<std::string> descr;
    std::optional<bool> fortran_order;
    std::optional<Shape> shape;
    expect('{');
    while (!accept('}')) {
      const std::string key = string();
      expect(':');
      const bool again =
          (key == "descr" && descr) || (key == "fortran_order" && fortran_order) || (key == "shape" && shape);
      if (again) reader_.fail(fmt::format("its header has the key {} twice", kgate::quoted(key)));
      if (key == "descr") {
        if (peek() == '[') {
          reader_.fail("holds a structured type, which no kernel takes", "save one plain array for each of its fields");
        }
        descr = string();
      } else if (key == "fortran_order") {
        fortran_order = boolean();
      } else if (key == "shape") {
        shape = tuple();
      } else {
        reader_.fail(fmt::format("its header has the unknown key {}", kgate::quoted(key)));
      }
      if (!accept(',') && peek() != '}') unexpected();
    }
    if (peek() != '\0' || at_ < text_.size()) unexpected();
    if (!descr) reader_.fail("its header has no 'descr'");
    if (!fortran_order) reader_.fail("its header has no 'fortran_order'");
    if (!shape) reader_.fail("its header has no 'shape'");
    return {*descr, *fortran_order, *shape};
  }

 private:
  // The next character that is no white space; 0 at the end.
  char peek() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted) return false;
    ++at_;
    return true;
  }
  void expect(char wanted) {
    if (!accept(wanted)) unexpected();
  }
  [[noreturn]] void unexpected() {
    if (peek() == '\0' && at_ == text_.size()) reader_.fail("its header ends too early");
    reader_.fail(fmt::format("its header is no NumPy header: character {} is unexpected, at {}", at_,
                             kgate::quoted(text_.substr(at_))));
  }
  std::string string() {
    const char quote = peek();
    if (quote != '\'' && quote != '"') unexpected();
    const std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string_view::npos) reader_.fail("its header ends too early");
    std::string value(text_.substr(at_ + 1, end - at_ - 1));
    at_ = end + 1;
    return value;
  }
  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}}) {
      if (text_.substr(at_, word.size()) != word) continue;
      at_ += word.size();
      return value;
    }
    unexpected();
  }
  Shape tuple() {
    Shape shape;
    expect('(');
    while (!accept(')')) {
      if (shape.size() == kMaxDimensions) reader_.fail(fmt::format("has more than {} dimensions", kMaxDimensions));
      shape.push_back(integer());
      if (!accept(',') && peek() != ')') unexpected();
    }
    return shape;
  }
  std::uint64_t integer() {
    constexpr std::uint64_t kMost = std::uint64_t{1} << 53;
    if (peek() == '-') reader_.fail("its shape has a negative dimension");
    if (peek() < '0' || peek() > '9') unexpected();
    std::uint64_t value = 0;
    for (; at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      value = value * 10 + static_cast<std::uint64_t>(text_[at_] - '0');
      if (value > kMost) reader_.fail("its shape has a dimension over 2^53", "make it smaller");
    }
    if (at_ < text_.size() && text_[at_] == 'L') ++at_;  // Python 2
    return value;
  }

  std::string_view text_;
  const Reader& reader_;
  std::size_t at_ = 0;
};

DType type_of(const std::string& descr, const Reader& reader) {
  const char order = descr.empty() ? '\0' : descr.front();
  const std::string_view code = descr.empty() ? std::string_view() : std::string_view(descr).substr(1);
  for (const Code& known : kCodes) {
    if (code != known.descr) continue;
    const bool one_byte = size_of(known.type) == 1;  // which then has no order: NumPy writes '|'
    if (order == '>' && !one_byte) {
      reader.fail(fmt::format("is big-endian ({})", kgate::quoted(descr)),
                  fmt::format("save it with arr.astype('<{}')", code));
    }
    if (order == '<' || (one_byte && (order == '|' || order == '>'))) return known.type;
  }
  const auto is = [&](std::string_view kinds) {
    return !code.empty() && kinds.find(code.front()) != std::string_view::npos;
  };
  const std::string fact =
      fmt::format("holds elements of the type {}, which kgate does not read", kgate::quoted(descr));
  if (is("V"))
    reader.fail(fact, "for bf16 and 8-bit floats save the bits: arr.view(numpy.uint16) or arr.view(numpy.uint8)");
  if (is("O")) reader.fail(fact, "it is a pickle of Python objects; save a plain array of numbers");
  if (is("c")) reader.fail(fact, "save the real and the imaginary part as two arrays");
  reader.fail(fact, "save it with arr.astype('<f4') or another type of f64 f32 f16 i64 i32 i16 i8 u64 u32 u16 u8 bool");
}

// From the first index fastest to the last index fastest.
Bytes to_c_order(ByteView data, const Shape& shape, std::size_t element) {
  Bytes out(data.size());
  std::vector<std::uint64_t> strides(shape.size());
  std::uint64_t stride = element;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    strides[axis] = stride;
    stride *= shape[axis];
  }
  Shape index(shape.size(), 0);
  std::uint64_t from = 0;
  for (std::size_t to = 0; to < out.size(); to += element) {
    std::memcpy(out.data() + to, data.data() + from, element);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < shape[axis]) break;
      from -= strides[axis] * shape[axis];
      index[axis] = 0;
    }
  }
  return out;
}

std::string_view take(ByteView& left, std::size_t count, const Reader& reader) {
  if (left.size() < count) reader.fail("is cut off within its header");
  const std::string_view taken = text_of(left.first(count));
  left = left.subspan(count);
  return taken;
}

}  // namespace

Tensor read_npy(ByteView file, const std::string& subject) {
  const Reader reader(subject);
  if (!text_of(file).starts_with(kMagic)) {
    const bool archive = text_of(file).starts_with("PK");
    if (archive) reader.fail("is an .npz archive, not one array", "save each array alone with numpy.save");
    reader.fail("is no .npy file: it does not begin with \\x93NUMPY");
  }
  ByteView left = file.subspan(kMagic.size());
  const std::string_view version = take(left, 2, reader);
  const int major = static_cast<unsigned char>(version[0]), minor = static_cast<unsigned char>(version[1]);
  if (major < 1 || major > 3 || minor != 0) {
    reader.fail(fmt::format("has version {}.{} of the .npy format; known are 1.0, 2.0 and 3.0", major, minor));
  }
  std::size_t header_size = 0, shift = 0;
  for (const char byte : take(left, major == 1 ? 2 : 4, reader)) {
    header_size |= static_cast<std::size_t>(static_cast<unsigned char>(byte)) << shift;
    shift += 8;
  }
  const Header header = HeaderParser(take(left, header_size, reader), reader).parse();

  const DType type = type_of(header.descr, reader);
  const std::uint64_t wanted = element_count(header.shape, subject) * size_of(type);
  if (left.size() < wanted) {
    reader.fail(fmt::format("is cut off: shape [{}] of {} needs {} bytes of data, and {} are there",
                            fmt::join(header.shape, ", "), name_of(type), wanted, left.size()));
  }
  if (left.size() > wanted) {
    reader.fail(fmt::format("has {} bytes after the {} of its array", left.size() - wanted, wanted),
                "save one array a file");
  }
  if (type == DType::boolean) {
    const auto bad = std::find_if(left.begin(), left.end(), [](std::byte b) { return b > std::byte{1}; });
    if (bad != left.end()) {
      reader.fail(
          fmt::format("byte {} of its data is {}; a bool is 0 or 1", bad - left.begin(), static_cast<int>(*bad)));
    }
  }
  const bool same = !header.fortran_order || header.shape.size() < 2;
  return {type, header.shape, same ? Bytes(left.begin(), left.end()) : to_c_order(left, header.shape, size_of(type))};
}

Bytes write_npy(const Tensor& tensor) {
  const std::size_t element = size_of(tensor.dtype);
  if (tensor.data.size() != element_count(tensor.shape, "array") * element || tensor.shape.size() > kMaxDimensions) {
    throw Error(ErrorKind::internal, "array", "has data that do not fit its shape");
  }
  std::string_view code = element == 2 ? "u2" : "u1";  // the raw bits of what NumPy does not have
  for (const Code& known : kCodes) {
    if (known.type == tensor.dtype) code = known.descr;
  }
  const char* const comma = tensor.shape.size() == 1 ? "," : "";  // (3) would be a number
  const std::string tuple = fmt::format("({}{})", fmt::join(tensor.shape, ", "), comma);
  std::string header =
      fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': {}, }}", element == 1 ? '|' : '<', code, tuple);
  constexpr std::size_t kPrefix = 10, kAlignment = 64;  // the data begin aligned
  const std::size_t padding = kAlignment - (kPrefix + header.size() + 1) % kAlignment;
  header += std::string(padding % kAlignment, ' ') + "\n";

  std::string text(kMagic);
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  Bytes file = bytes_of(text + header);
  file.insert(file.end(), tensor.data.begin(), tensor.data.end());
  return file;
}

}  // namespace kgate
