#include "fingerprint/fingerprint.h"

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "fingerprint/host.h"
#include "fingerprint/nvml.h"

namespace kgate::fingerprint {
namespace {

constexpr std::array kAxes{"driver", "toolkit", "device", "host", "state"};
constexpr std::size_t kClassDigits = 16;

Json or_unknown(const std::string& value, const char* why) {
  return value.empty() ? fmt::format("unknown, because {}", why) : value;
}

Json toolkit_axis(const Toolkit& toolkit) {
  const char* none = "no libnvrtc.so was found";
  Json axis = Json::object();
  axis["nvrtc"] = or_unknown(toolkit.nvrtc_version, none);
  axis["nvrtc_library"] = or_unknown(toolkit.nvrtc, none);
  axis["root"] = toolkit.root.empty() && !toolkit.nvrtc.empty() ? Json("the distribution's folders")
                                                                : or_unknown(toolkit.root, none);
  axis["include_dirs"] = toolkit.include_dirs;
  axis["host_compiler"] = or_unknown(toolkit.host_compiler_version, "no C++ compiler was found");
  axis["host_compiler_path"] = or_unknown(toolkit.host_compiler, "no C++ compiler was found");
  return axis;
}

Json optional_number(const std::optional<unsigned>& value) {
  return value ? Json(*value) : Json("unknown, because NVML does not tell it here");
}

Json state_axis(const GpuState& state) {
  Json processes = Json::array();
  for (const GpuProcess& process : state.processes)
    processes.push_back({{"pid", process.pid}, {"memory_bytes", process.memory_bytes}, {"name", process.name}});
  return {{"sm_clock_mhz", optional_number(state.sm_clock_mhz)},
          {"memory_clock_mhz", optional_number(state.memory_clock_mhz)},
          {"temperature_c", optional_number(state.temperature_c)},
          {"power_mw", optional_number(state.power_mw)},
          {"power_limit_mw", optional_number(state.power_limit_mw)},
          {"utilisation_percent", optional_number(state.utilisation_percent)},
          {"throttle_reasons", state.throttle_reasons},
          {"processes", processes}};
}

unsigned find_index(const Nvml& nvml, const std::string& wanted) {
  const std::vector<GpuIdentity> devices = nvml.devices();
  if (devices.empty()) throw Error(ErrorKind::environment, "nvml", "it lists no GPU", "look at nvidia-smi");
  if (wanted.empty()) return devices.front().index;
  for (const GpuIdentity& device : devices) {
    const bool by_uuid = wanted.size() > 4 && device.uuid.rfind(wanted, 0) == 0;
    if (by_uuid || std::to_string(device.index) == wanted) return device.index;
  }
  throw Error(ErrorKind::environment, "device " + wanted,
              fmt::format("is not among the {} GPUs that NVML lists", devices.size()), "list them with nvidia-smi -L");
}

void add_gpu(Json& fingerprint, const std::string& wanted) {
  std::string why_not;
  const std::unique_ptr<Nvml> nvml = Nvml::open(&why_not);
  const auto unknown = [&](const std::string& why) { return Json("unknown, because " + why); };
  if (!nvml) {
    fingerprint["driver"] = {{"version", unknown(why_not)}, {"cuda", unknown(why_not)}};
    fingerprint["device"] = {{"kind", "cuda"}, {"name", unknown(why_not)}};
    fingerprint["state"] = {{"readable", unknown(why_not)}};
    return;
  }
  const int cuda = nvml->cuda_driver_version();
  fingerprint["driver"] = {{"version", nvml->driver_version()},
                           {"cuda", cuda > 0 ? Json(fmt::format("{}.{}", cuda / 1000, cuda % 1000 / 10))
                                             : unknown("NVML does not tell it")}};
  try {
    const unsigned index = find_index(*nvml, wanted);
    fingerprint["device"] = nvml->describe(index);
    fingerprint["device"]["kind"] = "cuda";
    fingerprint["state"] = state_axis(nvml->state(index));
  } catch (const Error& error) {
    // A fingerprint is taken to find out what is wrong too: it says what it could not read, the run fails where it
    // needs the GPU.
    fingerprint["device"] = {{"kind", "cuda"}, {"name", unknown(error.subject() + ": " + error.fact())}};
    fingerprint["state"] = {{"readable", unknown(error.subject() + ": " + error.fact())}};
  }
}

Json field_of(const Json& fingerprint, const char* axis, const char* field) {
  if (!fingerprint.is_object()) return nullptr;
  const auto found = fingerprint.find(axis);
  if (found == fingerprint.end() || !found->is_object()) return nullptr;
  const auto value = found->find(field);
  return value == found->end() ? Json(nullptr) : *value;
}

std::string text_of_value(const Json& value) {
  if (value.is_null()) return "absent";
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

void compare_axis(const char* axis, const Json& before, const Json& after, std::vector<Difference>& differences) {
  std::set<std::string> fields;
  for (const Json* side : {&before, &after}) {
    if (!side->is_object()) continue;
    for (const auto& [field, value] : side->items()) fields.insert(field);
  }
  for (const std::string& field : fields) {
    const auto value = [&field](const Json& side) {
      return side.is_object() && side.contains(field) ? side[field] : Json(nullptr);
    };
    if (value(before) != value(after))
      differences.push_back({axis, field, text_of_value(value(before)), text_of_value(value(after))});
  }
}

}  // namespace

Json take_fingerprint(const FingerprintOptions& options, const Toolkit& toolkit) {
  Json fingerprint = Json::object();
  fingerprint["toolkit"] = toolkit_axis(toolkit);
  fingerprint["host"] = describe_host("/");
  if (options.use_gpu) {
    add_gpu(fingerprint, options.device);
  } else {
    fingerprint["driver"] = {{"version", "unknown, because the host backend needs no driver"}};
    fingerprint["device"] = {
        {"kind", "host"}, {"name", fingerprint["host"]["processor"]}, {"architecture", fingerprint["host"]["machine"]}};
    fingerprint["state"] = Json::object();
  }
  return fingerprint;
}

std::string class_of(const Json& fingerprint) {
  const Json kind = field_of(fingerprint, "device", "kind");
  Json parts = Json::array({"kgate.class/1", kind});
  if (kind == "host") {
    parts.push_back(field_of(fingerprint, "device", "name"));
    parts.push_back(field_of(fingerprint, "toolkit", "host_compiler"));
  } else {
    for (const char* field : {"name", "architecture", "memory_bytes", "mig"})
      parts.push_back(field_of(fingerprint, "device", field));
    parts.push_back(field_of(fingerprint, "driver", "version"));
    parts.push_back(field_of(fingerprint, "toolkit", "nvrtc"));
  }
  return sha256_hex(canonical_json(parts)).substr(0, kClassDigits);
}

std::vector<Difference> compare(const Json& before, const Json& after) {
  std::vector<Difference> differences;
  const auto axis_of = [](const Json& side, const char* axis) {
    return side.is_object() && side.contains(axis) ? side[axis] : Json(nullptr);
  };
  for (const char* axis : kAxes) compare_axis(axis, axis_of(before, axis), axis_of(after, axis), differences);
  return differences;
}

}  // namespace kgate::fingerprint
