#pragma once

#include <filesystem>

namespace kgate::runner {

// Waits until the other end of the pipe closes, then removes the folder with all that is in it.
void sweep(int pipe, const std::filesystem::path& folder);

}  // namespace kgate::runner
