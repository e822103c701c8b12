#include "runner/host/workers.h"

#include <algorithm>
#include <system_error>

namespace kgate::runner::host {

Workers::~Workers() {
  job_ = nullptr;
  for (const auto& worker : workers_) {
    worker->call.fetch_add(1, std::memory_order_release);
    worker->call.notify_one();
  }
  for (const auto& worker : workers_) worker->thread.join();
}

void Workers::run(std::uint32_t count, const Job& job) {
  start_threads(count);
  const auto others = static_cast<std::uint32_t>(std::min<std::size_t>(count - 1, workers_.size()));
  job_ = &job;
  left_.store(others, std::memory_order_relaxed);
  for (std::uint32_t i = 0; i < others; ++i) {
    workers_[i]->call.fetch_add(1, std::memory_order_release);
    workers_[i]->call.notify_one();
  }
  job(0);
  for (std::uint32_t left = left_.load(std::memory_order_acquire); left != 0;
       left = left_.load(std::memory_order_acquire)) {
    left_.wait(left, std::memory_order_acquire);
  }
}

void Workers::start_threads(std::uint32_t count) {
  while (workers_.size() + 1 < count) {
    auto worker = std::make_unique<Worker>();
    try {
      const auto number = static_cast<std::uint32_t>(workers_.size() + 1);
      worker->thread = std::thread([this, number, target = worker.get()] { serve(number, *target); });
    } catch (const std::system_error&) {
      return;  // the system's limit: those that there are do all of the work
    }
    workers_.push_back(std::move(worker));
  }
}

void Workers::serve(std::uint32_t number, Worker& worker) {
  for (std::uint32_t seen = 0;; ++seen) {
    worker.call.wait(seen, std::memory_order_acquire);
    if (job_ == nullptr) return;
    (*job_)(number);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
  }
}

}  // namespace kgate::runner::host
