#pragma once

#include <filesystem>
#include <string>

#include "gate/verdict/judge.h"

namespace kgate::cli {

// --out: the files of all formats (report/writers.h), fingerprint.json and samples/, each written whole or not at all.
// Older ones of the formats are removed first, so that a run that dies leaves none behind that could be taken for its
// own. Of another verb `answer` is the file that stands for it; empty: nothing is removed, each file is replaced.
class OutputFolder {
 public:
  static constexpr const char* kResult = "result.json";

  // Throws Error where the folder cannot be made.
  explicit OutputFolder(const std::filesystem::path& folder, const std::string& answer = kResult);
  void write(const verdict::Judgement& judgement) const;
  void write(const std::string& name, const std::string& text) const;
  // What an older run wrote beside its answer.
  void remove(const std::string& name) const;
  void remove_folder(const std::string& name) const;
  std::filesystem::path path(const std::string& name) const { return folder_ / name; }
  std::filesystem::path result_path() const { return path(kResult); }

 private:
  void write_all(const verdict::Judgement& judgement) const;

  std::filesystem::path folder_;
};

}  // namespace kgate::cli
