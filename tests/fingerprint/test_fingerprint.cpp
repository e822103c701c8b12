#include "fingerprint/fingerprint.h"
#include "fingerprint/nvml.h"
#include "fingerprint/timing_effects.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::fingerprint;

namespace {

Toolkit some_toolkit() {
  Toolkit toolkit;
  toolkit.root = "/usr/local/cuda-13.0";
  toolkit.nvrtc = "/usr/local/cuda-13.0/lib64/libnvrtc.so.13.0.88";
  toolkit.nvrtc_version = "13.0";
  toolkit.include_dirs = {"/usr/local/cuda-13.0/include"};
  toolkit.host_compiler = "/usr/bin/g++";
  toolkit.host_compiler_version = "g++ 12.2.0";
  return toolkit;
}

Json gpu_fingerprint() {
  return {{"driver", {{"version", "580.1"}, {"cuda", "13.0"}}},
          {"toolkit", {{"nvrtc", "13.0"}, {"root", "/a"}}},
          {"device",
           {{"kind", "cuda"},
            {"name", "NVIDIA H200"},
            {"architecture", "sm_90"},
            {"memory_bytes", 150},
            {"mig", "disabled"},
            {"uuid", "GPU-1"}}},
          {"host", {{"kernel", "Linux 6"}}},
          {"state", {{"sm_clock_mhz", 345}}}};
}

}  // namespace

TEST_CASE("a fingerprint of the host backend has its six axes and touches no GPU") {
  FingerprintOptions options;
  options.use_gpu = false;
  const Json taken = take_fingerprint(options, some_toolkit());
  for (const char* axis : {"driver", "toolkit", "device", "host", "state", "environment"}) CHECK(taken.contains(axis));
  CHECK(taken["schema"] == "kgate.fingerprint/1");
  CHECK(taken["device"]["kind"] == "host");
  CHECK(taken["device"]["name"] == taken["host"]["processor"]);
  CHECK(taken["toolkit"]["nvrtc"] == "13.0");
  CHECK(taken["toolkit"]["host_compiler"] == "g++ 12.2.0");
  CHECK(!canonical_json(taken).empty());
}

TEST_CASE("what is not installed is unknown, with the reason") {
  FingerprintOptions options;
  options.use_gpu = false;
  const Json taken = take_fingerprint(options, {});
  CHECK(taken["toolkit"]["nvrtc"] == "unknown, because no libnvrtc.so was found");
  CHECK(taken["toolkit"]["ptxas"] == "unknown, because no libnvrtc.so was found");
  CHECK(taken["toolkit"]["host_compiler"] == "unknown, because no C++ compiler was found");
}

TEST_CASE("without a driver the GPU's axes say that it is missing") {
  std::string why;
  if (Nvml::open(&why)) KGATE_SKIP("this machine has an NVIDIA driver");
  CHECK(why == "libnvidia-ml.so.1 was not found");
  const Json taken = take_fingerprint({}, some_toolkit());
  CHECK(taken["driver"]["version"] == "unknown, because libnvidia-ml.so.1 was not found");
  CHECK(taken["device"]["name"] == "unknown, because libnvidia-ml.so.1 was not found");
}

TEST_CASE("the class depends on what makes times comparable, and on nothing else") {
  const Json base = gpu_fingerprint();
  const std::string same = class_of(base);
  CHECK(same.size() == 16);
  const auto changed = [&](const char* axis, const char* field, const Json& value) {
    Json other = base;
    other[axis][field] = value;
    return class_of(other);
  };
  CHECK(changed("device", "uuid", "GPU-2") == same);
  CHECK(changed("host", "kernel", "Linux 7") == same);
  CHECK(changed("state", "sm_clock_mhz", 1980) == same);
  CHECK(changed("toolkit", "root", "/b") == same);
  CHECK(changed("device", "name", "NVIDIA H100") != same);
  CHECK(changed("device", "memory_bytes", 80) != same);
  CHECK(changed("device", "mig", "enabled") != same);
  CHECK(changed("driver", "version", "590.1") != same);
  CHECK(changed("toolkit", "nvrtc", "13.1") != same);
}

TEST_CASE("the kind of GPU is what no driver and no toolkit changes") {
  const Json base = gpu_fingerprint();
  const auto changed = [&](const char* axis, const char* field, const Json& value) {
    Json other = base;
    other[axis][field] = value;
    return hardware_of(other);
  };
  CHECK(hardware_of(base).size() == 16);
  CHECK(hardware_of(base) != class_of(base));
  CHECK(changed("driver", "version", "590.1") == hardware_of(base));
  CHECK(changed("toolkit", "nvrtc", "13.1") == hardware_of(base));
  CHECK(changed("device", "uuid", "GPU-2") == hardware_of(base));
  CHECK(changed("device", "name", "NVIDIA H100") != hardware_of(base));
  CHECK(changed("device", "mig", "enabled") != hardware_of(base));
  CHECK(changed("device", "mig_profile", "1g.18gb") != hardware_of(base));
}

TEST_CASE("a lasting change of times may come from the driver or a limit, not from a path or the moment") {
  CHECK(may_change_times("driver", "version"));
  CHECK(may_change_times("toolkit", "nvrtc"));
  CHECK(may_change_times("device", "power_limit_mw"));
  CHECK(may_change_times("device", "uuid"));
  CHECK(may_change_times("host", "kernel"));
  CHECK(may_change_times("device", "a field of tomorrow"));
  CHECK_FALSE(may_change_times("toolkit", "root"));
  CHECK_FALSE(may_change_times("device", "corrected_ecc_errors"));
  CHECK_FALSE(may_change_times("device", "pcie_width"));
  CHECK_FALSE(may_change_times("state", "temperature_c"));
  CHECK_FALSE(may_change_times("environment", "CUDA_CACHE_PATH"));
}

TEST_CASE("the class of the host depends on its processor and compiler") {
  const Json base = {{"device", {{"kind", "host"}, {"name", "CPU"}}},
                     {"toolkit", {{"host_compiler", "g++ 12"}, {"nvrtc", "13.0"}}}};
  Json compiler = base, processor = base, nvrtc = base;
  compiler["toolkit"]["host_compiler"] = "g++ 13";
  processor["device"]["name"] = "other CPU";
  nvrtc["toolkit"]["nvrtc"] = "12.0";
  CHECK(class_of(base) != class_of(compiler));
  CHECK(class_of(base) != class_of(processor));
  CHECK(class_of(base) == class_of(nvrtc));
  CHECK(class_of(Json()).size() == 16);
}

TEST_CASE("a MIG instance's class depends on its profile and its multiprocessors, a whole GPU's on neither") {
  Json whole = gpu_fingerprint(), instance = gpu_fingerprint();
  const std::string before = class_of(whole);
  whole["device"]["mig_profile"] = "none";
  whole["device"]["multiprocessors"] = 132;
  CHECK(class_of(whole) == before);  // as it was when neither was recorded
  instance["device"]["mig_profile"] = "3g.71gb";
  instance["device"]["multiprocessors"] = 60;
  Json part = instance;
  part["device"]["multiprocessors"] = 16;
  CHECK(class_of(instance) != before);
  CHECK(class_of(instance) != class_of(part));
}

TEST_CASE("of the environment the variables that matter to CUDA are kept, and no others") {
  FingerprintOptions options;
  options.use_gpu = false;
  options.environment = {{"CUDA_LAUNCH_BLOCKING", "1"}, {"AWS_SECRET_ACCESS_KEY", "x"}, {"LD_PRELOAD", "\xff.so"}};
  const Json taken = take_fingerprint(options, some_toolkit());
  CHECK(taken["environment"] == Json{{"CUDA_LAUNCH_BLOCKING", "1"}, {"LD_PRELOAD", "\xef\xbf\xbd.so"}});
  CHECK(!canonical_json(taken).empty());
}
