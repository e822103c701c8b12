#include "gate/verdict/several.h"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/gpu_choice.h"
#include "fingerprint/nvml.h"
#include "gate/lease/lease.h"
#include "gate/lease/status.h"
#include "gate/trust/authority.h"
#include "gate/verdict/timing/device_differences.h"

namespace kgate::verdict {
namespace {

constexpr std::size_t kMostDevices = 64;

// The lanes' progress as one: what is going on, without counts, since no lane knows the others'.
class SharedProgress {
 public:
  explicit SharedProgress(Progress& progress) : progress_(progress) {}

  void phase(const std::string& what) {
    const std::lock_guard guard(lock_);
    if (std::find(begun_.begin(), begun_.end(), what) != begun_.end()) return;
    begun_.push_back(what);
    progress_.phase(what, 0);
  }
  // What all lanes say is said once.
  void note(const std::string& line) {
    const std::lock_guard guard(lock_);
    if (std::find(noted_.begin(), noted_.end(), line) != noted_.end()) return;
    noted_.push_back(line);
    progress_.note(line);
  }
  template <typename Say>
  void say(Say&& say) {
    const std::lock_guard guard(lock_);
    say(progress_);
  }

 private:
  Progress& progress_;
  std::mutex lock_;
  std::vector<std::string> begun_, noted_;
};

class LaneProgress : public Progress {
 public:
  LaneProgress(SharedProgress& shared, std::string lane) : shared_(shared), lane_(std::move(lane)) {}
  void phase(const std::string& what, int) override { shared_.phase(what); }
  void step(const std::string& what) override {
    shared_.say([&](Progress& all) { all.step(lane_ + ": " + what); });
  }
  void slow(const std::string& what, double limit_s) override {
    shared_.say([&](Progress& all) { all.slow(lane_ + ": " + what, limit_s); });
  }
  void done(const KernelResult& kernel) override {
    shared_.say([&](Progress& all) { all.done(kernel); });
  }
  void note(const std::string& line) override { shared_.note(line); }
  void wait(const std::string& line) override {
    shared_.say([&](Progress& all) { all.wait(line); });
  }

 private:
  SharedProgress& shared_;
  std::string lane_;
};

struct Lane {
  JudgeOptions options;
  Judgement judgement;
  std::exception_ptr failure;
};

void add_unique(std::vector<std::string>& all, const std::vector<std::string>& more) {
  for (const auto& one : more) {
    if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
  }
}

// What a lane that failed has to say about the others' setting is nothing.
const Lane& leading(const std::vector<Lane>& lanes) {
  for (const Lane& lane : lanes) {
    if (!lane.failure) return lane;
  }
  return lanes.front();
}

void combine(std::vector<Lane>& lanes, Judgement& judgement) {
  const std::string started = lanes.front().judgement.result.started;
  judgement = leading(lanes).judgement;
  judgement.samples.clear();
  judgement.finished.clear();
  judgement.unproven.clear();
  Result& result = judgement.result;
  result.started = started;
  result.kernels.clear();
  result.devices.clear();
  if (result.sanitizer) result.sanitizer->findings.clear();
  for (Lane& lane : lanes) {
    Result& own = lane.judgement.result;
    result.devices.push_back({own.device_name, own.device_uuid.empty() ? lane.options.device : own.device_uuid,
                              static_cast<std::int64_t>(own.kernels.size()), own.seconds, own.wait_s, own.environment});
    for (KernelResult& kernel : own.kernels) {
      kernel.device_uuid = result.devices.back().uuid;
      result.kernels.push_back(std::move(kernel));
    }
    add_unique(result.warnings, own.warnings);
    result.compile_s = std::max(result.compile_s, own.compile_s);
    result.check_s = std::max(result.check_s, own.check_s);
    result.time_s = std::max(result.time_s, own.time_s);
    result.wait_s = std::max(result.wait_s, own.wait_s);
    result.idle_s = std::max(result.idle_s, own.idle_s);
    result.seconds = result.total_s = std::max(result.total_s, own.total_s);
    if (result.sanitizer && own.sanitizer) {
      auto& findings = result.sanitizer->findings;
      findings.insert(findings.end(), own.sanitizer->findings.begin(), own.sanitizer->findings.end());
    }
    const auto append = [](auto& all, auto& more) { std::move(more.begin(), more.end(), std::back_inserter(all)); };
    append(judgement.samples, lane.judgement.samples);
    append(judgement.finished, lane.judgement.finished);
    append(judgement.unproven, lane.judgement.unproven);
  }
  std::stable_sort(result.kernels.begin(), result.kernels.end(),
                   [](const KernelResult& a, const KernelResult& b) { return a.name < b.name; });
}

}  // namespace

std::vector<std::string> devices_of(const std::string& wanted, const std::string& backend) {
  if (!fingerprint::may_be_several(wanted)) return {wanted};
  auto words = fingerprint::words_of_list(wanted);
  if (std::any_of(words.begin(), words.end(), [](const auto& word) { return word.empty(); }) || wanted.ends_with(","))
    throw Error(ErrorKind::usage, "--device " + wanted, "has an empty name in its list", "write for example 0,2");
  if (words.size() > kMostDevices)
    throw Error(ErrorKind::usage, "--device", fmt::format("names {} devices", words.size()),
                fmt::format("name at most {}", kMostDevices));
  auto sorted = words;
  std::sort(sorted.begin(), sorted.end());
  if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
    throw Error(ErrorKind::usage, "--device " + wanted, "names " + *twice + " twice", "name each once");
  if (backend != "host") {
    std::string why_not;
    if (const auto nvml = fingerprint::Nvml::open(&why_not)) return fingerprint::choose_gpus(*nvml, wanted);
    if (backend == "cuda" || fingerprint::nvidia_gpu_expected())
      throw Error(ErrorKind::environment, "device " + wanted, "NVML cannot say which GPUs that is: " + why_not,
                  "name one GPU by its UUID");
  }
  if (wanted == "all" && backend == "host") return {""};
  return words;
}

std::vector<std::string> idle_of(const std::vector<std::string>& devices, const JudgeOptions& options,
                                 std::vector<std::string>& notes) {
  std::filesystem::path folder = options.queue.folder;
  if (folder.empty()) folder = trust::read_authority(options.repository, options.base).policy.lease.folder;
  if (folder.empty()) folder = lease::kDefaultFolder;
  std::vector<std::string> idle;
  for (const auto& device : devices) idle.push_back(device);
  try {
    for (const auto& queue : lease::read_status(folder, options.interrupt).devices) {
      const auto place = std::find(idle.begin(), idle.end(), queue.device);
      if (place == idle.end() || !queue.holder) continue;
      idle.erase(place);
      notes.push_back(fmt::format("{} is held by {}: its kernels go to the others", queue.device,
                                  lease::in_words(queue.holder->claim)));
    }
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    return devices;  // what is wrong with the queue, the run tells when it takes its turn
  }
  if (idle.empty()) notes.clear();
  return idle.empty() ? devices : idle;
}

void judge_on(const std::vector<std::string>& devices, const JudgeOptions& options, Progress& progress,
              Judgement& judgement) {
  SharedProgress shared(progress);
  std::vector<Lane> lanes(devices.size());
  for (std::size_t i = 0; i < devices.size(); ++i) {
    lanes[i].options = options;
    lanes[i].options.device = devices[i];
    lanes[i].options.lane = {static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(devices.size())};
    lanes[i].options.threads = std::max(1u, options.threads / static_cast<unsigned>(devices.size()));
  }
  std::vector<std::thread> threads;
  for (Lane& lane : lanes) {
    threads.emplace_back([&lane, &shared] {
      try {
        LaneProgress own(shared, "GPU " + lane.options.device);
        judge(lane.options, own, lane.judgement);
      } catch (...) {
        lane.failure = std::current_exception();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  combine(lanes, judgement);
  std::vector<std::string> uuids;
  for (const auto& one : judgement.result.devices) uuids.push_back(one.uuid);
  add_unique(judgement.result.warnings, known_differences(options.state, uuids));
  for (const Lane& lane : lanes) {
    if (lane.failure) std::rethrow_exception(lane.failure);
  }
}

}  // namespace kgate::verdict
