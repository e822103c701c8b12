#pragma once

#include <string>

namespace kgate::runner::cuda {

// The folder of NVIDIA's user-space driver, which is loaded for it; empty where there is none. Needs no CUDA headers.
std::string driver_folder();

}  // namespace kgate::runner::cuda
