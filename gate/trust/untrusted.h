#pragma once

#include <string>
#include <utility>

#include "base/error.h"

namespace kgate::trust {

// What base/ calls a usage error (a link, a file that is too large, broken JSON) is an attack where a signature was
// expected. Runs `action`; an Error(usage) of it becomes Error(untrusted), with this remedy where it has none.
template <typename Action>
auto untrusted_where(const std::string& remedy, Action&& action) {
  try {
    return std::forward<Action>(action)();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    throw Error(ErrorKind::untrusted, error.subject(), error.fact(), error.hint().empty() ? remedy : error.hint());
  }
}

}  // namespace kgate::trust
