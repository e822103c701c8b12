#include "gate/verdict/timing/watch.h"

#include <atomic>

#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/errors.h"

using namespace kgate;
using fingerprint::GpuState;
using verdict::Watch;
using verdict::WatchOptions;

namespace {

// A GPU and a clock that stand still until the test moves them.
struct Simulation {
  double time = 100;
  GpuState state;
  std::string broken;       // why the GPU cannot be read; empty: it can
  std::set<unsigned> born;  // pids that this process started
  std::vector<double> waits;

  WatchOptions options() {
    WatchOptions options;
    options.look = [this] {
      if (!broken.empty()) throw Error(ErrorKind::environment, "GPU 0", broken);
      return state;
    };
    options.period_s = 0;
    options.clock = [this] { return time; };
    options.wait = [this](double seconds) {
      waits.push_back(seconds);
      time += seconds;
    };
    options.started_here = [this](unsigned pid) { return born.count(pid) != 0; };
    return options;
  }
};

fingerprint::GpuProcess process(unsigned pid, std::optional<unsigned> use = std::nullopt) {
  return {pid, 0, "python3", use};
}

}  // namespace

TEST_CASE("without a GPU to look at, a watch answers that nothing was seen") {
  Watch watch(WatchOptions{});
  watch.look();
  watch.own(1);
  CHECK(watch.disturbance(0, 1e9).empty());
  CHECK(!watch.power_capped(0, 1e9));
  CHECK(watch.wait_until_calm(30).empty());
  CHECK(watch.summary() == Json::parse(R"({"clocks": {}, "temperature": null, "power": null, "throttle_reasons": [],
                        "other_processes": null, "dropped": 0, "cause": ""})"));
}

TEST_CASE("the summary has the extremes of all looks, also of those that are no longer kept") {
  Simulation gpu;
  auto options = gpu.options();
  options.keep_s = 1;
  Watch watch(options);
  const auto look = [&](unsigned clock, unsigned temperature, std::vector<std::string> reasons) {
    gpu.state.sm_clock_mhz = clock;
    gpu.state.temperature_c = temperature;
    gpu.state.throttle_reasons = std::move(reasons);
    watch.look();
    gpu.time += 10;
  };
  look(1980, 41, {});
  look(1200, 93, {"hw_thermal_slowdown"});
  gpu.state.processes = {process(7), process(8)};
  look(1755, 60, {"sw_power_cap"});
  gpu.state.processes = {};
  look(1980, 50, {});
  CHECK(watch.summary() == Json::parse(R"({"clocks": {"sm_mhz": {"min": 1200, "max": 1980}, "memory_mhz": null},
                        "temperature": {"min": 41, "max": 93}, "power": null,
                        "throttle_reasons": ["hw_thermal_slowdown", "sw_power_cap"], "other_processes": 2,
                        "dropped": 0, "cause": ""})"));
  CHECK(watch.disturbance(109.5, 110.5).empty());  // that look is forgotten
}

TEST_CASE("dropped windows are counted, and the most frequent kind of cause is told with its last words") {
  Simulation gpu;
  Watch watch(gpu.options());
  watch.dropped("another process used the GPU: python3 (pid 4242, 37 %)");
  watch.dropped("the GPU was braked from outside: hw_slowdown at 91 C");
  watch.dropped("another process used the GPU: python3 (pid 4242, 12 %)");
  CHECK(watch.summary()["dropped"] == 3);
  CHECK(watch.summary()["cause"] == "another process used the GPU: python3 (pid 4242, 12 %)");
}

TEST_CASE("our own processes are told from others, once they began and for as long as they live") {
  Simulation gpu;
  Watch watch(gpu.options());
  watch.own(10);
  gpu.state.tells_utilisation = true;
  gpu.state.processes = {process(10, 100)};
  watch.look();
  CHECK(watch.disturbance(99, 101).empty());
  watch.disown(10);
  gpu.time = 110;  // another's process under the number of ours
  watch.look();
  CHECK(watch.disturbance(109, 111) == "another process used the GPU: python3 (pid 10, 100 %)");
  CHECK(watch.summary()["other_processes"] == 1);
}

TEST_CASE("a process that this one started is recognised without being told of, until it goes") {
  Simulation gpu;
  Watch watch(gpu.options());
  gpu.born = {10};
  gpu.state.tells_utilisation = true;
  gpu.state.processes = {process(10, 100), process(20, 0)};
  watch.look();
  CHECK(watch.disturbance(99, 101).empty());
  CHECK(watch.summary()["other_processes"] == 1);
  gpu.state.processes = {};
  watch.look();
  gpu.born = {};
  gpu.time = 110;
  gpu.state.processes = {process(10, 100)};
  watch.look();
  CHECK(watch.disturbance(109, 111) == "another process used the GPU: python3 (pid 10, 100 %)");
}

TEST_CASE("in a container with other numbers, only more processes than we started are others'") {
  Simulation gpu;
  Watch watch(gpu.options());
  gpu.state.tells_utilisation = true;
  gpu.state.processes = {process(7, 0)};
  watch.look();
  watch.own(10);
  gpu.time = 105;
  gpu.state.processes = {process(7, 0), process(90001, 100)};
  watch.look();
  CHECK(watch.disturbance(104, 106).empty());
  gpu.time = 110;
  gpu.state.processes.push_back(process(90002, 3));
  watch.look();
  CHECK(watch.disturbance(109, 111) == "another process used the GPU: 1 more came than kgate started");
  CHECK(watch.summary()["other_processes"] == 2);
}

TEST_CASE("where the driver does not tell the processes, none seen is not none") {
  Simulation gpu;
  gpu.state.processes_unknown = "NVML answered: insufficient permissions";
  Watch watch(gpu.options());
  watch.look();
  CHECK(watch.summary()["other_processes"] == "unknown, because NVML answered: insufficient permissions");
}

TEST_CASE("a look that fails ends nothing: the summary says what is not known, and why") {
  Simulation gpu;
  Watch watch(gpu.options());
  gpu.broken = "fell off the bus";
  watch.look();
  CHECK(watch.summary()["temperature"] == "unknown, because GPU 0: fell off the bus");
  CHECK(watch.summary()["clocks"]["sm_mhz"] == "unknown, because GPU 0: fell off the bus");
  CHECK(watch.summary()["other_processes"].is_null());
  CHECK(watch.wait_until_calm(30).empty());
  gpu.broken.clear();
  gpu.state.temperature_c = 40;
  watch.look();
  CHECK(watch.summary()["temperature"] == Json{{"min", 40}, {"max", 40}});
  CHECK(watch.summary()["failed_looks"] == "2 of 3: GPU 0: fell off the bus");
}

TEST_CASE("a hot GPU is waited for until it is calm") {
  Simulation gpu;
  auto options = gpu.options();
  options.look = [&gpu] {
    if (gpu.time >= 104) gpu.state.throttle_reasons = {"sw_power_cap"};
    return gpu.state;
  };
  gpu.state.throttle_reasons = {"hw_thermal_slowdown"};
  Watch watch(options);
  CHECK(watch.wait_until_calm(30).empty());
  CHECK(gpu.time == 104);
}

TEST_CASE("a GPU that stays hot is given up after the limit, with what still brakes it") {
  Simulation gpu;
  gpu.state.throttle_reasons = {"sw_thermal_slowdown"};
  gpu.state.temperature_c = 91;
  Watch watch(gpu.options());
  CHECK(watch.wait_until_calm(30.1) == "sw_thermal_slowdown at 91 C");
  CHECK(gpu.time == Approx(130.1));
  CHECK(watch.wait_until_calm(0) == "sw_thermal_slowdown at 91 C");
}

TEST_CASE("a calm GPU is not waited for, and an interruption ends a wait") {
  Simulation gpu;
  auto options = gpu.options();
  options.wait = [](double) { throw Error(ErrorKind::interrupted, "kgate", "interrupted"); };
  Watch watch(options);
  CHECK(error_of([&] { watch.wait_until_calm(30); }) == "no error");
  gpu.state.throttle_reasons = {"hw_slowdown"};
  CHECK(error_of([&] { watch.wait_until_calm(30); }) == "interrupted: kgate: interrupted");
}

TEST_CASE("the watch looks by itself, from many threads' questions undisturbed, and ends at once") {
  std::atomic<int> looks{0};
  WatchOptions options;
  options.look = [&looks]() -> GpuState {
    if (++looks % 3 == 0) throw Error(ErrorKind::environment, "GPU 0", "busy");
    GpuState state;
    state.processes = {process(20)};
    state.temperature_c = 50;
    return state;
  };
  options.period_s = 0.0001;
  {
    Watch watch(options);
    std::jthread asks([&](const std::stop_token& stop) {
      for (unsigned pid = 2; !stop.stop_requested(); ++pid) {
        watch.own(pid);
        watch.disturbance(watch.now() - 1, watch.now());
        watch.power_capped(0, watch.now());
        watch.dropped("another process used the GPU: x");
        watch.disown(pid);
        watch.summary();
      }
    });
    while (looks < 20) watch.look();
    const int before = looks;
    while (looks == before) std::this_thread::yield();  // the thread's own
  }
  const int after = looks;
  CHECK(after > 20);
  // An hour's period is not waited out.
  options.period_s = 3600;
  { const Watch patient(options); }
  CHECK(looks >= after);
}

TEST_CASE("a process is told to be this one's by its ancestors") {
  CHECK(!verdict::is_descendant(1));
  CHECK(!verdict::is_descendant(static_cast<unsigned>(::getpid())));
  CHECK(!verdict::is_descendant(0x7ffffff0));
  int channel[2];
  REQUIRE(::pipe(channel) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(channel[1]);
    char byte = 0;
    while (::read(channel[0], &byte, 1) > 0) {
    }
    ::_exit(0);
  }
  CHECK(verdict::is_descendant(static_cast<unsigned>(child)));
  ::close(channel[0]);
  ::close(channel[1]);
  ::waitpid(child, nullptr, 0);
}
