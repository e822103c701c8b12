#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/process.h"

// A git repository with one small kernel, and kgate run on it as a user would, on the host backend.
class CliFixture {
 public:
  CliFixture();

  struct Answer {
    int code = -1;
    std::string output;  // stdout and stderr
  };

  // Writes files of the working tree, by path.
  void write(const std::map<std::string, std::string>& files) const;
  void write(const std::string& path, const std::string& content) const { write({{path, content}}); }
  // Replaces the first occurrence in a file of the working tree; fails the test where there is none.
  void replace(const std::string& path, const std::string& old_text, const std::string& new_text) const;
  void commit(const std::string& message = "base") const;
  Answer git(std::vector<std::string> arguments) const;

  // kgate with these arguments; run, check and bisect get --repo, --out, --backend host and no cache unless they say otherwise.
  Answer kgate(std::vector<std::string> arguments) const;
  kgate::ProcessOptions command(std::vector<std::string> arguments) const;
  kgate::Json result() const;
  bool has_result() const { return std::filesystem::exists(out() / "result.json"); }

  std::filesystem::path root() const { return folder_.path() / "repository"; }
  std::filesystem::path out() const { return folder_.path() / "out"; }

  std::map<std::string, std::string> environment;

 private:
  kgate::TemporaryFolder folder_{"kgate-cli"};
};
