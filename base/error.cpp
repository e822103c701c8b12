#include "base/error.h"

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

namespace kgate {
namespace {

constexpr std::array<std::pair<ErrorKind, const char*>, 6> kNames{{
    {ErrorKind::usage, "usage"},
    {ErrorKind::untrusted, "untrusted"},
    {ErrorKind::environment, "environment"},
    {ErrorKind::missing, "missing"},
    {ErrorKind::interrupted, "interrupted"},
    {ErrorKind::internal, "internal"},
}};

}  // namespace

Error::Error(ErrorKind kind, std::string subject, std::string fact, std::string hint)
    : kind_(kind), subject_(std::move(subject)), fact_(std::move(fact)), hint_(std::move(hint)) {
  message_ = subject_.empty() ? fact_ : subject_ + ": " + fact_;
  if (!hint_.empty()) message_ += "; " + hint_;
}

const char* name_of(ErrorKind kind) {
  for (const auto& [known, name] : kNames) {
    if (known == kind) return name;
  }
  return "internal";
}

ErrorKind error_kind_from_name(const std::string& name) {
  for (const auto& [kind, known] : kNames) {
    if (name == known) return kind;
  }
  throw Error(ErrorKind::internal, "error kind \"" + name + "\"", "is not known");
}

Error system_error(const std::string& subject, const std::string& fact, int error_number) {
  const std::string reason = std::generic_category().message(error_number);
  switch (error_number) {
    case ENOSPC:
    case EDQUOT:
      return {ErrorKind::environment, subject, fact + ": " + reason, "free some space on the disk that it lies on"};
    case ENOMEM:
    case EMFILE:
    case ENFILE:
    case EAGAIN:
      return {ErrorKind::environment, subject, fact + ": " + reason, "this machine ran out of a resource"};
    case EACCES:
    case EPERM:
    case EROFS:
    case ENOENT:
    case ENOTDIR:
    case EISDIR:
    case ELOOP:
    case ENAMETOOLONG:
      return {ErrorKind::usage, subject, fact + ": " + reason};
    default:
      return {ErrorKind::internal, subject, fact + ": " + reason};
  }
}

}  // namespace kgate
