#pragma once

#include <string>

#include <sys/types.h>

namespace kgate::lease {

// "anna", or "user 1005" where the number has no name here.
std::string user_name(uid_t id);

}  // namespace kgate::lease
