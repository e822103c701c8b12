#include "gate/verdict/timing/device_differences.h"

#include <algorithm>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/stats/robust.h"
#include "gate/verdict/timing/machine_record.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMostRecord = 1u << 20;
constexpr double kDeviations = 3;  // of the mean over the cases

// ln of the device's time over the middle one of the others', for each case of that bound that they know too.
std::vector<double> excesses(const std::vector<DeviceTimes>& devices, std::size_t which, const std::string& bound) {
  std::vector<double> found;
  for (const auto& [name, time] : devices[which].cases) {
    if (time.bound != bound || !(time.us > 0)) continue;
    std::vector<double> others;
    for (std::size_t i = 0; i < devices.size(); ++i) {
      const auto place = devices[i].cases.find(name);
      if (i != which && place != devices[i].cases.end() && place->second.us > 0)
        others.push_back(std::log(place->second.us));
    }
    if (!others.empty()) found.push_back(std::log(time.us) - stats::quantile(others, 0.5));
  }
  return found;
}

}  // namespace

std::vector<DeviceDifference> compare_devices(const std::vector<DeviceTimes>& devices) {
  std::set<std::string> bounds;
  for (const auto& device : devices) {
    for (const auto& [name, time] : device.cases) bounds.insert(time.bound);
  }
  std::vector<DeviceDifference> found;
  for (std::size_t which = 0; which < devices.size(); ++which) {
    for (const auto& bound : bounds) {
      const auto logs = excesses(devices, which, bound);
      if (logs.empty()) continue;
      const auto count = static_cast<double>(logs.size());
      double mean = 0, squares = 0;
      for (const double one : logs) mean += one / count;
      for (const double one : logs) squares += (one - mean) * (one - mean);
      const double deviation = logs.size() > 1 ? std::sqrt(squares / (count - 1) / count) : 0;
      const double error = std::max(kLeastDeviceError, kDeviations * deviation);
      if (mean > error) found.push_back({devices[which].device, bound, std::expm1(mean), error, logs.size()});
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.slower > b.slower; });
  return found;
}

DeviceTimes times_of(const Json& record, const std::string& device) {
  DeviceTimes times{device, {}};
  if (!record.is_object() || record.value("schema", Json()) != "kgate.noise/1") return times;
  const auto cases = record.find("cases");
  if (cases == record.end() || !cases->is_array()) return times;
  for (const Json& one : *cases) {
    const auto text = [&](const char* key) {
      const auto place = one.is_object() ? one.find(key) : one.end();
      return one.is_object() && place != one.end() && place->is_string() ? place->get<std::string>() : std::string();
    };
    const bool timed = one.is_object() && one.contains("us") && one["us"].is_number();
    if (!timed || text("kernel").empty()) continue;
    const double us = one["us"].get<double>();
    if (std::isfinite(us) && us > 0) times.cases[text("kernel") + ": " + text("case")] = {us, text("bound")};
  }
  return times;
}

std::vector<std::string> known_differences(const std::filesystem::path& state, const std::vector<std::string>& uuids) {
  std::vector<DeviceTimes> times;
  for (const auto& uuid : uuids) {
    const auto path = record_path(state, uuid);
    std::error_code unknown;
    if (path.empty() || !std::filesystem::is_regular_file(std::filesystem::symlink_status(path, unknown))) continue;
    try {
      times.push_back(times_of(parse_json(text_of(read_file(path, kMostRecord)), path.string()), uuid));
    } catch (const Error&) {
      // A run does not hang on what was learnt about its machine.
    }
  }
  std::vector<std::string> lines;
  for (const auto& one : compare_devices(times)) lines.push_back(words_of(one));
  return lines;
}

std::string words_of(const DeviceDifference& difference) {
  const std::string kernels = difference.bound.empty() ? "kernels" : difference.bound + "-bound kernels";
  return fmt::format("{} is {:.1f} % slower (+- {:.1f} %) on {} than the others", difference.device,
                     100 * difference.slower, 100 * difference.error, kernels);
}

}  // namespace kgate::verdict
