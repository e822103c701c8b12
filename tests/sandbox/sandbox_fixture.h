#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "runner/client.h"

// Children as the judge starts them, for the host backend.
namespace kgate::runner {

constexpr Client::Seconds kLimit(60);

// The C++ compiler of this machine; empty where there is none.
std::string compiler_path();

ClientOptions measuring_child(SandboxLevel most = SandboxLevel::landlock);
ClientOptions compiling_child(SandboxLevel most = SandboxLevel::landlock);

// What this machine's own best is; tests of what only Landlock denies are skipped where it is less.
SandboxLevel best_level();
// Built with a sanitizer, whose relaxations the exact tables do not hold for.
bool relaxed();

CompileJob job_of(const std::string& source);
// Its text as a part of the unit that kgate itself writes, which nothing scans: what a scan misses the sandbox has to
// stop.
CompileJob unscanned(CompileJob job);

// Compiles a kernel `k(int* y)` and runs it once, in a child each; the 16 numbers that it left in y, or the fault.
struct Ran {
  std::vector<int> y;
  std::string fault;  // of compiling, loading or running
};
Ran run_kernel(const std::string& source, SandboxLevel most = SandboxLevel::landlock);

// A file that nobody but its owner may know.
class Secret {
 public:
  Secret();
  std::string path() const { return (folder_.path() / "id_secret").string(); }
  std::string folder() const { return folder_.path().string(); }
  const std::string& content() const { return content_; }
  bool is_in(std::string_view text) const { return text.find(content_) != std::string_view::npos; }

 private:
  TemporaryFolder folder_{"kgate-secret"};
  std::string content_ = "kgate_canary_7d1b52ce";
};

}  // namespace kgate::runner
