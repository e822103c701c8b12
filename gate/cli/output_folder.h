#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "gate/verdict/judge.h"

namespace kgate::cli {

// --out: result.json, fingerprint.json and samples/, each written whole or not at all. An older result is removed
// first, so that a run that dies leaves none behind that could be taken for its own.
class OutputFolder {
 public:
  // Throws Error where the folder cannot be made. `file`: what the result is called.
  explicit OutputFolder(const std::filesystem::path& folder, const std::string& file = "result.json");
  void write(const verdict::Judgement& judgement) const;
  void write(const std::string& result) const;
  std::filesystem::path result_path() const { return folder_ / file_; }

 private:
  void write_all(const verdict::Judgement& judgement) const;
  static void with_remedy(const std::function<void()>& write);

  std::filesystem::path folder_;
  std::string file_;
};

}  // namespace kgate::cli
