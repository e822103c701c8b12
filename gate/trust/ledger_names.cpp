#include "gate/trust/ledger_names.h"

#include <charconv>

#include <fmt/format.h>

#include "base/digest.h"

namespace kgate::trust {
namespace {

constexpr std::string_view kAlgorithm = "sha256:", kSuffix = ".json";

}  // namespace

std::string digest_of(ByteView content) {
  return std::string(kAlgorithm) + sha256_hex(content);
}

bool is_digest(std::string_view text) {
  return text.size() == kAlgorithm.size() + 64 && text.substr(0, kAlgorithm.size()) == kAlgorithm &&
         text.find_first_not_of("0123456789abcdef", kAlgorithm.size()) == std::string_view::npos;
}

std::string record_file(std::int64_t sequence) {
  return fmt::format("{:06}{}", sequence, kSuffix);
}

std::optional<std::int64_t> record_number(std::string_view file) {
  if (file.size() <= kSuffix.size() || file.substr(file.size() - kSuffix.size()) != kSuffix) return std::nullopt;
  const char* const end = file.data() + file.size() - kSuffix.size();
  std::int64_t number = 0;
  const auto read = std::from_chars(file.data(), end, number);
  if (read.ec != std::errc() || read.ptr != end || number < 1 || record_file(number) != file) return std::nullopt;
  return number;
}

std::string record_path(const std::string& kernel, std::int64_t sequence) {
  return "records/" + kernel + "/" + record_file(sequence);
}

std::string object_path(const std::string& digest) {
  const std::string hex = digest.substr(kAlgorithm.size());
  return "objects/sha256/" + hex.substr(0, 2) + "/" + hex.substr(2);
}

}  // namespace kgate::trust
