#include "base/exit_code.h"

#include <csignal>

namespace kgate {

ExitCode exit_code_of(ErrorKind kind, int signal) {
  switch (kind) {
    case ErrorKind::usage:
      return ExitCode::usage;
    case ErrorKind::untrusted:
      return ExitCode::untrusted;
    case ErrorKind::environment:
      return ExitCode::environment;
    case ErrorKind::missing:
      return ExitCode::missing;
    case ErrorKind::interrupted:
      return signal == SIGTERM || signal == SIGHUP ? ExitCode::terminated : ExitCode::interrupted;
    case ErrorKind::internal:
      return ExitCode::internal;
  }
  return ExitCode::internal;
}

}  // namespace kgate
