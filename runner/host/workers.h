#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

namespace kgate::runner::host {

// Threads that stay: a kernel of 20 us cannot afford to start any. The caller is worker 0; the others start with the
// first job that needs them.
class Workers {
 public:
  using Job = std::function<void(std::uint32_t worker)>;

  explicit Workers(std::uint32_t count) : count_(count) {}
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;
  ~Workers();

  std::uint32_t count() const { return count_; }
  // Calls job(0) .. job(count - 1), each on its own thread (the same number always on the same one), and waits for all.
  // The job must not throw. `count` at most count().
  void run(std::uint32_t count, const Job& job);

 private:
  void serve(std::uint32_t worker);

  std::uint32_t count_;
  std::vector<std::thread> threads_;
  const Job* job_ = nullptr;
  std::uint32_t taking_part_ = 0;
  bool ending_ = false;
  std::atomic<std::uint32_t> generation_{0}, left_{0};
};

}  // namespace kgate::runner::host
