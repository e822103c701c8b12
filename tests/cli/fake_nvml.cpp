// A libnvidia-ml.so.1 for machines without one. FAKE_NVML says which: "denied" lets nobody in; "mig" has one GPU in MIG
// mode with two instances; else one whole GPU.
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

using Device = void*;
constexpr int kOk = 0, kInvalid = 2, kNotSupported = 3, kNoPermission = 4;

bool is(const char* which) {
  const char* given = std::getenv("FAKE_NVML");
  return given != nullptr && std::strcmp(given, which) == 0;
}

Device handle(unsigned number) {
  return reinterpret_cast<Device>(static_cast<unsigned long>(16) * (number + 1));
}

int say(char* text, unsigned length, const char* words) {
  std::snprintf(text, length, "%s", words);
  return kOk;
}

}  // namespace

extern "C" {

int nvmlInit_v2() {
  return is("denied") ? kNoPermission : kOk;
}
int nvmlShutdown() {
  return kOk;
}
const char* nvmlErrorString(int result) {
  return result == kNoPermission ? "Insufficient Permissions" : "Not Supported";
}
int nvmlSystemGetDriverVersion(char* text, unsigned length) {
  return say(text, length, "580.82.07");
}
int nvmlSystemGetCudaDriverVersion_v2(int* version) {
  *version = 13000;
  return kOk;
}
int nvmlDeviceGetCount_v2(unsigned* count) {
  *count = 1;
  return kOk;
}
int nvmlDeviceGetHandleByIndex_v2(unsigned index, Device* device) {
  *device = handle(index);
  return index == 0 ? kOk : kInvalid;
}
int nvmlDeviceGetName(Device device, char* text, unsigned length) {
  return say(text, length, device == handle(0) ? "NVIDIA H200" : "NVIDIA H200 MIG 1g.18gb");
}
int nvmlDeviceGetUUID(Device device, char* text, unsigned length) {
  return say(text, length, device == handle(0) ? "GPU-1" : device == handle(1) ? "MIG-1" : "MIG-2");
}
int nvmlDeviceGetCudaComputeCapability(Device, int* major, int* minor) {
  *major = 9;
  *minor = 0;
  return kOk;
}
int nvmlDeviceGetMemoryInfo(Device, unsigned long long* memory) {
  memory[0] = memory[1] = 150754820096;
  memory[2] = 0;
  return kOk;
}
int nvmlDeviceGetMigMode(Device, unsigned* current, unsigned* pending) {
  *current = *pending = is("mig") ? 1 : 0;
  return kOk;
}
int nvmlDeviceGetMaxMigDeviceCount(Device, unsigned* count) {
  *count = is("mig") ? 2 : 0;
  return kOk;
}
int nvmlDeviceGetMigDeviceHandleByIndex(Device, unsigned index, Device* instance) {
  *instance = handle(index + 1);
  return index < 2 ? kOk : kInvalid;
}
}
