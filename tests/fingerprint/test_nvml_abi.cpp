// Our declarations of NVML against NVIDIA's, where nvml.h is at hand.
#include "fingerprint/nvml_abi.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

#ifdef KGATE_HAVE_NVML_H
#include <cstddef>

#include <nvml.h>

namespace ours = kgate::fingerprint::nvml;

TEST_CASE("structures and numbers of NVML are as we declare them") {
  CHECK(sizeof(ours::Memory) == sizeof(nvmlMemory_t));
  CHECK(offsetof(ours::Memory, free) == offsetof(nvmlMemory_t, free));
  CHECK(sizeof(ours::Utilization) == sizeof(nvmlUtilization_t));
  CHECK(sizeof(ours::Process) == sizeof(nvmlProcessInfo_t));
  CHECK(offsetof(ours::Process, used_memory) == offsetof(nvmlProcessInfo_t, usedGpuMemory));
  CHECK(offsetof(ours::Process, compute_instance) == offsetof(nvmlProcessInfo_t, computeInstanceId));
  CHECK(sizeof(ours::ProcessUtilization) == sizeof(nvmlProcessUtilizationSample_t));
  CHECK(offsetof(ours::ProcessUtilization, time_us) == offsetof(nvmlProcessUtilizationSample_t, timeStamp));
  CHECK(offsetof(ours::ProcessUtilization, sm) == offsetof(nvmlProcessUtilizationSample_t, smUtil));
  CHECK(offsetof(ours::ProcessUtilization, decoder) == offsetof(nvmlProcessUtilizationSample_t, decUtil));
  CHECK(sizeof(ours::PciAddress) == sizeof(nvmlPciInfo_t));
  CHECK(offsetof(ours::PciAddress, domain) == offsetof(nvmlPciInfo_t, domain));
  CHECK(offsetof(ours::PciAddress, bus) == offsetof(nvmlPciInfo_t, bus));
  CHECK(offsetof(ours::PciAddress, device) == offsetof(nvmlPciInfo_t, device));
  CHECK(offsetof(ours::PciAddress, text) == offsetof(nvmlPciInfo_t, busId));
  CHECK(sizeof(ours::Attributes) == sizeof(nvmlDeviceAttributes_t));
  CHECK(offsetof(ours::Attributes, multiprocessors) == offsetof(nvmlDeviceAttributes_t, multiprocessorCount));
  CHECK(offsetof(ours::Attributes, memory_mib) == offsetof(nvmlDeviceAttributes_t, memorySizeMB));
  CHECK(sizeof(ours::FieldValue) == sizeof(nvmlFieldValue_t));
  CHECK(offsetof(ours::FieldValue, type) == offsetof(nvmlFieldValue_t, valueType));
  CHECK(offsetof(ours::FieldValue, result) == offsetof(nvmlFieldValue_t, nvmlReturn));
  CHECK(offsetof(ours::FieldValue, value) == offsetof(nvmlFieldValue_t, value));
  CHECK(sizeof(ours::Result) == sizeof(nvmlReturn_t));
  CHECK(sizeof(ours::Device) == sizeof(nvmlDevice_t));
  CHECK(sizeof(unsigned) == sizeof(nvmlEnableState_t));
  CHECK(ours::kSuccess == NVML_SUCCESS);
  CHECK(ours::kNotSupported == NVML_ERROR_NOT_SUPPORTED);
  CHECK(ours::kNoPermission == NVML_ERROR_NO_PERMISSION);
  CHECK(ours::kNotFound == NVML_ERROR_NOT_FOUND);
  CHECK(ours::kInsufficientSize == NVML_ERROR_INSUFFICIENT_SIZE);
  CHECK(ours::kClockSm == NVML_CLOCK_SM);
  CHECK(ours::kClockMemory == NVML_CLOCK_MEM);
  CHECK(ours::kTemperatureGpu == NVML_TEMPERATURE_GPU);
  CHECK(ours::kEccUncorrected == NVML_MEMORY_ERROR_TYPE_UNCORRECTED);
  CHECK(ours::kEccVolatile == NVML_VOLATILE_ECC);
  CHECK(ours::kGpuIsLost == NVML_ERROR_GPU_IS_LOST);
  CHECK(ours::kEccCorrected == NVML_MEMORY_ERROR_TYPE_CORRECTED);
  CHECK(ours::kEccAggregate == NVML_AGGREGATE_ECC);
  CHECK(ours::kShutdownThreshold == NVML_TEMPERATURE_THRESHOLD_SHUTDOWN);
  CHECK(ours::kSlowdownThreshold == NVML_TEMPERATURE_THRESHOLD_SLOWDOWN);
  CHECK(ours::kMemoryTemperatureField == NVML_FI_DEV_MEMORY_TEMP);
  CHECK(ours::kUnsignedValue == NVML_VALUE_TYPE_UNSIGNED_INT);
  CHECK(NVML_GPU_VIRTUALIZATION_MODE_PASSTHROUGH == 1);
  CHECK(NVML_GPU_VIRTUALIZATION_MODE_HOST_VSGA == 4);
  CHECK(NVML_COMPUTEMODE_DEFAULT == 0);
  CHECK(NVML_COMPUTEMODE_PROHIBITED == 2);
  CHECK(NVML_COMPUTEMODE_EXCLUSIVE_PROCESS == 3);
}

TEST_CASE("NVML's reasons for low clocks are the bits that we declare") {
  CHECK(ours::kReasonIdle == static_cast<unsigned long long>(nvmlClocksThrottleReasonGpuIdle));
  CHECK(ours::kReasonApplicationsClocks ==
        static_cast<unsigned long long>(nvmlClocksThrottleReasonApplicationsClocksSetting));
  CHECK(ours::kReasonSwPowerCap == static_cast<unsigned long long>(nvmlClocksThrottleReasonSwPowerCap));
  CHECK(ours::kReasonHwSlowdown == static_cast<unsigned long long>(nvmlClocksThrottleReasonHwSlowdown));
  CHECK(ours::kReasonSyncBoost == static_cast<unsigned long long>(nvmlClocksThrottleReasonSyncBoost));
  CHECK(ours::kReasonSwThermal == static_cast<unsigned long long>(nvmlClocksThrottleReasonSwThermalSlowdown));
  CHECK(ours::kReasonHwThermal == static_cast<unsigned long long>(nvmlClocksThrottleReasonHwThermalSlowdown));
  CHECK(ours::kReasonHwPowerBrake == static_cast<unsigned long long>(nvmlClocksThrottleReasonHwPowerBrakeSlowdown));
  CHECK(ours::kReasonDisplayClock == static_cast<unsigned long long>(nvmlClocksThrottleReasonDisplayClockSetting));
}
#else
TEST_CASE("structures and numbers of NVML are as we declare them") {
  KGATE_SKIP("nvml.h was not found when this was built");
}
#endif
