#pragma once

// NVML's binary interface, as far as kgate uses it, in our own words: NVML is opened at run time and no header of
// NVIDIA's is needed to build. From "NVML API Reference Manual" (docs.nvidia.com/deploy/nvml-api); tests/fingerprint
// compares it with the real nvml.h where there is one. NVML keeps every function and structure that it ever had under a
// versioned name, so this holds for later drivers.
namespace kgate::fingerprint::nvml {

using Result = int;  // nvmlReturn_t
constexpr Result kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6, kInsufficientSize = 7;

struct OpaqueDevice;
using Device = OpaqueDevice*;  // nvmlDevice_t

struct Memory {  // nvmlMemory_t, bytes
  unsigned long long total, free, used;
};
struct Utilization {  // nvmlUtilization_t, per cent
  unsigned gpu, memory;
};
struct Process {  // nvmlProcessInfo_t as of nvmlDeviceGetComputeRunningProcesses_v3 (and _v2), and of the graphics ones
  unsigned pid;
  unsigned long long used_memory;  // bytes; all ones: not known
  unsigned gpu_instance, compute_instance;
};
struct ProcessUtilization {  // nvmlProcessUtilizationSample_t, per cent
  unsigned pid;
  unsigned long long time_us;
  unsigned sm, memory, encoder, decoder;
};

constexpr unsigned kClockSm = 1, kClockMemory = 2;  // nvmlClockType_t
constexpr unsigned kTemperatureGpu = 0;             // nvmlTemperatureSensors_t
constexpr unsigned kEccUncorrected = 1;             // nvmlMemoryErrorType_t
constexpr unsigned kEccVolatile = 0;                // nvmlEccCounterType_t
constexpr unsigned kStringLength = 96;              // NVML_DEVICE_NAME_V2_BUFFER_SIZE, the longest text asked for

// nvmlClocksThrottleReason*, called nvmlClocksEventReason* since CUDA 12.3.
constexpr unsigned long long kReasonIdle = 0x1, kReasonApplicationsClocks = 0x2, kReasonSwPowerCap = 0x4,
                             kReasonHwSlowdown = 0x8, kReasonSyncBoost = 0x10, kReasonSwThermal = 0x20,
                             kReasonHwThermal = 0x40, kReasonHwPowerBrake = 0x80, kReasonDisplayClock = 0x100;

// Pointers to the functions; null where this driver's NVML has none.
struct Functions {
  Result (*init)() = nullptr;
  Result (*shutdown)() = nullptr;
  const char* (*error_string)(Result) = nullptr;
  Result (*driver_version)(char*, unsigned) = nullptr;
  Result (*cuda_driver_version)(int*) = nullptr;
  Result (*device_count)(unsigned*) = nullptr;
  Result (*device_by_index)(unsigned, Device*) = nullptr;
  Result (*name)(Device, char*, unsigned) = nullptr;
  Result (*uuid)(Device, char*, unsigned) = nullptr;
  Result (*vbios_version)(Device, char*, unsigned) = nullptr;
  Result (*compute_capability)(Device, int*, int*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*applications_clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*temperature)(Device, unsigned, unsigned*) = nullptr;
  Result (*power)(Device, unsigned*) = nullptr;
  Result (*power_limit)(Device, unsigned*) = nullptr;
  Result (*default_power_limit)(Device, unsigned*) = nullptr;
  Result (*utilization)(Device, Utilization*) = nullptr;
  Result (*throttle_reasons)(Device, unsigned long long*) = nullptr;
  Result (*processes)(Device, unsigned*, Process*) = nullptr;
  Result (*graphics_processes)(Device, unsigned*, Process*) = nullptr;
  // Samples that are newer than the given time (us).
  Result (*process_utilization)(Device, ProcessUtilization*, unsigned*, unsigned long long) = nullptr;
  Result (*process_name)(unsigned, char*, unsigned) = nullptr;
  Result (*ecc_mode)(Device, unsigned*, unsigned*) = nullptr;
  Result (*ecc_errors)(Device, unsigned, unsigned, unsigned long long*) = nullptr;
  Result (*mig_mode)(Device, unsigned*, unsigned*) = nullptr;
  Result (*compute_mode)(Device, unsigned*) = nullptr;
  Result (*persistence_mode)(Device, unsigned*) = nullptr;
  Result (*pcie_generation)(Device, unsigned*) = nullptr;
  Result (*pcie_width)(Device, unsigned*) = nullptr;
};

}  // namespace kgate::fingerprint::nvml
