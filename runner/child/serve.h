#pragma once

#include "runner/backend.h"

namespace kgate::runner {

// Makes the backend when it is first asked for; compiling needs none.
struct ServeOptions {
  std::string backend;
  BackendOptions options;
  bool warm = false;
};

// Answers requests on the socket, one after the other, until the judge closes it. Errors are sent as replies. Returns
// after a fault of the kernel as after any other run: the judge decides when a child has served its time.
void serve(int socket, const ServeOptions& options);

}  // namespace kgate::runner
