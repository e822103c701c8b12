#include "gate/verdict/setting.h"

#include "tests/support/errors.h"

using namespace kgate;

TEST_CASE("auto takes the GPU wherever one is expected, and the host only where none is") {
  CHECK(verdict::choose_backend("auto", {}, true) == "cuda");
  CHECK(verdict::choose_backend("auto", {}, false) == "host");
}

TEST_CASE("a policy that wants a GPU gets one, or an error that says so") {
  trust::EnvironmentRules rules;
  rules.backend = "cuda";
  CHECK(verdict::choose_backend("auto", rules, false) == "cuda");
  CHECK(error_of([&] { verdict::choose_backend("host", rules, true); }) ==
        "environment: backend host: the policy wants [environment] backend = \"cuda\"; run without --backend on a "
        "machine that has it");
}

TEST_CASE("a driver that the policy forbids is told with both versions") {
  trust::EnvironmentRules rules;
  rules.driver = ">=550";
  const Json old{{"driver", {{"version", "535.104.05"}}}}, recent{{"driver", {{"version", "580.159.04"}}}};
  CHECK(error_of([&] { verdict::check_versions(rules, recent); }) == "no error");
  CHECK(error_of([&] { verdict::check_versions(rules, old); }) ==
        "environment: driver 535.104.05: the policy wants [environment] driver = \">=550\"; use a runner that has it");
  CHECK(error_of([&] { verdict::check_versions(rules, Json::object()); }) ==
        "environment: driver unknown: the policy wants [environment] driver = \">=550\"; use a runner that has it");
}

TEST_CASE("exclusive and not-throttled look at the GPU's state, and cannot be had without one") {
  trust::EnvironmentRules rules;
  rules.require = {"exclusive", "not-throttled"};
  fingerprint::GpuState state;
  CHECK(error_of([&] { verdict::check_state(rules, &state); }) == "no error");
  CHECK(error_of([&] { verdict::check_state(rules, nullptr); }) ==
        "environment: require \"exclusive\": the GPU's state cannot be read here");
  state.processes.push_back({4711, 0});
  CHECK(error_of([&] { verdict::check_state(rules, &state); }) ==
        "environment: the GPU: is used by 1 other process(es), the first is 4711; wait for it, or drop \"exclusive\" "
        "from [environment] "
        "require");
  state.processes.clear();
  state.throttle_reasons = {"hw_thermal_slowdown"};
  CHECK(error_of([&] { verdict::check_state(rules, &state); }) ==
        "environment: the GPU: is throttled: hw_thermal_slowdown; let it cool down, or look at its power supply");
}

TEST_CASE("what NVML refuses to tell meets neither exclusive nor not-throttled") {
  trust::EnvironmentRules rules;
  rules.require = {"exclusive"};
  fingerprint::GpuState state;
  state.processes_unknown = "nvmlX says: Insufficient Permissions";
  state.throttle_unknown = "this driver's NVML has no nvmlY";
  CHECK(error_of([&] { verdict::check_state(rules, &state); }) ==
        "environment: require \"exclusive\": the GPU's processes cannot be read here: nvmlX says: Insufficient "
        "Permissions; use a runner where NVML tells it, or drop \"exclusive\" from [environment] require");
  rules.require = {"not-throttled"};
  CHECK(
      error_of([&] { verdict::check_state(rules, &state); }) ==
      "environment: require \"not-throttled\": why the GPU's clock is low cannot be read here: this driver's NVML has "
      "no nvmlY; use a runner where NVML tells it, or drop \"not-throttled\" from [environment] require");
}

TEST_CASE("a sandbox weaker than the policy's is told with both levels and the reason") {
  trust::EnvironmentRules rules;
  runner::SandboxReport report;
  report.note = "this kernel has no Landlock";
  CHECK(error_of([&] { verdict::check_sandbox(rules, report, runner::SandboxLevel::landlock); }) == "no error");
  rules.sandbox = "landlock";
  report.level = runner::SandboxLevel::seccomp;
  CHECK(error_of([&] { verdict::check_sandbox(rules, report, runner::SandboxLevel::landlock); }) ==
        "environment: sandbox seccomp: weaker than required: [environment] sandbox = \"landlock\"; this kernel has no "
        "Landlock; use a runner whose kernel has it; kgate doctor --sandbox shows what holds here");
  rules.sandbox = "seccomp";
  CHECK(error_of([&] { verdict::check_sandbox(rules, report, runner::SandboxLevel::landlock); }) == "no error");
  rules.sandbox = "none";
  report.level = runner::SandboxLevel::none;
  CHECK(error_of([&] { verdict::check_sandbox(rules, report, runner::SandboxLevel::landlock); }) == "no error");
}

TEST_CASE("who switches the sandbox off under a policy that requires one is told to leave the option out") {
  trust::EnvironmentRules rules;
  runner::SandboxReport report;
  const auto none = [&] {
    return error_of([&] { verdict::check_sandbox(rules, report, runner::SandboxLevel::none); });
  };
  CHECK(none() == "no error");
  rules.sandbox = "none";
  CHECK(none() == "no error");
  rules.sandbox = "landlock";
  CHECK(none() ==
        "environment: --sandbox none: is weaker than the policy requires, [environment] sandbox = \"landlock\"; leave "
        "the option out");
}

TEST_CASE("a driver older than the toolkit, and a missing NVRTC, are told before anything is compiled") {
  fingerprint::Toolkit toolkit;
  CHECK(error_of([&] { verdict::check_toolkit(toolkit, 13000); }) ==
        "environment: nvrtc: libnvrtc.so was not found; install the CUDA toolkit (its NVRTC library is enough), or "
        "point CUDA_HOME or --cuda "
        "at it");
  toolkit.nvrtc = "/usr/local/cuda/lib64/libnvrtc.so.13";
  toolkit.nvrtc_version = "13.0";
  CHECK(error_of([&] { verdict::check_toolkit(toolkit, 12080); }) ==
        "environment: cuda driver: supports CUDA 12.8, the toolkit is 13.0; update the driver, or use a toolkit of its "
        "major version");
  CHECK(error_of([&] { verdict::check_toolkit(toolkit, 13010); }) == "no error");
  CHECK(error_of([&] { verdict::check_toolkit(toolkit, 0); }) == "no error");
}
