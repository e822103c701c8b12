#include <set>
#include <string>

#include "runner/cuda/errors.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner::cuda;

TEST_CASE("a kernel's fault says what the kernel did and how to find the place") {
  try {
    check(CUDA_ERROR_ILLEGAL_ADDRESS, "cuStreamSynchronize");
    FAIL("nothing was thrown");
  } catch (const KernelFault& fault) {
    REQUIRE(fault.fact() ==
            "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote outside its buffers; compute-sanitizer shows "
            "the line");
  }
}

TEST_CASE("a fault of the machine is an environment error with the call, the code, its meaning and a remedy") {
  CHECK(error_of([] { check(CUDA_ERROR_ECC_UNCORRECTABLE, "cuEventSynchronize"); }) ==
        "environment: cuda driver: cuEventSynchronize failed with CUDA_ERROR_ECC_UNCORRECTABLE (214): the GPU's memory "
        "has an error that "
        "ECC could not correct; take this GPU out of service and look at nvidia-smi -q -d ECC");
  CHECK(error_of([] { check_machine(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "cuModuleLoadDataEx", "ptxas fatal"); }) ==
        "environment: cuda driver: cuModuleLoadDataEx failed with CUDA_ERROR_UNSUPPORTED_PTX_VERSION (222): the code "
        "was made by a "
        "toolkit newer than the driver understands (ptxas fatal); install a newer NVIDIA driver, or an older CUDA "
        "toolkit");
}

TEST_CASE("a code that nobody knows is the machine's fault and never a pass") {
  CHECK(error_of([] { check(static_cast<CUresult>(798), "cuLaunchKernelEx"); }) ==
        "environment: cuda driver: cuLaunchKernelEx failed with unknown CUDA error (798): kgate does not know this "
        "code; look it up in "
        "NVIDIA's documentation; a newer kgate may know it");
  CHECK(nvrtc_meaning(4711).blame == Blame::machine);
}

TEST_CASE("a launch that the driver refuses in general words is a finding about the kernel") {
  try {
    check_launch(CUDA_ERROR_INVALID_VALUE, "softmax");
    FAIL("nothing was thrown");
  } catch (const KernelFault& fault) {
    REQUIRE(fault.fact() ==
            "softmax: the driver refused the launch with CUDA_ERROR_INVALID_VALUE (1); check grid, block, shared, "
            "cluster and the number "
            "of arguments");
  }
}

TEST_CASE("every known code is there once, in order, with a name and a meaning; the machine's have a remedy") {
  for (const auto meanings : {driver_meanings(), nvrtc_meanings()}) {
    int last = 0;
    for (const Meaning& meaning : meanings) {
      INFO(meaning.name);
      CHECK(meaning.code > last);
      last = meaning.code;
      CHECK(std::string(meaning.name).find("ERROR_") != std::string::npos);
      CHECK(!std::string(meaning.means).empty());
      if (meaning.blame == Blame::machine) CHECK(!std::string(meaning.remedy).empty());
    }
  }
}

TEST_CASE("the numbers are those of the CUDA headers") {
  CHECK(std::string(driver_meaning(CUDA_ERROR_OUT_OF_MEMORY).name) == "CUDA_ERROR_OUT_OF_MEMORY");
  CHECK(std::string(driver_meaning(CUDA_ERROR_DEVICE_UNAVAILABLE).name) == "CUDA_ERROR_DEVICE_UNAVAILABLE");
  CHECK(std::string(driver_meaning(CUDA_ERROR_NO_BINARY_FOR_GPU).name) == "CUDA_ERROR_NO_BINARY_FOR_GPU");
  CHECK(std::string(driver_meaning(CUDA_ERROR_LAUNCH_FAILED).name) == "CUDA_ERROR_LAUNCH_FAILED");
  CHECK(std::string(driver_meaning(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH).name) == "CUDA_ERROR_SYSTEM_DRIVER_MISMATCH");
  CHECK(std::string(driver_meaning(CUDA_ERROR_INVALID_CLUSTER_SIZE).name) == "CUDA_ERROR_INVALID_CLUSTER_SIZE");
  CHECK(std::string(driver_meaning(CUDA_ERROR_UNKNOWN).name) == "CUDA_ERROR_UNKNOWN");
}
