#include <dlfcn.h>

#include "runner/backend.h"
#include "runner/cuda/driver.h"
#include "tests/support/errors.h"
#include "tests/support/skip.h"

using namespace kgate;

TEST_CASE("without a driver the message says what is missing and how to get it") {
  if (::dlopen("libcuda.so.1", RTLD_NOW) != nullptr) KGATE_SKIP("this machine has an NVIDIA driver");
  const std::string message =
      "environment: cuda driver: libcuda.so.1 was not found; install the NVIDIA driver; in a container, start it with "
      "access to the GPU "
      "(--gpus all)";
  CHECK(error_of([] { runner::cuda::open_driver(); }) == message);
  const auto backend = runner::make_cuda_backend({});
  CHECK(error_of([&] { backend->probe(); }) == message);
  CHECK(error_of([&] { backend->allocate({}); }) == message);
}
