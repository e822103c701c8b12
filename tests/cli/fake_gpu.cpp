#include "tests/cli/fake_gpu.h"

using namespace kgate;

FakeGpu::FakeGpu(Compiler compiler) {
  std::filesystem::copy_file(KGATE_BINARY, folder_.path() / "kgate");
  // A child that compiles is told by its folder.
  const std::string compiles =
      compiler == Compiler::nvrtc ? "case \" $* \" in *' --compile '*) for_gpu=yes ;; esac\n" : "";
  const std::string script = "#!/bin/sh\n" + compiles +
                             "for word; do\n"
                             "  shift\n"
                             "  if [ \"$word\" = cuda ] && [ -z \"$for_gpu\" ]; then word=host; fi\n"
                             "  set -- \"$@\" \"$word\"\n"
                             "done\n"
                             "exec \"" KGATE_RUNNER "\" \"$@\"\n";
  const auto runner = folder_.path() / "kgate-runner";
  write_file_atomic(runner, std::string_view(script));
  std::filesystem::permissions(runner, std::filesystem::perms::owner_all);
}

ProcessOptions FakeGpu::command(const CliFixture& cli, std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--backend", "cuda"});
  ProcessOptions options = cli.command(std::move(arguments));
  options.command[0] = (folder_.path() / "kgate").string();
  return options;
}
