#include "tests/trust/git_fixture.h"

#include <fstream>

#include "base/process.h"
#include "tests/support/catch.h"

namespace {

std::string output_of(const kgate::CommandResult& result) {
  INFO(result.output);
  REQUIRE(result.status.ok());
  std::string output = result.output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
}

}  // namespace

GitFixture::GitFixture() : temporary_("kgate-trust-"), root_(std::filesystem::canonical(temporary_.path())) {}

kgate::CommandResult GitFixture::run(const std::string& folder, std::vector<std::string> command) const {
  kgate::ProcessOptions options;
  options.command = std::move(command);
  options.folder = root_ / folder;
  options.environment = {{"HOME", root_.string()},
                         {"PATH", options.search_path},
                         {"GIT_CONFIG_NOSYSTEM", "1"},
                         {"GIT_CONFIG_COUNT", "1"},
                         {"GIT_CONFIG_KEY_0", "protocol.file.allow"},
                         {"GIT_CONFIG_VALUE_0", "always"},
                         {"GIT_AUTHOR_NAME", "A"},
                         {"GIT_AUTHOR_EMAIL", "a@example.org"},
                         {"GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"},
                         {"GIT_COMMITTER_NAME", "A"},
                         {"GIT_COMMITTER_EMAIL", "a@example.org"},
                         {"GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"}};
  return kgate::run_command(options, {});
}

std::string GitFixture::git(const std::string& folder, const std::vector<std::string>& arguments) const {
  std::vector<std::string> command{"git"};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return output_of(run(folder, std::move(command)));
}

std::string GitFixture::shell(const std::string& command) const {
  INFO(command);
  return output_of(run("", {"sh", "-c", command}));
}

bool GitFixture::can(const std::string& command) const {
  return run("", {"sh", "-c", command}).status.ok();
}

void GitFixture::write(const std::string& relative, const std::string& content) const {
  const std::filesystem::path full = root_ / relative;
  std::filesystem::create_directories(full.parent_path());
  std::ofstream(full, std::ios::binary) << content;
}

std::string GitFixture::commit(const std::string& folder, const std::string& file, const std::string& content) const {
  write(folder + "/" + file, content);
  git(folder, {"add", "-A"});
  git(folder, {"commit", "-q", "-m", file});
  return git(folder, {"rev-parse", "HEAD"});
}

std::string GitFixture::init(const std::string& folder) const {
  std::filesystem::create_directories(root_ / folder);
  git(folder, {"init", "-q", "-b", "main"});
  return commit(folder, "first.txt", "first\n");
}

std::string GitFixture::init_kernels(const std::string& folder) const {
  write(folder + "/kernels/b/k.cu", "b1\n");
  git(folder, {"init", "-q", "-b", "main"});
  const std::string first = commit(folder, "kernels/a/k.cu", "a1\n");
  commit(folder, "kernels/a/k.cu", "a2\n");
  git(folder, {"config", "uploadpack.allowFilter", "true"});
  git(folder, {"config", "uploadpack.allowAnySHA1InWant", "true"});
  return first;
}
