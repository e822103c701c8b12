#include <iostream>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/nvml.h"
#include "fingerprint/toolkit.h"
#include "gate/cli/runner_path.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"
#include "runner/client.h"

namespace kgate::cli {
namespace {

struct Finding {
  std::string name;
  bool good = false;
  std::string what, remedy;
};

// Opens a device in a child, as a run would; `sandbox` is what the child was under.
Finding try_backend(const Invocation& invocation, const std::string& backend, const std::filesystem::path& runner,
                    runner::SandboxReport& sandbox) {
  Finding finding{backend + " backend", false, "", ""};
  try {
    runner::ClientOptions options;
    options.runner = runner;
    options.backend = backend;
    options.device = backend == "cuda" ? invocation.arguments.device : "";
    options.interrupt = &invocation.interrupt;
    runner::Client child(options);
    const auto device = child.probe(runner::Client::Seconds(60));
    sandbox = child.sandbox();
    finding.good = true;
    finding.what = fmt::format("{} ({}), {:.1f} GiB free", device.name, device.architecture,
                               static_cast<double>(device.free_bytes) / 1073741824.0);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment && error.kind() != ErrorKind::usage) throw;
    finding.what = error.subject() + ": " + error.fact();
    finding.remedy = error.hint();
  }
  return finding;
}

Finding describe(const runner::SandboxReport& sandbox) {
  Finding finding{"sandbox", sandbox.level == runner::SandboxLevel::landlock, name_of(sandbox.level), ""};
  if (finding.good) {
    finding.what += fmt::format(" (ABI {})", sandbox.landlock_abi);
  } else {
    finding.what += ": " + sandbox.note;
    finding.remedy = "kgate doctor --sandbox shows what that leaves open";
  }
  return finding;
}

}  // namespace

// A machine that can judge on one backend is fit; only one that can do nothing is an error.
ExitCode examine(const Invocation& invocation) {
  if (!invocation.arguments.names.empty()) {
    throw Error(ErrorKind::usage, fmt::format("kgate doctor {}", invocation.arguments.names.front()),
                "looks at the machine, not at kernels", "add --noise to time them");
  }
  const auto toolkit = find_toolkit(invocation.arguments, invocation.surroundings);
  const auto runner = runner_path();
  std::vector<Finding> findings;

  std::string why_not;
  const auto nvml = fingerprint::Nvml::open(&why_not);
  findings.push_back({"nvidia driver", nvml != nullptr, nvml ? nvml->driver_version() : why_not,
                      nvml ? "" : "install NVIDIA's driver, where this machine has a GPU of theirs"});
  findings.push_back({"nvrtc", !toolkit.nvrtc.empty(),
                      toolkit.nvrtc.empty() ? "libnvrtc.so was not found"
                                            : fmt::format("{} ({})", toolkit.nvrtc_version, toolkit.nvrtc),
                      toolkit.nvrtc.empty() ? "install the CUDA toolkit, or point CUDA_HOME or --cuda at it" : ""});
  findings.push_back({"toolkit headers", !toolkit.include_dirs.empty(),
                      toolkit.include_dirs.empty() ? "no folder with CUDA's own headers was found"
                                                   : fmt::format("{}", fmt::join(toolkit.include_dirs, ", ")),
                      toolkit.include_dirs.empty() ? "needed by kernels that include cuda_fp16.h or CUB" : ""});
  findings.push_back(
      {"c++ compiler", !toolkit.host_compiler.empty(),
       toolkit.host_compiler.empty() ? "none was found"
                                     : fmt::format("{} ({})", toolkit.host_compiler, toolkit.host_compiler_version),
       toolkit.host_compiler.empty() ? "install g++, or set CXX: the host backend compiles with it" : ""});
  runner::SandboxReport sandbox;
  const Finding cuda = try_backend(invocation, "cuda", runner, sandbox);
  Finding host = try_backend(invocation, "host", runner, sandbox);
  if (host.good && toolkit.host_compiler.empty())
    host = {"host backend", false, "has no compiler", "install g++, or set CXX"};
  findings.push_back(cuda);
  findings.push_back(host);
  findings.push_back(describe(sandbox));
  const bool gpu_ready = cuda.good && !toolkit.nvrtc.empty();

  if (invocation.arguments.format == "json") {
    Json list = Json::array();
    for (const auto& one : findings)
      list.push_back({{"name", one.name}, {"good", one.good}, {"what", one.what}, {"remedy", one.remedy}});
    std::cout << Json{{"schema", "kgate.doctor/1"}, {"findings", list}, {"cuda", gpu_ready}, {"host", host.good}}.dump(
                     2)
              << '\n';
  } else {
    for (const auto& one : findings) {
      std::cout << fmt::format("{:<4} {:<16} {}\n", one.good ? "ok" : "no", one.name, report::neutral(one.what));
      if (!one.remedy.empty()) std::cout << fmt::format("{:<21} -> {}\n", "", report::neutral(one.remedy));
    }
    std::cout << '\n'
              << (gpu_ready   ? "this machine can judge kernels on its GPU\n"
                  : host.good ? "this machine has no usable GPU; it can check kernels with the host backend\n"
                              : "this machine can judge nothing yet\n");
  }
  return gpu_ready || host.good ? ExitCode::pass : ExitCode::environment;
}

}  // namespace kgate::cli
