#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "fingerprint/compute_sanitizer.h"

namespace kgate::sanitize {

// In the order in which they run: an access out of bounds would spoil what the others see.
const std::vector<std::string>& tools();

// What is put before a program's own command line so that it runs under one of the tools, whose report goes to `log`.
// The program's path follows at once: "--" between them is an error to the tool (seen with that of CUDA 11.8).
std::vector<std::string> launcher(const fingerprint::ComputeSanitizer& program, const std::string& tool,
                                  const std::filesystem::path& log);

}  // namespace kgate::sanitize
