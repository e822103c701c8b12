#pragma once

#include <string>

namespace kgate::trust {

// What to do about git's own reason for not writing a branch, here or at a remote: the lock that is left, the branch
// that is in the way, the right that is missing.
std::string push_remedy(const std::string& reason, const std::string& branch, const std::string& remote);

}  // namespace kgate::trust
