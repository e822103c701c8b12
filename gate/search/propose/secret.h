#pragma once

#include <string>
#include <string_view>

namespace kgate::search {

// A key that may be sent to one server and shown to nobody. Whatever comes from outside goes through redacted() before
// it can reach a message, a journal or a proposal: servers echo keys in their errors.
class Secret {
 public:
  Secret() = default;
  // Throws Error(usage, "the key", ...) for characters that no HTTP header can hold, without showing them.
  explicit Secret(std::string key);

  bool empty() const { return key_.empty(); }
  // For the header alone.
  const std::string& key() const { return key_; }
  // The text with "[key]" in the place of the key, as it is or percent-encoded. A key of fewer than 8 characters is no
  // secret but what local servers want to see ("EMPTY"), and a word that sources may hold: it is left in.
  std::string redacted(std::string_view text) const;

 private:
  std::string key_, encoded_;
};

}  // namespace kgate::search
