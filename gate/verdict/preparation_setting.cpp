// The machine that a run has: what can be known of it while others measure, then the device for this run alone, until
// it is left.
#include <chrono>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/gpu_choice.h"
#include "fingerprint/state_reader.h"
#include "gate/lease/strangers.h"
#include "gate/verdict/check/second_try.h"
#include "gate/verdict/preparation.h"
#include "gate/verdict/setting.h"
#include "gate/verdict/timing/disturbance.h"

namespace kgate::verdict {
namespace {

using Clock = std::chrono::steady_clock;

constexpr double kOpenLimit = 60;  // seconds for a child to open the device
constexpr double kCalmLimit = 30;  // seconds for a hot GPU to cool down

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

lease::Priority priority_of(const std::string& profile) {
  if (profile == "release") return lease::Priority::release;
  return profile == "nightly" ? lease::Priority::nightly : lease::Priority::pull_request;
}

}  // namespace

void Preparation::read_setting() {
  look_at_machine();
  take_device();
}

// Nothing here opens the device: others may be measuring on it.
void Preparation::look_at_machine() {
  child.runner = options_.runner;
  child.backend = result_.backend;
  child.device = options_.device;
  child.interrupt = options_.interrupt;
  child.scratch = scratch.emplace(options_.runner).path();
  child.sandbox.most = options_.sandbox;
  const bool cuda = result_.backend == "cuda";
  result_.fingerprint = fingerprint::take_fingerprint({options_.device, cuda, options_.environment}, options_.toolkit);
  result_.device_class = fingerprint::class_of(result_.fingerprint);
  check_versions(policy().environment, result_.fingerprint);
  if (!cuda) {
    warn("host backend: kernels run on the CPU; a disagreement is a strong hint, times say nothing about a GPU");
    return;
  }
  std::string why_not;
  nvml = fingerprint::Nvml::open(&why_not);
  if (nvml) expect_device();
  if (expects_device()) check_toolkit(options_.toolkit, nvml->cuda_driver_version());
}

// A whole GPU only: of a MIG instance NVML and CUDA do not say the same.
void Preparation::expect_device() {
  try {
    const auto choice = fingerprint::choose_gpu(*nvml, options_.device);
    index_ = choice.index;
    if (choice.no_instance.empty()) uuid_ = fingerprint::device_uuid(*nvml, choice.device);
    if (choice.instance || !choice.no_instance.empty()) return;
    const auto all = nvml->devices();
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& gpu) { return gpu.index == choice.index; });
    if (found == all.end()) return;
    device.backend = "cuda";
    device.name = found->name;
    device.architecture = found->architecture;
  } catch (const Error&) {
    // What NVML does not know, the child says when it opens the device.
  }
}

// On the host times say nothing about a GPU, and nobody waits for it but who asks for that.
void Preparation::take_lease() {
  const bool cuda = result_.backend == "cuda";
  const std::filesystem::path folder =
      !options_.queue.folder.empty() ? options_.queue.folder : std::filesystem::path(policy().lease.folder);
  if (!cuda && folder.empty()) return;
  if (cuda && uuid_.empty()) {
    open_device();
    // Nobody tells which GPU it is: those of whom nobody does share one queue.
    uuid_ = device.uuid.empty() ? "unknown-gpu" : device.uuid;
  }
  lease::LeaseRequest request;
  if (!folder.empty()) request.folder = folder;
  request.device = cuda ? uuid_ : lease::is_device_name(options_.device) ? options_.device : "host";
  request.priority = options_.queue.priority.value_or(priority_of(options_.profile));
  request.who = lease::own_claim(options_.queue.job);
  request.wait = std::chrono::seconds(policy().lease.wait_s);
  request.inherited = options_.queue.inherited;
  request.interrupt = options_.interrupt;
  request.on_wait = [this](const lease::Waiting& waiting) { progress_.wait(lease::in_words(waiting)); };
  const auto start = Clock::now();
  hold = lease::acquire(request);
  result_.wait_s += seconds_since(start);
}

// Nothing of this run is on the GPU yet: whoever is there has not queued.
void Preparation::name_strangers(const fingerprint::GpuState& state) {
  const auto strangers = lease::find_strangers(state.processes, lease::own_claim(""), lease::own_viewpoint());
  for (const auto& line : lease::in_words(strangers, uuid_)) warn(line);
}

void Preparation::leave_device() {
  if (!hold) return;
  hold.check();
  hold.release();
}

// False where it is another one than was expected.
bool Preparation::take_device() {
  take_lease();
  const bool cuda = result_.backend == "cuda";
  const auto state = watch_gpu(index_);
  check_state(policy().environment, state ? &*state : nullptr);
  if (hold && state) name_strangers(*state);
  const runner::DeviceInfo expected = device;
  open_device();
  result_.device_name = device.name;
  result_.device_uuid = device.uuid;
  if (cuda) check_toolkit(options_.toolkit, device.driver_api);
  std::string note;
  const auto& driver = result_.fingerprint["driver"];
  machine = read_record(
      record_path(options_.state, cuda ? device.uuid : ""),
      cuda && driver.contains("version") && driver["version"].is_string() ? driver["version"].get<std::string>() : "",
      note);
  if (!note.empty()) warn(note);
  return expected.architecture.empty() ||
         (expected.name == device.name && expected.architecture == device.architecture);
}

// A child that something outside killed is not a machine without a device: once more.
void Preparation::open_device() {
  std::string first_trouble;
  for (bool again = false;; again = true) {
    runner::Client probe(child);
    try {
      device = probe.probe(runner::Client::Seconds(kOpenLimit));
      return read_sandbox(probe.sandbox());
    } catch (const Error& error) {
      if (!probe.died()) throw;
      if (again) throw tried_twice(error, first_trouble);
      first_trouble = error.what();
    }
  }
}

// What the first child reached is what every further one must: of that it makes sure itself.
void Preparation::read_sandbox(const runner::SandboxReport& report) {
  check_sandbox(policy().environment, report, options_.sandbox);
  result_.sandbox = runner::name_of(report.level);
  child.sandbox.least = report.level;
  if (!report.note.empty()) warn(fmt::format("sandbox {}: {}", result_.sandbox, report.note));
}

// Looks at the GPU from now on. One that must not be throttled, and is, gets time to cool down. Its state, if any.
std::optional<fingerprint::GpuState> Preparation::watch_gpu(unsigned index) {
  WatchOptions watching;
  if (nvml) {
    watching.look = [reader = std::make_shared<fingerprint::StateReader>(*nvml, index)] { return reader->read(); };
  }
  watching.wait = [this](double seconds) {
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    if (options_.interrupt != nullptr) options_.interrupt->check();
  };
  watch = std::make_unique<Watch>(std::move(watching));
  child.on_process = [&gpu = *watch](unsigned pid, bool begins) { begins ? gpu.own(pid) : gpu.disown(pid); };
  if (!nvml) return std::nullopt;
  const auto state = nvml->state(index);
  const std::string brake = outside_brake(state);
  const auto& wishes = policy().environment.require;
  if (brake.empty() || std::find(wishes.begin(), wishes.end(), "not-throttled") == wishes.end()) return state;
  progress_.note(fmt::format("the GPU is braked from outside: {}; waiting up to {:.0f} s", brake, kCalmLimit));
  const auto start = Clock::now();
  watch->wait_until_calm(kCalmLimit);
  result_.wait_s += seconds_since(start);
  return nvml->state(index);
}

}  // namespace kgate::verdict
