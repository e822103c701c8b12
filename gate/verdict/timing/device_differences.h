#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"

namespace kgate::verdict {

// The GPUs of one host are not the same: cooling, a slower memory stack, a neighbour on the same switch. What kgate
// doctor
// --noise found on each (kernels by themselves, in the same versions) is compared, so that nobody takes a GPU for a
// change. Absolute times agree from process to process within 0.2 to 1 % on an H200 (docs/statistics.md): that is the
// least error of a difference.
constexpr double kLeastDeviceError = 0.01;

struct KernelTime {
  double us = 0;
  std::string bound;  // "memory", "compute", or empty
};
struct DeviceTimes {
  std::string device;                       // as it is told
  std::map<std::string, KernelTime> cases;  // by kernel and case
};

struct DeviceDifference {
  std::string device, bound;
  double slower = 0;  // than the middle one of the others, over the cases of that bound; 0.024 is 2.4 %
  double error = 0;
  std::size_t cases = 0;
};

// Only what is slower by more than its error; the slowest first. Pure.
std::vector<DeviceDifference> compare_devices(const std::vector<DeviceTimes>& devices);

// From a kgate.noise/1 record, without the cases that failed; nothing where it is none.
DeviceTimes times_of(const Json& record, const std::string& device);

// What the records of these GPUs below kgate's state folder say, in words; those that are not there or cannot be read
// are left out.
std::vector<std::string> known_differences(const std::filesystem::path& state, const std::vector<std::string>& uuids);

// "GPU 3 is 2.4 % slower (+- 1 %) on memory-bound kernels than the others"
std::string words_of(const DeviceDifference& difference);

}  // namespace kgate::verdict
