#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "runner/child/serve.h"
#include "runner/sandbox.h"

namespace kgate::runner {

// Places of the judge's that a probe tries; empty ones are left out.
struct ProbePlaces {
  std::string home, repository;
};
ProbePlaces probe_places(const Json& request);

// Tries what a hostile kernel or source would, in this very process, and takes back at once what it got. The judge is
// the parent process.
SandboxTrial try_everything(const ServeOptions& options, const ProbePlaces& places);

// Opens the device, allocates, copies, and on a GPU compiles (from PTX) and runs a kernel: everything that a real job
// asks of the driver. What does not go is in the error's text, which is empty otherwise.
std::string use_device(const ServeOptions& options);

// All of it for a person: one line a probe.
std::string probe_table(const ServeOptions& options);

}  // namespace kgate::runner
