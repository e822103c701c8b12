#include <cstdio>
#include <exception>
#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "gate/cli/arguments.h"
#include "gate/cli/complain.h"
#include "gate/cli/surroundings.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"

namespace {

using namespace kgate;

ExitCode act(const cli::Invocation& invocation) {
  const auto& verb = invocation.arguments.verb;
  if (verb == "run" || verb == "check") return cli::run_gate(invocation);
  if (verb == "bisect") return cli::bisect(invocation);
  if (verb == "accept") return cli::accept(invocation);
  if (verb == "log") return cli::show_log(invocation);
  if (verb == "verify") return cli::verify(invocation);
  if (verb == "fingerprint") return cli::show_fingerprint(invocation);
  if (verb == "doctor" && invocation.arguments.try_sandbox) return cli::show_sandbox(invocation);
  if (verb == "doctor") return invocation.arguments.noise ? cli::show_noise(invocation) : cli::examine(invocation);
  if (verb == "drift") return cli::drift_over_nights(invocation);
  if (verb == "search") return cli::search_better(invocation);
  if (verb == "plan") return cli::plan_shards(invocation);
  if (verb == "report") return cli::render_report(invocation);
  if (verb == "lease") return cli::lease_gpu(invocation);
  if (verb == "init") return cli::initialise(invocation);
  if (verb == "keygen") return cli::make_key(invocation);
  if (verb == "sign") return cli::sign(invocation);
  std::cout << invocation.arguments.message;
  return ExitCode::pass;
}

// An answer that nobody could read is no answer: a full disk or a closed pipe behind stdout is an error.
ExitCode flushed(ExitCode code) {
  std::cout.flush();
  if (std::cout.good()) return code;
  std::cerr << "kgate: stdout: cannot be written\n";
  return ExitCode::environment;
}

}  // namespace

int main(int argc, char** argv) {
  hide_this_process();  // a signing key may come to be in it, and kernels of strangers run as the same user
  try {
    const Interrupt interrupt;
    try {
      const auto arguments = cli::parse_arguments(argc, argv);
      const auto surroundings = cli::read_surroundings();
      return static_cast<int>(flushed(act({arguments, surroundings, interrupt})));
    } catch (const Error& error) {
      // What is about the command itself says its name.
      const std::string text = cli::complaint(error);
      const bool named = text.starts_with("kgate ") || text.starts_with("kgate:");
      std::cerr << (named ? "" : "kgate: ") << text << '\n';
      return static_cast<int>(exit_code_of(error.kind(), interrupt.signal()));
    }
  } catch (const std::exception& error) {
    std::cerr << "kgate: a defect of kgate's own: " << report::neutral(error.what()) << '\n';
    return static_cast<int>(ExitCode::internal);
  }
}
