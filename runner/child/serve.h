#pragma once

#include "runner/backend.h"
#include "runner/child/limits.h"
#include "runner/child/role.h"
#include "runner/sandbox.h"

namespace kgate::runner {

// Makes the backend when it is first asked for; compiling needs no device.
struct ServeOptions {
  Role role;
  BackendOptions backend;
  SandboxReport sandbox;  // that this process is under
  std::vector<Limit> limits;
  SandboxLevel least = SandboxLevel::none;
  bool warm = false;
};

std::unique_ptr<Backend> make_backend(const ServeOptions& options);

// Answers requests on the socket, one after the other, until the judge closes it. Errors are sent as replies. Returns
// after a fault of the kernel as after any other run: the judge decides when a child has served its time.
void serve(int socket, const ServeOptions& options);

}  // namespace kgate::runner
