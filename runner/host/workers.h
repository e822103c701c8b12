#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

namespace kgate::runner::host {

// Threads that stay: a kernel of 20 us cannot afford to start any. The caller is worker 0; the others start with the
// first job that needs them, and only those that a job needs are woken.
class Workers {
 public:
  using Job = std::function<void(std::uint32_t worker)>;

  explicit Workers(std::uint32_t count) : count_(count) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  std::uint32_t count() const { return count_; }
  // Calls job(0) .. job(count - 1), each on its own thread (the same number always on the same one), and waits for all;
  // fewer where the system gives no more threads. The job must not throw.
  void run(std::uint32_t count, const Job& job);

 private:
  struct alignas(64) Worker {
    std::atomic<std::uint32_t> call{0};  // counts the jobs it was given
    std::thread thread;
  };

  void start_threads(std::uint32_t count);
  void serve(std::uint32_t number, Worker& worker);

  std::uint32_t count_;
  std::vector<std::unique_ptr<Worker>> workers_;  // of worker 1 and up
  const Job* job_ = nullptr;                      // null: the end
  std::atomic<std::uint32_t> left_{0};
};

}  // namespace kgate::runner::host
