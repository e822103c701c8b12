#include "runner/host/workers.h"

namespace kgate::runner::host {

Workers::~Workers() {
  ending_ = true;
  generation_.fetch_add(1, std::memory_order_release);
  generation_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void Workers::run(std::uint32_t count, const Job& job) {
  if (count > 1) {
    while (threads_.size() + 1 < count_) {
      const auto worker = static_cast<std::uint32_t>(threads_.size() + 1);
      threads_.emplace_back([this, worker] { serve(worker); });
    }
    job_ = &job;
    taking_part_ = count;
    left_.store(static_cast<std::uint32_t>(threads_.size()), std::memory_order_relaxed);
    generation_.fetch_add(1, std::memory_order_release);
    generation_.notify_all();
  }
  job(0);
  if (count > 1) {
    for (std::uint32_t left = left_.load(std::memory_order_acquire); left != 0;
         left = left_.load(std::memory_order_acquire)) {
      left_.wait(left, std::memory_order_acquire);
    }
  }
}

void Workers::serve(std::uint32_t worker) {
  for (std::uint32_t seen = 0;;) {
    generation_.wait(seen, std::memory_order_acquire);
    // Nobody is let into the next generation before all have left this one, so none is missed.
    ++seen;
    if (ending_) return;
    if (worker < taking_part_) (*job_)(worker);
    if (left_.fetch_sub(1, std::memory_order_acq_rel) == 1) left_.notify_one();
  }
}

}  // namespace kgate::runner::host
