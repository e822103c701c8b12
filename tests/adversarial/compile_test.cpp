#include <thread>

#include "base/file.h"
#include "base/parallel.h"
#include "fingerprint/toolkit.h"
#include "runner/client.h"
#include "tests/adversarial/gate.h"
#include "tests/adversarial/outcome.h"
#include "tests/adversarial/setting.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;

namespace {

constexpr runner::Client::Seconds kLimit(300);

runner::CompileJob job_for(const Cheat& cheat, const runner::ToolkitPaths& toolkit) {
  runner::CompileJob job;
  const std::string path = "kernels/" + cheat.name + "/" + cheat.file;
  job.backend = "cuda";
  job.files = {{path, bytes_of(source_of(cheat, "/nonexistent"))},
               {"tasks/blend.cuh", bytes_of(blend_header())},
               {"tasks/timed.cuh", bytes_of(timed_header())}};
  job.sources = {path};
  job.include_dirs = {"tasks"};
  job.entries = {cheat.task->name};
  job.architecture = "sm_90";
  job.toolkit = toolkit;
  return job;
}

}  // namespace

TEST_CASE("each kernel for a GPU compiles for sm_90, or fails to as it should", "[nvrtc]") {
  const auto found = fingerprint::find_toolkit({});
  if (found.nvrtc.empty()) KGATE_SKIP("there is no NVRTC here");
  const runner::ToolkitPaths toolkit{found.nvrtc, found.include_dirs, ""};
  runner::ClientOptions child;
  child.runner = setting().kgate.parent_path() / "kgate-runner";
  child.backend = "cuda";
  child.compiles = toolkit;
  std::vector<Cheat> all;
  for (const Group group : {Group::together, Group::apart, Group::honest}) {
    for (auto& cheat : cheats_for(Backend::cuda, group)) {
      // Those that never end are the gate's to end.
      if (cheat.compiles || !cheat.endless) all.push_back(std::move(cheat));
    }
  }
  std::vector<runner::Compiled> compiled(all.size());
  for_each_parallel(all.size(), std::thread::hardware_concurrency(), [&](std::size_t i, unsigned) {
    runner::Client client(child);
    compiled[i] = client.compile(job_for(all[i], toolkit), kLimit);
  });
  for (std::size_t i = 0; i < all.size(); ++i) {
    INFO(all[i].name << ": " << compiled[i].log);
    CHECK((compiled[i].status == runner::Compiled::Status::ok) == all[i].compiles);
  }
}
