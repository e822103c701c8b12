#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"

// A kgate that takes this machine's CPU for a GPU: beside a copy of it stands a runner that starts the host backend
// wherever it is asked for CUDA's. The judge's part of a run on a GPU can so be seen without one.
class FakeGpu {
 public:
  // What compiles: the host's compiler, whose code then runs, or NVRTC, whose code cannot.
  enum class Compiler { host, nvrtc };
  explicit FakeGpu(Compiler compiler);

  kgate::ProcessOptions command(const CliFixture& cli, std::vector<std::string> arguments) const;

 private:
  kgate::TemporaryFolder folder_{"kgate-test"};
};
