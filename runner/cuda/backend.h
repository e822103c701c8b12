#pragma once

#include <functional>
#include <memory>

#include "runner/backend.h"
#include "runner/cuda/driver.h"

namespace kgate::runner::cuda {

// The backend over a driver that `open` returns when a device is first needed: compiling needs none. make_cuda_backend
// passes open_driver; tests pass a driver of their own.
std::unique_ptr<Backend> make_backend(const BackendOptions& options, std::function<Driver()> open);

}  // namespace kgate::runner::cuda
