#include "gate/verdict/check/long_steps.h"

#include <algorithm>
#include <utility>

namespace kgate::verdict {

LongSteps::LongSteps(double after_s, std::function<void(const std::string&)> tell)
    : after_(std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(after_s))),
      tell_(std::move(tell)),
      thread_([this] { wait(); }) {}

LongSteps::~LongSteps() {
  {
    const std::lock_guard guard(mutex_);
    over_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void LongSteps::begin(unsigned worker, const std::string& what) {
  {
    const std::lock_guard guard(mutex_);
    running_[worker] = {what, Clock::now() + after_};
  }
  changed_.notify_one();
}

void LongSteps::end(unsigned worker) {
  const std::lock_guard guard(mutex_);
  running_.erase(worker);
}

void LongSteps::wait() {
  std::unique_lock guard(mutex_);
  while (!over_) {
    const auto first = std::min_element(running_.begin(), running_.end(),
                                        [](const auto& a, const auto& b) { return a.second.due < b.second.due; });
    if (first == running_.end()) {
      changed_.wait(guard);
    } else if (const auto due = first->second.due; Clock::now() < due) {
      changed_.wait_until(guard, due);
    } else {
      const std::string what = std::move(first->second.what);
      running_.erase(first);
      guard.unlock();
      tell_(what);
      guard.lock();
    }
  }
}

}  // namespace kgate::verdict
