#include "tests/trust/git_fixture.h"

#include <fstream>

#include "base/process.h"
#include "tests/support/catch.h"

GitFixture::GitFixture() : temporary_("kgate-trust-"), root_(std::filesystem::canonical(temporary_.path())) {}

std::string GitFixture::git(const std::string& folder, const std::vector<std::string>& arguments) const {
  kgate::ProcessOptions options;
  options.command = {"git", "-c", "protocol.file.allow=always"};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.folder = root_ / folder;
  options.environment = {{"HOME", root_.string()},
                         {"PATH", options.search_path},
                         {"GIT_CONFIG_NOSYSTEM", "1"},
                         {"GIT_AUTHOR_NAME", "A"},
                         {"GIT_AUTHOR_EMAIL", "a@example.org"},
                         {"GIT_AUTHOR_DATE", "2024-01-01T00:00:00Z"},
                         {"GIT_COMMITTER_NAME", "A"},
                         {"GIT_COMMITTER_EMAIL", "a@example.org"},
                         {"GIT_COMMITTER_DATE", "2024-01-01T00:00:00Z"}};
  const kgate::CommandResult result = kgate::run_command(options, {});
  INFO(result.output);
  REQUIRE(result.status.ok());
  std::string output = result.output;
  while (!output.empty() && output.back() == '\n') output.pop_back();
  return output;
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
