#pragma once

// NVML's binary interface, as far as kgate uses it, in our own words: NVML is opened at run time and no header of
// NVIDIA's is needed to build. From "NVML API Reference Manual" (docs.nvidia.com/deploy/nvml-api); tests/fingerprint
// compares it with the real nvml.h where there is one. NVML keeps every function and structure that it ever had under a
// versioned name, so this holds for later drivers.
namespace kgate::fingerprint::nvml {

using Result = int;  // nvmlReturn_t
constexpr Result kSuccess = 0, kNotSupported = 3, kNoPermission = 4, kNotFound = 6, kInsufficientSize = 7,
                 kGpuIsLost = 15;

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
struct PciAddress {  // nvmlPciInfo_t as of nvmlDeviceGetPciInfo_v3
  char legacy_text[16];
  unsigned domain, bus, device, identity, subsystem;
  char text[32];
};
struct Attributes {  // nvmlDeviceAttributes_t as of nvmlDeviceGetAttributes_v2, of a MIG instance
  unsigned multiprocessors, copy_engines, decoders, encoders, jpeg_engines, optical_flow_engines;
  unsigned gpu_slices, compute_slices;
  unsigned long long memory_mib;
};
struct FieldValue {  // nvmlFieldValue_t
  unsigned field, scope;
  long long time_us, latency_us;
  unsigned type;
  Result result;
  union {
    double as_double;
    unsigned as_unsigned;
    unsigned long long as_long;
  } value;
};

constexpr unsigned kClockSm = 1, kClockMemory = 2;                  // nvmlClockType_t
constexpr unsigned kTemperatureGpu = 0;                             // nvmlTemperatureSensors_t
constexpr unsigned kShutdownThreshold = 0, kSlowdownThreshold = 1;  // nvmlTemperatureThresholds_t
constexpr unsigned kEccCorrected = 0, kEccUncorrected = 1;          // nvmlMemoryErrorType_t
constexpr unsigned kEccVolatile = 0, kEccAggregate = 1;  // nvmlEccCounterType_t: since the driver's start, ever
constexpr unsigned kMemoryTemperatureField = 82;         // NVML_FI_DEV_MEMORY_TEMP
constexpr unsigned kUnsignedValue = 1;                   // NVML_VALUE_TYPE_UNSIGNED_INT
constexpr unsigned kStringLength = 96;                   // NVML_DEVICE_NAME_V2_BUFFER_SIZE, the longest text asked for

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
  Result (*inforom_version)(Device, char*, unsigned) = nullptr;
  Result (*gsp_version)(Device, char*) = nullptr;              // at most 80 characters
  Result (*gsp_mode)(Device, unsigned*, unsigned*) = nullptr;  // is on, is on by default
  Result (*virtualization_mode)(Device, unsigned*) = nullptr;
  Result (*core_count)(Device, unsigned*) = nullptr;  // CUDA cores, not multiprocessors
  Result (*attributes)(Device, Attributes*) = nullptr;
  Result (*compute_capability)(Device, int*, int*) = nullptr;
  Result (*memory)(Device, Memory*) = nullptr;
  Result (*clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*max_clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*memory_bus_width)(Device, unsigned*) = nullptr;  // bits
  Result (*applications_clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*default_applications_clock)(Device, unsigned, unsigned*) = nullptr;
  Result (*temperature_threshold)(Device, unsigned, unsigned*) = nullptr;
  Result (*field_values)(Device, int, FieldValue*) = nullptr;
  Result (*performance_state)(Device, unsigned*) = nullptr;
  Result (*temperature)(Device, unsigned, unsigned*) = nullptr;
  Result (*power)(Device, unsigned*) = nullptr;
  Result (*power_limit)(Device, unsigned*) = nullptr;
  Result (*default_power_limit)(Device, unsigned*) = nullptr;
  Result (*power_limit_range)(Device, unsigned*, unsigned*) = nullptr;
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
  Result (*most_mig_instances)(Device, unsigned*) = nullptr;
  Result (*mig_instance)(Device, unsigned, Device*) = nullptr;
  Result (*compute_mode)(Device, unsigned*) = nullptr;
  Result (*persistence_mode)(Device, unsigned*) = nullptr;
  Result (*pcie_generation)(Device, unsigned*) = nullptr;
  Result (*pcie_width)(Device, unsigned*) = nullptr;
  Result (*most_pcie_generation)(Device, unsigned*) = nullptr;
  Result (*most_pcie_width)(Device, unsigned*) = nullptr;
  Result (*pci_address)(Device, PciAddress*) = nullptr;
};

}  // namespace kgate::fingerprint::nvml
