#include "bench/history.h"

#include <cmath>

#include <fmt/format.h>

#include "base/philox.h"
#include "fingerprint/fingerprint.h"

namespace kgate::bench {
namespace {

constexpr double kBadNight = 1.2;

double normal(RandomStream& random) {
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(6.283185307179586 * random.uniform());
}

// An H200's: what makes the class, and what stays the same.
Json h200() {
  return {{"schema", fingerprint::kFingerprintSchema},
          {"driver", {{"version", "580.82.07"}, {"cuda", "13.0"}}},
          {"toolkit", {{"nvrtc", "13.0"}, {"ptxas", "13.0.88"}, {"host_compiler", "g++ 12.2.0"}}},
          {"device",
           {{"kind", "cuda"},
            {"name", "NVIDIA H200"},
            {"architecture", "sm_90"},
            {"memory_bytes", 150754820096},
            {"mig", "disabled"},
            {"mig_profile", "none"},
            {"uuid", "GPU-00000000-1111-2222-3333-444444444444"},
            {"vbios", "96.00.BB.00.02"},
            {"power_limit_mw", 700000}}},
          {"state", Json::object()},
          {"host", {{"kernel", "Linux 6.1.0"}, {"processor", "a processor"}, {"machine", "x86_64"}}},
          {"environment", Json::object()}};
}

}  // namespace

std::string SimulatedHistory::kernel_name(std::int64_t kernel) {
  return fmt::format("kernel_{:03}", kernel);
}

std::string SimulatedHistory::bound_of(std::int64_t kernel) {
  return kernel % 4 == 0 ? "memory" : kernel % 4 == 1 ? "compute" : "";
}

double SimulatedHistory::level(std::int64_t kernel, std::int64_t one) {
  return 10.0 + static_cast<double>(kernel) * 3.7 + static_cast<double>(one) * 1.3;
}

drift::NightFigures SimulatedHistory::night(std::int64_t number) const {
  const Json print = fingerprint_of(number);
  drift::NightFigures night;
  night.time = drift::day_text(*drift::day_from(first_night) + number) + "T02:00:00Z";
  night.device_class = fingerprint::class_of(print);
  night.hardware = fingerprint::hardware_of(print);
  night.device_name = print["device"]["name"];
  night.architecture = print["device"]["architecture"];
  night.backend = print["device"]["kind"];
  night.commit = std::string(40, '0');
  RandomStream of_night(seed, static_cast<std::uint64_t>(number) << 20U);
  if (of_night.uniform() < missing || (number >= gap && number < gap + gap_nights)) return night;
  const bool is_bad = of_night.uniform() < bad;
  for (std::int64_t k = 0; k < kernels; ++k) {
    drift::NightKernel kernel;
    kernel.accepted = 1 + k;
    kernel.code = "sha256:" + std::string(64, 'c');
    kernel.compiled_here = night.backend == "host";
    double ratio = is_bad ? kBadNight : 1;
    for (const PlantedChange& change : changes) {
      const bool its =
          change.kernel.empty() ? change.bound.empty() || change.bound == bound_of(k) : change.kernel == kernel_name(k);
      if (number < change.night || !its) continue;
      ratio *= change.ratio;
      if (change.accepted != 0) kernel.accepted = change.accepted;
    }
    for (std::int64_t c = 0; c < cases; ++c) {
      RandomStream random(seed,
                          (static_cast<std::uint64_t>(number) << 20U) + static_cast<std::uint64_t>(1 + k * cases + c));
      kernel.cases[fmt::format("case_{}", c)] = {
          level(k, c) * ratio * std::exp(noise * normal(random)), 0.004, 60, 2, 30, "graph"};
    }
    night.kernels[kernel_name(k)] = std::move(kernel);
  }
  return night;
}

Json SimulatedHistory::fingerprint_of(std::int64_t number) const {
  Json print = fingerprint.empty() ? h200() : fingerprint;
  if (print["device"]["kind"] == "host") return print;
  if (fingerprint.empty()) print["device"]["name"] = gpu;
  print["driver"]["version"] = driver;
  for (const PlantedChange& change : changes) {
    if (number >= change.night && !change.driver.empty()) print["driver"]["version"] = change.driver;
  }
  return print;
}

}  // namespace kgate::bench
