#include "tests/drift/made_up.h"

#include <fmt/format.h>

using namespace kgate;
using namespace kgate::drift;

namespace made_up {
namespace {

constexpr std::int64_t kNights = 40, kDriver = 12, kVersion = 22, kBad = 17, kGap = 26, kGapNights = 9;

bool is_missing(std::int64_t night) {
  return night == 4 || (night >= kGap && night < kGap + kGapNights);
}

double wobble(std::int64_t night) {
  return 1 + 0.0008 * static_cast<double>(night * 37 % 11 - 5);
}

void add_nights(Drift& drift, std::int64_t count, const std::function<bool(std::int64_t)>& is_there) {
  for (std::int64_t i = 0; i < count; ++i) {
    if (!is_there(i)) continue;
    Night night;
    night.day = kFirst + i;
    night.time = day_text(night.day) + "T02:00:00Z";
    night.device_class = "0123456789abcdef";
    night.driver = i < kDriver ? "580.82.07" : "580.95.05";
    night.toolkit = "13.0";
    night.origin = fmt::format("record {}", i + 1);
    drift.nights.push_back(night);
  }
}

}  // namespace

Series series(const std::string& name, std::int64_t nights, const std::function<double(std::int64_t)>& us) {
  Series one;
  one.name = name;
  std::size_t night = 0;
  for (std::int64_t i = 0; i < nights; ++i) {
    if (us(i) != 0) one.points.push_back({kFirst + i, us(i), 7, night++, false});
  }
  if (!one.points.empty()) one.level_us = one.points.back().us;
  return one;
}

Drift empty() {
  Drift drift;
  drift.time = "2026-02-02T02:30:00Z";
  drift.profile = "nightly";
  drift.tool_version = "0.1.0";
  drift.tool_commit = "0123456";
  drift.branch = "kgate/history";
  drift.hardware = {"0123456789abcdef", "a made-up GPU", "sm_90", "cuda", ""};
  return drift;
}

Drift forty_days() {
  Drift drift = empty();
  drift.sequence = kNights;
  drift.digest = "sha256:" + std::string(64, 'a');
  add_nights(drift, kNights, [](std::int64_t i) { return !is_missing(i); });

  Kernel sum;
  sum.name = "sum";
  sum.verdict = verdict::Verdict::regressed;
  sum.cause = Cause::machine;
  sum.reason = "wide: +4.0 % since 2026-01-13, driver 580.82.07 -> 580.95.05";
  for (const char* const name : {"wide", "tall"}) {
    sum.cases.push_back(series(name, kNights, [](std::int64_t i) {
      return is_missing(i) ? 0 : 100 * wobble(i) * (i < kDriver ? 1 : 1.04) * (i == kBad ? 1.2 : 1);
    }));
    sum.cases.back().bound = "memory";
    sum.cases.back().changes.push_back(
        {11, kFirst + kDriver - 1, kFirst + kDriver, 1.04, 1.038, 1.042, 1e-9, 11, 14, 0});
    sum.cases.back().against.push_back({"accepted", 7, "v1.4", kFirst, 100, 1.04, 1.038, 1.042, 11, 14, 1.04});
    sum.cases.back().against.push_back({"last-release", 7, "v1.4", kFirst, 100, 1.04, 1.038, 1.042, 11, 14, 1.04});
  }
  Kernel scale;
  scale.name = "scale";
  scale.cases.push_back(series("n", kNights, [](std::int64_t i) {
    return is_missing(i) ? 0 : 20 * wobble(i) * (i < kVersion ? 1 : 0.9) * (i == kBad ? 1.2 : 1);
  }));
  Series& faster = scale.cases.back();
  for (auto& point : faster.points) point.accepted = point.day < kFirst + kVersion ? 3 : 9;
  faster.changes.push_back({21, kFirst + kVersion - 1, kFirst + kVersion, 0.9, 0.898, 0.902, 1e-9, 20, 6, 1});
  faster.against.push_back({"accepted", 9, "", kFirst + kVersion - 1, 18, 1, 0, 1e300 * 1e300, 1, 0, 1});
  Kernel lost;
  lost.name = "softmax";
  lost.verdict = verdict::Verdict::environment;
  lost.reason = "the GPU fell off the bus";
  lost.blocks = true;
  drift.kernels = {scale, lost, sum};

  Event driver;
  driver.last_before = kFirst + kDriver - 1;
  driver.day = kFirst + kDriver;
  driver.differences = {{"driver", "version", "580.82.07", "580.95.05", "may change times"}};
  driver.ratio = driver.lowest = driver.highest = 1.04;
  driver.bound = "memory";
  driver.kernels = {"sum"};
  driver.of_kernels = 2;
  Event version = driver;
  version.last_before = kFirst + kVersion - 1;
  version.day = kFirst + kVersion;
  version.cause = Cause::version;
  version.differences.clear();
  version.records = {9};
  version.ratio = version.lowest = version.highest = 0.9;
  version.bound.clear();
  version.kernels = {"scale"};
  drift.events = {driver, version};
  drift.notes = {"nights of another kind of GPU are there too: another one (fedcba9876543210)"};
  drift.verdict = verdict::Verdict::environment;
  drift.exit_code = 5;
  drift.reason = "softmax: the GPU fell off the bus";
  return drift;
}

Drift one_night() {
  Drift drift = empty();
  add_nights(drift, 1, [](std::int64_t) { return true; });
  Kernel sum;
  sum.name = "sum";
  sum.cases.push_back(series("wide", 1, [](std::int64_t) { return 12.5; }));
  drift.kernels = {sum};
  return drift;
}

}  // namespace made_up
