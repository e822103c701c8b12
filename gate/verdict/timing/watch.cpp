#include "gate/verdict/timing/watch.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

namespace kgate::verdict {
namespace {

constexpr double kCalmPeriod = 0.25;  // seconds between looks while waiting: heat goes slowly
constexpr int kMaxGenerations = 8;

using Seconds = std::chrono::duration<double>;

// 0 where it cannot be read.
unsigned parent_of(unsigned pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  // "pid (name) state parent ...", and the name may hold anything.
  const auto end = text.rfind(") ");
  if (end == std::string::npos || text.size() < end + 5) return 0;
  return static_cast<unsigned>(std::strtoul(text.c_str() + end + 4, nullptr, 10));
}

}  // namespace

bool is_descendant(unsigned pid) {
  const auto self = static_cast<unsigned>(::getpid());
  for (int i = 0; i < kMaxGenerations && pid > 1; ++i) {
    pid = parent_of(pid);
    if (pid == self) return true;
  }
  return false;
}

Watch::Watch(WatchOptions options) : options_(std::move(options)) {
  if (!options_.clock) {
    options_.clock = [] { return Seconds(std::chrono::steady_clock::now().time_since_epoch()).count(); };
  }
  if (!options_.wait) options_.wait = [](double count) { std::this_thread::sleep_for(Seconds(count)); };
  if (!options_.started_here) options_.started_here = is_descendant;
  if (options_.look && options_.period_s > 0)
    thread_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
}

Watch::~Watch() = default;

void Watch::watch(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    look();
    std::unique_lock guard(lock_);
    stopped_.wait_for(guard, stop, Seconds(options_.period_s), [] { return false; });
  }
}

void Watch::look() {
  if (!options_.look) return;
  const std::lock_guard one_at_a_time(looking_);
  Look look;
  try {
    look.state = options_.look();
  } catch (const std::exception& error) {
    const std::lock_guard guard(lock_);
    totals_.add_failure(error.what());
    return;
  }
  // The time after it: what a look tells happened before that.
  look.at_s = now();
  const std::lock_guard guard(lock_);
  recognise(look);
  totals_.add(look.state, neighbours(look, ours_));
  forget(look.at_s - options_.keep_s);
  looks_.push_back(std::move(look));
}

// Finds our own among a look's processes.
void Watch::recognise(const Look& look) {
  std::set<unsigned> foreign, found;
  for (const auto* list : {&look.state.processes, &look.state.without_compute}) {
    for (const auto& process : *list) {
      const unsigned pid = process.pid;
      const bool known_foreign = foreign_.count(pid) != 0 || ours_.older.count(pid) != 0;
      if (found_.count(pid) != 0) {
        found.insert(pid);
      } else if (!known_foreign && is_ours(ours_, pid, look.at_s)) {
        ours_.recognised = true;
      } else if (!known_foreign && options_.started_here(pid)) {
        ours_.processes.push_back({pid, look.at_s});
        ours_.recognised = ours_.began = true;
        found.insert(pid);
      } else {
        foreign.insert(pid);
      }
    }
  }
  // Nobody else tells when these end, and their numbers come again.
  for (const unsigned pid : found_) {
    if (found.count(pid) == 0) end(pid, look.at_s);
  }
  foreign_ = std::move(foreign);
  found_ = std::move(found);
}

void Watch::end(unsigned pid, double at_s) {
  for (auto& own : ours_.processes) {
    if (own.pid == pid) own.to_s = std::min(own.to_s, at_s);
  }
}

void Watch::forget(double before_s) {
  while (!looks_.empty() && looks_.front().at_s < before_s) looks_.pop_front();
  auto& processes = ours_.processes;
  const auto old = [&](const OwnProcess& own) { return own.to_s + kOwnGrace < before_s; };
  processes.erase(std::remove_if(processes.begin(), processes.end(), old), processes.end());
}

void Watch::own(unsigned pid) {
  const std::lock_guard guard(lock_);
  if (!ours_.began && !looks_.empty()) {
    const auto& state = looks_.back().state;
    for (const auto* list : {&state.processes, &state.without_compute}) {
      for (const auto& process : *list) ours_.older.insert(process.pid);
    }
  }
  ours_.began = true;
  // That another's number is the same as ours is less likely than that a look came before this call.
  ours_.older.erase(pid);
  foreign_.erase(pid);
  ours_.processes.push_back({pid, now()});
}

void Watch::disown(unsigned pid) {
  const std::lock_guard guard(lock_);
  end(pid, now());
}

std::string Watch::disturbance(double from_s, double to_s) const {
  const std::lock_guard guard(lock_);
  return verdict::disturbance(looks_, ours_, from_s, to_s);
}

bool Watch::power_capped(double from_s, double to_s) const {
  const std::lock_guard guard(lock_);
  return verdict::power_capped(looks_, from_s, to_s);
}

void Watch::dropped(const std::string& cause) {
  const std::lock_guard guard(lock_);
  totals_.add_dropped(cause);
}

std::string Watch::wait_until_calm(double limit_s) {
  const double end = now() + limit_s;
  while (true) {
    const double asked = now();
    look();
    std::string brake;
    {
      const std::lock_guard guard(lock_);
      // An older look would say nothing about now: then it failed.
      if (!looks_.empty() && looks_.back().at_s >= asked) brake = outside_brake(looks_.back().state);
    }
    const double left = end - now();
    if (brake.empty() || left <= 0) return brake;
    options_.wait(std::min(left, kCalmPeriod));
  }
}

bool Watch::has_neighbours() const {
  const std::lock_guard guard(lock_);
  return totals_.most_neighbours() > 0;
}

Json Watch::summary() const {
  const std::lock_guard guard(lock_);
  return totals_.json();
}

}  // namespace kgate::verdict
