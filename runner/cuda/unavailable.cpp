#include "base/error.h"
#include "runner/backend.h"
#include "runner/cuda/driver_folder.h"

namespace kgate::runner {

std::string cuda::driver_folder() {
  return {};
}

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions&) {
  throw Error(ErrorKind::environment, "cuda backend",
              "this kgate was built without CUDA headers and has the host backend alone",
              "install the CUDA toolkit's headers (cuda.h, nvrtc.h) and build again, or use a released bundle");
}

}  // namespace kgate::runner
