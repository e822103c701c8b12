#include <cstdio>
#include <exception>
#include <string>
#include <vector>

#include "base/error.h"
#include "runner/child/explain.h"
#include "runner/child/options.h"
#include "runner/child/sandbox.h"
#include "runner/child/sandbox_probes.h"
#include "runner/child/sweep.h"

namespace {

constexpr const char* kHelp =
    R"(kgate-runner: the process in which kgate compiles, runs and times kernels, under a sandbox

kgate starts it, with a socket as descriptor 3. It is not for use by hand: call kgate (kgate --help).
By hand it answers two questions about its sandbox:
  kgate-runner --backend host|cuda --probe-sandbox     what can be done from inside
  kgate-runner --backend host|cuda --explain-sandbox   what it allows, and what a start of the backend was refused
both under another level with --sandbox none|seccomp|landlock.
)";

}  // namespace

// Started by kgate with its socket as descriptor 3 (with --sweep: a pipe).
int main(int argc, char** argv) {
  using namespace kgate::runner;
  constexpr int kSocket = 3;
  try {
    ChildOptions options = parse_child_options(std::vector<std::string>(argv + 1, argv + argc));
    if (options.action == ChildOptions::Action::help) {
      std::fputs(kHelp, stdout);
      return 0;
    }
    if (options.action == ChildOptions::Action::explain) return explain_sandbox(options);
    if (options.action == ChildOptions::Action::sweep) {
      sweep(kSocket, options.folder);
      return 0;
    }
    const Sandbox sandbox = enter_sandbox(options.role, options.most);
    options.serve.sandbox = sandbox.report;
    options.serve.limits = sandbox.limits;
    if (options.action == ChildOptions::Action::probe) {
      std::fputs(probe_table(options.serve).c_str(), stdout);
    } else {
      serve(kSocket, options.serve);
    }
    return 0;
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "kgate-runner: %s\n", error.what());
    return error.kind() == kgate::ErrorKind::usage ? 64 : 70;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kgate-runner: %s\n", error.what());
    return 70;
  }
}
