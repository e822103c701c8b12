#pragma once

#include <string>

namespace kgate::scaffold {

struct NewFile {
  std::string path;  // from the repository's root
  std::string content;
  std::string what;  // "what is right: complete what says FILL_IN"
};

// Stands where a person has to decide; kgate refuses a file that has it, and names the line.
constexpr const char* kFillIn = "FILL_IN";

}  // namespace kgate::scaffold
