#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fingerprint/gpu_state.h"
#include "fingerprint/nvml_abi.h"

namespace kgate::fingerprint {

struct GpuIdentity {
  std::string name, uuid, architecture;  // "NVIDIA H200", "GPU-...", "sm_90"
  std::uint64_t memory_bytes = 0;
  unsigned index = 0;
};

// NVML, opened with dlopen (libnvidia-ml.so.1), through our own declaration of the functions we use (nvml_abi.h).
class Nvml {
 public:
  // Empty where there is no NVIDIA driver; `why_not` then says what was missing.
  static std::unique_ptr<Nvml> open(std::string* why_not);
  // Over functions that are there already (a test's own NVML); initialises it. Empty, with `why_not`, where that fails.
  static std::unique_ptr<Nvml> over(const nvml::Functions& functions, std::string* why_not);
  ~Nvml();
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  std::vector<GpuIdentity> devices() const;
  // One full picture; StateReader is for looking again and again. Throws Error(environment) where there is no such GPU.
  GpuState state(unsigned index) const;
  std::string driver_version() const;
  int cuda_driver_version() const;  // 13000 is 13.0; 0: unknown
  // Throws Error(environment) where there is no such GPU or it was lost.
  nvml::Device device(unsigned index) const;
  const nvml::Functions& functions() const { return call_; }

 private:
  explicit Nvml(const nvml::Functions& functions) : call_(functions) {}
  nvml::Functions call_;
};

// True where an NVIDIA driver is installed or a GPU of NVIDIA's is visible (/proc/driver/nvidia, /dev/nvidiactl, /sys
// PCI vendor 10de): then `--backend auto` never falls back to the host.
bool nvidia_gpu_expected();
// The same, of another root folder than "/".
bool nvidia_gpu_expected_in(const std::string& root);

}  // namespace kgate::fingerprint
