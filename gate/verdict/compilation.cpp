#include "gate/verdict/compilation.h"

namespace kgate::verdict {
namespace {

struct Stopped {};

}  // namespace

Compilation::Compilation(Preparation& ready, std::size_t consumers)
    : consumers_(consumers), thread_([this, &ready] {
        std::exception_ptr failure;
        try {
          ready.compile([this](std::size_t subject) {
            const std::lock_guard guard(lock_);
            if (stopped_) throw Stopped();
            ready_.push_back(subject);
            any_ = true;
            changed_.notify_all();
          });
        } catch (const Stopped&) {
          // Nobody waits for the rest.
        } catch (...) {
          failure = std::current_exception();
        }
        const std::lock_guard guard(lock_);
        failure_ = failure;
        done_ = true;
        changed_.notify_all();
      }) {}

Compilation::~Compilation() {
  stop();
  thread_.join();
}

std::optional<std::size_t> Compilation::next() {
  std::unique_lock guard(lock_);
  const bool was_there = any_;
  if (++waiting_ == consumers_) idle_since_ = Clock::now();
  changed_.wait(guard, [this] { return settled(); });
  if (waiting_-- == consumers_ && was_there) idle_ += Clock::now() - idle_since_;
  if (failure_) std::rethrow_exception(failure_);
  if (stopped_ || ready_.empty()) return std::nullopt;
  const std::size_t subject = ready_.front();
  ready_.pop_front();
  return subject;
}

void Compilation::wait_for_first() {
  std::unique_lock guard(lock_);
  changed_.wait(guard, [this] { return settled(); });
  if (failure_) std::rethrow_exception(failure_);
}

void Compilation::stop() {
  const std::lock_guard guard(lock_);
  stopped_ = true;
  changed_.notify_all();
}

double Compilation::idle_s() const {
  const std::lock_guard guard(lock_);
  return std::chrono::duration<double>(idle_).count();
}

}  // namespace kgate::verdict
