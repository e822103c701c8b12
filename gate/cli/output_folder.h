#pragma once

#include <filesystem>
#include <string>

#include "gate/verdict/judge.h"

namespace kgate::cli {

// --out: result.json, fingerprint.json and samples/, each written whole or not at all. An older result is removed
// first, so that a run that dies leaves none behind that could be taken for its own. Of another verb `answer` is the
// file that stands for it.
class OutputFolder {
 public:
  // Throws Error where the folder cannot be made.
  explicit OutputFolder(const std::filesystem::path& folder, const std::string& answer = "result.json");
  void write(const verdict::Judgement& judgement) const;
  void write(const std::string& name, const std::string& text) const;
  // What an older run wrote beside its answer.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path result_path() const { return path("result.json"); }

 private:
  void write_all(const verdict::Judgement& judgement) const;

  std::filesystem::path folder_;
};

}  // namespace kgate::cli
