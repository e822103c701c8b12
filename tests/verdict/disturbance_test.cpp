#include "gate/verdict/timing/disturbance.h"

#include "tests/support/catch.h"

using namespace kgate;
using fingerprint::GpuProcess;
using fingerprint::GpuState;
using verdict::Look;
using verdict::Ours;

namespace {

GpuState with(std::vector<GpuProcess> processes, bool tells_utilisation = false) {
  GpuState state;
  state.processes = std::move(processes);
  state.tells_utilisation = tells_utilisation;
  return state;
}

GpuState hot(std::vector<std::string> reasons, unsigned temperature_c) {
  GpuState state;
  state.throttle_reasons = std::move(reasons);
  state.temperature_c = temperature_c;
  return state;
}

// Looks at 0, 0.1, 0.2, ... s.
std::deque<Look> looks_of(const std::vector<GpuState>& states) {
  std::deque<Look> looks;
  for (const auto& state : states) looks.push_back({0.1 * static_cast<double>(looks.size()), state});
  return looks;
}

GpuProcess process(unsigned pid, std::uint64_t memory = 0, std::optional<unsigned> use = std::nullopt) {
  return {pid, memory, "python3", use};
}

// Ours is pid 10, all the time, and NVML was seen to show it so.
Ours recognised() {
  return {{{10, 0}}, true, true, {}};
}
// Two of ours, which NVML shows under numbers that are not known; 7 was there before.
Ours foreign_numbers() {
  return {{{10, 0}, {11, 0}}, false, true, {7}};
}

}  // namespace

TEST_CASE("nothing disturbs a window in which our own processes work and others merely have a context") {
  const auto state = with({process(10, 500, 100), process(20, 300, 0)}, true);
  CHECK(verdict::disturbance(looks_of({state, state, state}), recognised(), 0.05, 0.15).empty());
  CHECK(verdict::disturbance({}, recognised(), 0, 1).empty());
}

TEST_CASE("a neighbour that uses the GPU within a window is named, with what it used at most") {
  const auto quiet = with({process(10, 0, 90), process(4242, 0, 0)}, true);
  const auto busy = with({process(10, 0, 60), process(4242, 0, 37)}, true);
  const auto looks = looks_of({quiet, busy, quiet, quiet, quiet, quiet, quiet, quiet});
  CHECK(verdict::disturbance(looks, recognised(), 0.05, 0.15) ==
        "another process used the GPU: python3 (pid 4242, 37 %)");
  // What a look tells was used before it: a window after it is clean.
  CHECK(verdict::disturbance(looks, recognised(), 0.15, 0.25).empty());
}

TEST_CASE("what a neighbour used is told after the window's end, and still counts") {
  const auto untold = with({process(4242)}, true);
  const auto busy = with({process(4242, 0, 5)}, true);
  const auto looks = looks_of({untold, untold, untold, untold, busy, untold, untold});
  CHECK(verdict::disturbance(looks, recognised(), 0.02, 0.08) ==
        "another process used the GPU: python3 (pid 4242, 5 %)");
  CHECK(verdict::disturbance({looks.begin(), looks.begin() + 3}, recognised(), 0.02, 0.08).empty());
}

TEST_CASE("a graphics process that loads the GPU disturbs like any other") {
  auto state = with({process(10, 0, 90)}, true);
  state.without_compute = {{900, 0, "Xorg", 12}};
  CHECK(verdict::disturbance(looks_of({state, state}), recognised(), 0.01, 0.09) ==
        "another process used the GPU: Xorg (pid 900, 12 %)");
}

TEST_CASE("where NVML tells no utilisation, a neighbour disturbs when it comes, goes or its memory changes") {
  const auto alone = with({process(10)}), sits = with({process(10), process(20, 300)}),
             grown = with({process(10), process(20, 400)});
  const auto said = [&](const GpuState& before, const GpuState& after) {
    return verdict::disturbance(looks_of({before, after}), recognised(), 0.02, 0.08);
  };
  CHECK(said(sits, sits).empty());
  CHECK(said(alone, sits) == "another process used the GPU: python3 (pid 20, it came)");
  CHECK(said(sits, alone) == "another process used the GPU: python3 (pid 20, it went)");
  CHECK(said(sits, grown) == "another process used the GPU: python3 (pid 20, its memory changed)");
  // Our own come, go and grow as they like.
  CHECK(said(with({}), with({process(10, 100)})).empty());
}

TEST_CASE("an outside brake disturbs, and is told with the temperature") {
  const GpuState calm;
  for (const std::string reason :
       {"hw_slowdown", "hw_thermal_slowdown", "hw_power_brake_slowdown", "sw_thermal_slowdown"}) {
    const auto looks = looks_of({calm, hot({"sw_power_cap", reason}, 91), calm, calm, calm});
    CHECK(verdict::disturbance(looks, {}, 0.05, 0.15) == "the GPU was braked from outside: " + reason + " at 91 C");
    CHECK(verdict::disturbance(looks, {}, 0.25, 0.35).empty());
  }
}

TEST_CASE("the power cap is the arms' own cost: no disturbance, but told") {
  const auto capped = hot({"sw_power_cap", "applications_clocks_setting"}, 70);
  const auto looks = looks_of({capped, capped, GpuState{}, GpuState{}, GpuState{}});
  CHECK(verdict::disturbance(looks, {}, 0, 0.1).empty());
  CHECK(verdict::power_capped(looks, 0, 0.1));
  CHECK(!verdict::power_capped(looks, 0.25, 0.35));
}

TEST_CASE("new memory errors that ECC cannot correct disturb, old ones do not") {
  GpuState old, fresh;
  old.uncorrected_ecc_errors = 5;
  fresh.uncorrected_ecc_errors = 7;
  CHECK(verdict::disturbance(looks_of({old, old}), {}, 0.02, 0.08).empty());
  CHECK(verdict::disturbance(looks_of({old, GpuState{}, fresh}), {}, 0.02, 0.18) ==
        "the GPU's memory had 2 new uncorrected error(s)");
}

TEST_CASE("a window between two looks is judged by both, and a look far from it says nothing") {
  const std::deque<Look> looks{{0, hot({"hw_slowdown"}, 60)}, {5, GpuState{}}, {5.1, hot({"hw_slowdown"}, 61)}};
  CHECK(verdict::disturbance(looks, {}, 5.02, 5.03) == "the GPU was braked from outside: hw_slowdown at 61 C");
  CHECK(verdict::disturbance(looks, {}, 2, 3).empty());
}

TEST_CASE("where NVML's numbers are not ours, as many newcomers as we have count as ours") {
  const auto two = with({process(7, 100), process(501, 0, 80), process(502, 0, 90)}, true);
  auto three = two;
  three.processes.push_back(process(503, 0, 1));
  CHECK(verdict::disturbance(looks_of({two, two}), foreign_numbers(), 0.02, 0.08).empty());
  CHECK(verdict::disturbance(looks_of({two, three}), foreign_numbers(), 0.02, 0.08) ==
        "another process used the GPU: 1 more came than kgate started");
  CHECK(verdict::neighbours({0, two}, foreign_numbers()) == 1);
  CHECK(verdict::neighbours({0, three}, foreign_numbers()) == 2);
  // A process of ours that has ended is not counted, but for the moment in which NVML may still show it.
  Ours ended = foreign_numbers();
  ended.processes[0].to_s = 0;
  CHECK(verdict::disturbance(looks_of({two, two}), ended, 0.02, 0.08).empty());
  CHECK(verdict::disturbance({{5, two}, {5.1, two}}, ended, 5.02, 5.08) ==
        "another process used the GPU: 1 more came than kgate started");
}

TEST_CASE(
    "a process that was there before ours is a neighbour under any number, without a name that may be another's") {
  const auto busy = with({process(7, 100, 44), process(501, 0, 56)}, true);
  CHECK(verdict::disturbance(looks_of({busy, busy}), foreign_numbers(), 0.02, 0.08) ==
        "another process used the GPU: pid 7, 44 %");
}
