#include "fingerprint/fingerprint.h"

#include <memory>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "fingerprint/environment.h"
#include "fingerprint/gpu_fields.h"
#include "fingerprint/host.h"
#include "fingerprint/nvml_ask.h"
#include "fingerprint/nvrtc_file.h"

namespace kgate::fingerprint {
namespace {

constexpr std::size_t kClassDigits = 16;

Json or_unknown(const std::string& value, const char* why) {
  return value.empty() ? unknown(why) : value;
}

Json toolkit_axis(const Toolkit& toolkit) {
  const char* none = "no libnvrtc.so was found";
  const NvrtcFile file = read_nvrtc_file(toolkit.nvrtc);
  Json axis = Json::object();
  axis["nvrtc"] = or_unknown(toolkit.nvrtc_version, none);
  axis["nvrtc_library"] = or_unknown(toolkit.nvrtc, none);
  axis["nvrtc_build_id"] = file.build_id;
  axis["ptxas"] = file.ptxas;
  axis["root"] = toolkit.root.empty() && !toolkit.nvrtc.empty() ? Json("the distribution's folders")
                                                                : or_unknown(toolkit.root, none);
  axis["include_dirs"] = toolkit.include_dirs;
  axis["host_compiler"] = or_unknown(toolkit.host_compiler_version, "no C++ compiler was found");
  axis["host_compiler_path"] = or_unknown(toolkit.host_compiler, "no C++ compiler was found");
  return axis;
}

Json cuda_version(const Nvml& nvml) {
  const char* name = "nvmlSystemGetCudaDriverVersion_v2";
  int version = 0;
  const std::string why = refusal(nvml.functions(), name, nvml.functions().cuda_driver_version, &version);
  return why.empty() ? fmt::format("{}.{}", version / 1000, version % 1000 / 10) : unknown(why);
}

void add_gpu(Json& fingerprint, const std::string& wanted) {
  const auto nothing = [&fingerprint](const std::string& why) {
    fingerprint["device"] = {{"kind", "cuda"}, {"name", unknown(why)}};
    fingerprint["state"] = {{"readable", unknown(why)}};
  };
  std::string why_not;
  const std::unique_ptr<Nvml> nvml = Nvml::open(&why_not);
  if (!nvml) {
    fingerprint["driver"] = {{"version", unknown(why_not)}, {"cuda", unknown(why_not)}};
    return nothing(why_not);
  }
  fingerprint["driver"] = {{"version", nvml->driver_version()}, {"cuda", cuda_version(*nvml)}};
  try {
    const GpuChoice choice = choose_gpu(*nvml, wanted);
    fingerprint["device"] = gpu_fields(*nvml, choice, "/");
    fingerprint["state"] = state_fields(*nvml, choice);
  } catch (const Error& error) {
    // A fingerprint is taken to find out what is wrong too: it says what it could not read, the run fails where it
    // needs the GPU.
    nothing(error.subject() + ": " + error.fact());
  }
}

Json field_of(const Json& fingerprint, const std::string& axis, const std::string& field) {
  if (!fingerprint.is_object()) return nullptr;
  const auto found = fingerprint.find(axis);
  if (found == fingerprint.end() || !found->is_object()) return nullptr;
  const auto value = found->find(field);
  return value == found->end() ? Json(nullptr) : *value;
}

// Names of processes, of variables' values and of devices are anybody's bytes, and a fingerprint is JSON.
Json in_utf8(const Json& value) {
  return Json::parse(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace

Json take_fingerprint(const FingerprintOptions& options, const Toolkit& toolkit) {
  Json fingerprint = {{"schema", kFingerprintSchema}};
  fingerprint["toolkit"] = toolkit_axis(toolkit);
  fingerprint["host"] = describe_host("/");
  fingerprint["environment"] = environment_fields(options.environment);
  if (options.use_gpu) {
    add_gpu(fingerprint, options.device);
  } else {
    fingerprint["driver"] = {{"version", unknown("the host backend needs no driver")}};
    fingerprint["device"] = {
        {"kind", "host"}, {"name", fingerprint["host"]["processor"]}, {"architecture", fingerprint["host"]["machine"]}};
    fingerprint["state"] = Json::object();
  }
  return in_utf8(fingerprint);
}

std::vector<std::pair<std::string, std::string>> class_fields(const Json& fingerprint) {
  if (field_of(fingerprint, "device", "kind") == "host") return {{"device", "name"}, {"toolkit", "host_compiler"}};
  std::vector<std::pair<std::string, std::string>> fields{{"device", "name"},         {"device", "architecture"},
                                                          {"device", "memory_bytes"}, {"device", "mig"},
                                                          {"driver", "version"},      {"toolkit", "nvrtc"}};
  // Two instances of one memory size may have different shares of the multiprocessors.
  const Json profile = field_of(fingerprint, "device", "mig_profile");
  if (!profile.is_null() && profile != "none") {
    fields.emplace_back("device", "mig_profile");
    fields.emplace_back("device", "multiprocessors");
  }
  return fields;
}

std::string class_of(const Json& fingerprint) {
  Json parts = Json::array({"kgate.class/1", field_of(fingerprint, "device", "kind")});
  for (const auto& [axis, field] : class_fields(fingerprint)) parts.push_back(field_of(fingerprint, axis, field));
  return sha256_hex(canonical_json(parts)).substr(0, kClassDigits);
}

std::string hardware_of(const Json& fingerprint) {
  Json parts = Json::array({"kgate.hardware/1", field_of(fingerprint, "device", "kind")});
  for (const auto& [axis, field] : class_fields(fingerprint)) {
    if (axis == "device") parts.push_back(field_of(fingerprint, axis, field));
  }
  return sha256_hex(canonical_json(parts)).substr(0, kClassDigits);
}

}  // namespace kgate::fingerprint
