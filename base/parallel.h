#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace kgate {

// Calls work(i, worker) for i in 0 .. count-1 from at most `workers` threads, which are numbered from 0, and returns
// when all are done. The first exception stops the handing out of further work and is thrown here.
template <typename Work>
void for_each_parallel(std::size_t count, unsigned workers, Work&& work) {
  std::atomic<std::size_t> next{0};
  std::exception_ptr failure;
  std::mutex failure_lock;
  const auto loop = [&](unsigned worker) {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        work(i, worker);
      } catch (...) {
        next = count;
        const std::lock_guard lock(failure_lock);
        if (!failure) failure = std::current_exception();
      }
    }
  };
  std::vector<std::thread> threads;
  for (unsigned i = 1; i < workers && i < count; ++i) threads.emplace_back(loop, i);
  loop(0);
  for (auto& thread : threads) thread.join();
  if (failure) std::rethrow_exception(failure);
}

}  // namespace kgate
