#include "gate/lease/user_name.h"

#include <array>

#include <fmt/format.h>
#include <pwd.h>

namespace kgate::lease {

std::string user_name(uid_t id) {
  std::array<char, 4096> room{};
  passwd entry{};
  passwd* found = nullptr;
  if (::getpwuid_r(id, &entry, room.data(), room.size(), &found) == 0 && found != nullptr) return found->pw_name;
  return fmt::format("user {}", id);
}

}  // namespace kgate::lease
