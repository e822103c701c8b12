#pragma once

#include <filesystem>

namespace kgate::cli {

// kgate-runner, which is installed beside kgate. Throws Error(environment) where it is not.
std::filesystem::path runner_path();

}  // namespace kgate::cli
