#include "tests/attacks/git.h"

#include "base/process.h"
#include "tests/support/catch.h"

const std::map<std::string, std::string>& git_environment() {
  static const std::map<std::string, std::string> environment{{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                                                              {"HOME", "/nonexistent"},
                                                              {"GIT_CONFIG_GLOBAL", "/dev/null"},
                                                              {"GIT_CONFIG_NOSYSTEM", "1"},
                                                              {"GIT_AUTHOR_NAME", "A"},
                                                              {"GIT_AUTHOR_EMAIL", "a@example.org"},
                                                              {"GIT_COMMITTER_NAME", "A"},
                                                              {"GIT_COMMITTER_EMAIL", "a@example.org"}};
  return environment;
}

std::string run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                    const std::string& time) {
  kgate::ProcessOptions options;
  options.command = {"git", "-c", "gc.auto=0", "-c", "maintenance.auto=false", "-c", "receive.autoGC=false"};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.folder = folder;
  options.environment = git_environment();
  options.environment["GIT_AUTHOR_DATE"] = options.environment["GIT_COMMITTER_DATE"] = time;
  const auto result = kgate::run_command(options, {});
  INFO(arguments.front() << ": " << result.output);
  REQUIRE(result.status.ok());
  std::string output = result.output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}
