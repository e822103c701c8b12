#include "gate/trust/pem.h"

#include <climits>

#include <openssl/pem.h>

#include "gate/trust/openssl.h"

namespace kgate::trust {

PemBlock::~PemBlock() {
  OPENSSL_cleanse(content.data(), content.size());
}

std::optional<PemBlock> only_block(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n", kBegin = "-----BEGIN ", kEnd = "-----END ", kDashes = "-----";
  const std::size_t begin = text.find_first_not_of(kSpace);
  if (begin == std::string_view::npos) return std::nullopt;
  text = text.substr(begin, text.find_last_not_of(kSpace) + 1 - begin);
  // OpenSSL skips what stands before the first block and does not look at what follows it.
  if (!text.starts_with(kBegin) || text.find(kBegin, 1) != std::string_view::npos) return std::nullopt;
  if (text.size() > INT_MAX) return std::nullopt;

  const QuietErrors quiet;
  const Bio bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
  char *name = nullptr, *header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;
  if (!bio || PEM_read_bio(bio.get(), &name, &header, &data, &size) != 1) return std::nullopt;
  std::optional<PemBlock> block(std::in_place);
  block->label = name;
  const auto* content = reinterpret_cast<const std::byte*>(data);
  block->content.assign(content, content + size);
  const bool plain = header[0] == '\0';  // "Proc-Type: 4,ENCRYPTED" of old
  OPENSSL_free(name);
  OPENSSL_free(header);
  OPENSSL_clear_free(data, static_cast<std::size_t>(size));
  const std::string last = std::string(kEnd) + block->label + std::string(kDashes);
  if (!plain || !text.ends_with(last) || text.find(kEnd) != text.size() - last.size()) return std::nullopt;
  return block;
}

}  // namespace kgate::trust
