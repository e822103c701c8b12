#pragma once

#include "base/exit_code.h"
#include "base/interrupt.h"
#include "gate/cli/arguments.h"
#include "gate/cli/surroundings.h"

// One function, and one file, a verb. Each prints its answer to stdout and returns the exit code; failures of the world
// are Errors.
namespace kgate::cli {

struct Invocation {
  const Arguments& arguments;
  const Surroundings& surroundings;
  const Interrupt& interrupt;
};

ExitCode run_gate(const Invocation& invocation);  // run and check
ExitCode bisect(const Invocation& invocation);
ExitCode accept(const Invocation& invocation);
ExitCode show_log(const Invocation& invocation);
ExitCode verify(const Invocation& invocation);
ExitCode sign(const Invocation& invocation);
ExitCode show_fingerprint(const Invocation& invocation);
ExitCode examine(const Invocation& invocation);       // doctor
ExitCode show_noise(const Invocation& invocation);    // doctor --noise
ExitCode show_sandbox(const Invocation& invocation);  // doctor --sandbox
ExitCode plan_shards(const Invocation& invocation);   // plan
ExitCode render_report(const Invocation& invocation);
ExitCode drift_over_nights(const Invocation& invocation);
ExitCode search_better(const Invocation& invocation);  // search
ExitCode lease_gpu(const Invocation& invocation);
ExitCode show_lease_status(const Invocation& invocation);
ExitCode initialise(const Invocation& invocation);  // init
ExitCode make_key(const Invocation& invocation);    // keygen
ExitCode sign_keys(const Invocation& invocation);   // sign --keys

}  // namespace kgate::cli
