#include "base/safetensors.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "base/nearest.h"
#include "base/quote.h"

namespace kgate {
namespace {

constexpr std::uint64_t kMaxHeader = 100'000'000;  // the reference implementation's limit
constexpr std::size_t kLengthSize = 8;
constexpr std::string_view kMetadata = "__metadata__";

struct Code {
  std::string_view name;
  DType type;
};

constexpr std::array<Code, 15> kCodes{{
    {"F64", DType::f64},
    {"F32", DType::f32},
    {"F16", DType::f16},
    {"BF16", DType::bf16},
    {"F8_E4M3", DType::f8e4m3},
    {"F8_E5M2", DType::f8e5m2},
    {"I64", DType::i64},
    {"I32", DType::i32},
    {"I16", DType::i16},
    {"I8", DType::i8},
    {"U64", DType::u64},
    {"U32", DType::u32},
    {"U16", DType::u16},
    {"U8", DType::u8},
    {"BOOL", DType::boolean},
}};

struct Entry {
  std::string key;
  DType type;
  Shape shape;
  std::uint64_t begin, end;
};

// A file whose header has been checked whole: every range is known to lie inside the data, without gap or overlap.
class Archive {
 public:
  Archive(ByteView file, const std::string& subject) : subject_(subject) {
    const Json header = parse_header(file);
    for (const auto& [key, value] : header.items()) {
      if (key == kMetadata) {
        check_metadata(value);
      } else {
        entries_.push_back(entry(key, value));
      }
    }
    check_ranges();
  }

  const std::vector<Entry>& entries() const { return entries_; }

  Tensor tensor(const Entry& entry) const {
    const ByteView bytes = data_.subspan(entry.begin, entry.end - entry.begin);
    if (entry.type == DType::boolean) {
      const auto bad = std::find_if(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; });
      if (bad != bytes.end()) {
        fail(entry.key, fmt::format("element {} is {}; a BOOL is 0 or 1", bad - bytes.begin(), static_cast<int>(*bad)));
      }
    }
    return {entry.type, entry.shape, Bytes(bytes.begin(), bytes.end())};
  }

 private:
  [[noreturn]] void fail(const std::string& fact) const {
    throw Error(ErrorKind::usage, subject_, fact, "write it again with the safetensors library");
  }
  [[noreturn]] void fail(const std::string& key, const std::string& fact) const {
    throw Error(ErrorKind::usage, subject_, fmt::format("tensor {}: {}", kgate::quoted(key), fact),
                "write it again with the safetensors library");
  }

  Json parse_header(ByteView file) {
    std::uint64_t size = 0;
    if (file.size() < kLengthSize)
      fail(fmt::format("is no .safetensors file: it has {} bytes, and its header's length alone takes 8", file.size()));
    std::memcpy(&size, file.data(), sizeof(size));
    if (size > kMaxHeader)
      fail(fmt::format("is no .safetensors file: its header would have {} bytes, and at most {} are allowed", size,
                       kMaxHeader));
    if (size > file.size() - kLengthSize)
      fail(fmt::format("is cut off: its header has {} bytes, and {} are there", size, file.size() - kLengthSize));
    data_ = file.subspan(kLengthSize + size);
    const std::string_view text = text_of(file.subspan(kLengthSize, size));
    if (!text.starts_with('{')) fail("its header does not begin with '{'");
    return parse_json(text, subject_ + ": header");
  }

  void check_metadata(const Json& value) const {
    if (!value.is_object()) fail("__metadata__ is no table of strings");
    for (const auto& [key, text] : value.items()) {
      if (!text.is_string()) fail(fmt::format("__metadata__: {} is no string", kgate::quoted(key)));
    }
  }

  Entry entry(const std::string& key, const Json& value) const {
    if (!value.is_object()) fail(key, "is no table");
    for (const auto& [name, ignored] : value.items()) {
      if (name != "dtype" && name != "shape" && name != "data_offsets")
        fail(key, fmt::format("has the unknown key {}", kgate::quoted(name)));
    }
    const DType type = element_type(key, value);
    const Json& shape = member(key, value, "shape");
    if (!shape.is_array()) fail(key, "shape is no list");
    Entry made{key, type, {}, 0, 0};
    for (const Json& extent : shape) made.shape.push_back(natural(key, extent, "shape"));
    const Json& offsets = member(key, value, "data_offsets");
    if (!offsets.is_array() || offsets.size() != 2) fail(key, "data_offsets is no pair of numbers");
    made.begin = natural(key, offsets[0], "data_offsets");
    made.end = natural(key, offsets[1], "data_offsets");
    if (made.begin > made.end || made.end > data_.size()) {
      fail(key, fmt::format("bytes {} to {} are not inside the {} bytes of data", made.begin, made.end, data_.size()));
    }
    const std::uint64_t wanted =
        element_count(made.shape, fmt::format("{}: tensor {}", subject_, kgate::quoted(key))) * size_of(type);
    if (made.end - made.begin != wanted) {
      fail(key, fmt::format("shape [{}] of {} needs {} bytes, and its range has {}", fmt::join(made.shape, ", "),
                            name_of(type), wanted, made.end - made.begin));
    }
    return made;
  }

  const Json& member(const std::string& key, const Json& value, const char* name) const {
    const auto found = value.find(name);
    if (found == value.end()) fail(key, fmt::format("has no {}", name));
    return *found;
  }

  std::uint64_t natural(const std::string& key, const Json& value, const char* name) const {
    if (!value.is_number_unsigned()) fail(key, fmt::format("{} holds something other than numbers from 0 up", name));
    return value.get<std::uint64_t>();
  }

  DType element_type(const std::string& key, const Json& value) const {
    const Json& name = member(key, value, "dtype");
    if (!name.is_string()) fail(key, "dtype is no string");
    for (const Code& known : kCodes) {
      if (known.name == name.get_ref<const std::string&>()) return known.type;
    }
    throw Error(ErrorKind::usage, subject_,
                fmt::format("tensor {}: has the type {}, which kgate does not read", kgate::quoted(key),
                            kgate::quoted(name.get_ref<const std::string&>())),
                "convert it to one of F64 F32 F16 BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL");
  }

  // Every byte belongs to exactly one tensor: nothing can hide in the file, and no two tensors can be each other's
  // alias.
  void check_ranges() const {
    std::vector<const Entry*> order;
    for (const Entry& entry : entries_) order.push_back(&entry);
    std::sort(order.begin(), order.end(),
              [](const Entry* a, const Entry* b) { return std::pair(a->begin, a->end) < std::pair(b->begin, b->end); });
    std::uint64_t reached = 0;
    for (const Entry* entry : order) {
      if (entry->begin < reached)
        fail(entry->key, fmt::format("its bytes from {} overlap with another tensor's", entry->begin));
      if (entry->begin > reached)
        fail(fmt::format("bytes {} to {} of the data belong to no tensor", reached, entry->begin));
      reached = entry->end;
    }
    if (reached != data_.size())
      fail(fmt::format("bytes {} to {} of the data belong to no tensor", reached, data_.size()));
  }

  const std::string& subject_;
  ByteView data_;
  std::vector<Entry> entries_;
};

}  // namespace

std::map<std::string, Tensor> read_safetensors(ByteView file, const std::string& subject) {
  const Archive archive(file, subject);
  std::map<std::string, Tensor> tensors;
  for (const Entry& entry : archive.entries()) tensors.emplace(entry.key, archive.tensor(entry));
  return tensors;
}

Tensor read_safetensor(ByteView file, const std::string& key, const std::string& subject) {
  const Archive archive(file, subject);
  std::vector<std::string> known;
  for (const Entry& entry : archive.entries()) {
    if (entry.key == key) return archive.tensor(entry);
    known.push_back(entry.key);
  }
  throw Error(ErrorKind::usage, subject, fmt::format("holds no tensor {}", kgate::quoted(key)), suggestion(key, known));
}

Bytes write_safetensors(const std::map<std::string, Tensor>& tensors) {
  std::vector<const std::pair<const std::string, Tensor>*> order;
  order.reserve(tensors.size());
  for (const auto& item : tensors) order.push_back(&item);
  // Wide elements first, as the reference implementation writes them: then every tensor is aligned to its elements.
  std::stable_sort(order.begin(), order.end(),
                   [](const auto* a, const auto* b) { return size_of(a->second.dtype) > size_of(b->second.dtype); });
  Json header = Json::object();
  std::uint64_t at = 0;
  for (const auto* item : order) {
    const std::string& key = item->first;
    const Tensor& tensor = item->second;
    if (key == kMetadata || tensor.data.size() != element_count(tensor.shape, key) * size_of(tensor.dtype)) {
      throw Error(ErrorKind::internal, fmt::format("tensor {}", kgate::quoted(key)),
                  "has a reserved name or data that do not fit its shape");
    }
    const auto code =
        std::find_if(kCodes.begin(), kCodes.end(), [&](const Code& known) { return known.type == tensor.dtype; });
    header[key] = {{"dtype", code->name}, {"shape", tensor.shape}, {"data_offsets", {at, at + tensor.data.size()}}};
    at += tensor.data.size();
  }
  std::string text = canonical_json(header);
  text.resize((text.size() + kLengthSize - 1) / kLengthSize * kLengthSize, ' ');
  Bytes file(kLengthSize + text.size() + at);
  const std::uint64_t size = text.size();
  std::memcpy(file.data(), &size, kLengthSize);
  std::memcpy(file.data() + kLengthSize, text.data(), text.size());
  auto end = file.begin() + static_cast<std::ptrdiff_t>(kLengthSize + text.size());
  for (const auto* item : order) end = std::copy(item->second.data.begin(), item->second.data.end(), end);
  return file;
}

}  // namespace kgate
