#pragma once

#include <filesystem>
#include <string>

#include "base/file.h"

// A script in the place of NVIDIA's nvdisasm. What it is given as machine code is the text that it prints.
class FakeNvdisasm {
 public:
  explicit FakeNvdisasm(const std::filesystem::path& folder) : program_(folder / "nvdisasm") {
    std::filesystem::create_directories(folder);
    behave(
        "[ \"$1 $2\" = '--print-code --no-dataflow' ] || exit 64\n"
        "while IFS= read -r line; do printf '%s\\n' \"$line\"; done < \"$3\"\n");
  }

  // In the shell's own commands: under the sandbox there is no other program.
  void behave(const std::string& commands) const {
    kgate::write_file_atomic(program_, "#!/bin/sh\n" + commands);
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }

  std::string program() const { return program_.string(); }

 private:
  std::filesystem::path program_;
};
