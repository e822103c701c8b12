#include "bench/lease_fight.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fstream>
#include <map>
#include <random>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "gate/lease/lease.h"

// What is seen does not come from the queue's own files: every process writes down, in memory that all share, when it
// asked, when it surely waited (its first report), when it held and when it gave up; the parent adds when it killed
// whom. A holder also puts its number on the device, and must find it free, or the mark of one that is dead.
namespace kgate::bench {
namespace {

using Nanoseconds = std::int64_t;

enum class Stage : int { none, asks, waits, holds, over, died };

struct Acquisition {
  std::atomic<Stage> stage;
  int device, priority;
  std::atomic<Nanoseconds> asked, waited, held, ended;  // waited: 0 where it held at once
  std::atomic<int> turn;                                // among the holders of the device
  std::atomic<bool> killed_holding;
};

constexpr int kMostDevices = 16, kRoom = 4;  // room for as many acquisitions again as are wanted, for those who die

struct Arena {
  std::atomic<int> begun, completed;
  std::atomic<int> marks[kMostDevices];  // the process that holds
  std::atomic<int> turns[kMostDevices];
  std::atomic<int> breaches;
  char breach[64][200];
};

Nanoseconds now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

template <typename T>
T* shared(std::size_t count) {
  void* memory =
      ::mmap(nullptr, sizeof(T) * count, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (memory == MAP_FAILED) throw system_error("shared memory", "cannot be had", errno);
  return static_cast<T*>(memory);
}

void breach(Arena& arena, const std::string& text) {
  const int at = arena.breaches++;
  if (at < 64) std::snprintf(arena.breach[at], sizeof arena.breach[at], "%s", text.c_str());
}

// Whether a process has begun to end: its files are closed then, and no code of its own runs any more.
bool is_ending(int process) {
  std::ifstream file(fmt::format("/proc/{}/stat", process));
  std::string line;
  if (!std::getline(file, line)) return true;
  std::istringstream fields(line.substr(line.rfind(')') + 1));
  std::string state, skipped;
  unsigned long flags = 0;
  fields >> state;
  for (int i = 0; i < 5; ++i) fields >> skipped;
  fields >> flags;
  constexpr unsigned long kExiting = 0x4;  // PF_EXITING
  return state == "Z" || state == "X" || (flags & kExiting) != 0;
}

std::string device_name(int device) {
  return fmt::format("GPU-{}", device);
}

class Fight {
 public:
  explicit Fight(const FightOptions& options)
      : options_(options),
        arena_(shared<Arena>(1)),
        record_room_(options.acquisitions * kRoom + options.processes),
        records_(shared<Acquisition>(static_cast<std::size_t>(record_room_))),
        current_(shared<std::atomic<int>>(static_cast<std::size_t>(options.processes))) {}

  FightReport run() {
    const Nanoseconds start = now();
    std::mt19937_64 random(options_.seed);
    std::vector<pid_t> slots(static_cast<std::size_t>(options_.processes), 0);
    for (std::size_t slot = 0; slot < slots.size(); ++slot) slots[slot] = started(slot, random());
    const int kills = static_cast<int>(std::int64_t{options_.acquisitions} * options_.kills_per_thousand / 1000);
    int killed = 0;
    while (arena_->completed < options_.acquisitions && arena_->breaches == 0) {
      std::this_thread::sleep_for(std::chrono::microseconds(500));
      // As far with killing as the others are with their work.
      while (killed < kills && std::int64_t{arena_->completed} * kills > std::int64_t{killed} * options_.acquisitions) {
        const std::size_t slot = victim(slots, random);
        kill(slots[slot], slot);
        slots[slot] = started(slot, random());
        ++killed;
      }
    }
    for (std::size_t slot = 0; slot < slots.size(); ++slot) kill(slots[slot], slot);
    report_.seconds = static_cast<double>(now() - start) / 1e9;
    report_.acquisitions = arena_->completed;
    sweep();
    judge();
    return report_;
  }

 private:
  pid_t started(std::size_t slot, std::uint64_t seed) {
    current_[slot] = -1;
    const pid_t child = ::fork();
    if (child < 0) throw system_error("process", "cannot be started", errno);
    if (child > 0) return child;
    try {
      work(slot, seed);
    } catch (const std::exception& error) {
      breach(*arena_, fmt::format("a process threw: {}", error.what()));
    }
    ::_exit(0);
  }

  // Every other one a holder: by chance alone they would be few.
  std::size_t victim(const std::vector<pid_t>& slots, std::mt19937_64& random) const {
    const int holder = arena_->marks[random() % static_cast<unsigned>(options_.devices)];
    const auto found = std::find(slots.begin(), slots.end(), holder);
    const bool wants_holder = random() % 2 == 0;
    if (wants_holder && found != slots.end()) return static_cast<std::size_t>(found - slots.begin());
    return random() % slots.size();
  }

  void work(std::size_t slot, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    while (arena_->completed < options_.acquisitions && arena_->breaches == 0) {
      const int index = arena_->begun++;
      if (index >= record_room_) return;
      Acquisition& own = records_[index];
      own.device = static_cast<int>(random() % static_cast<unsigned>(options_.devices));
      own.priority = static_cast<int>(random() % lease::kPriorityNames.size());
      lease::LeaseRequest request;
      request.folder = options_.folder;
      request.device = device_name(own.device);
      request.priority = static_cast<lease::Priority>(own.priority);
      request.who = lease::own_claim(fmt::format("fighter {}", slot));
      request.on_wait = [&](const lease::Waiting&) {
        if (own.stage == Stage::asks) {
          own.waited = now();
          own.stage = Stage::waits;
        }
      };
      own.stage = Stage::asks;
      own.asked = now();
      current_[slot] = index;
      lease::Lease held = lease::acquire(request);
      own.held = now();
      take_mark(own);
      own.stage = Stage::holds;
      std::this_thread::sleep_for(
          std::chrono::microseconds(random() % static_cast<unsigned>(options_.longest_hold_us)));
      arena_->marks[own.device] = 0;
      own.ended = now();
      own.stage = Stage::over;
      held.release();
      ++arena_->completed;
    }
  }

  void take_mark(Acquisition& own) {
    const int self = ::getpid();
    int found = 0;
    if (!arena_->marks[own.device].compare_exchange_strong(found, self)) {
      if (!is_ending(found))
        breach(*arena_, fmt::format("processes {} and {} held {} at once", found, self, device_name(own.device)));
      arena_->marks[own.device] = self;
    }
    own.turn = ++arena_->turns[own.device];
  }

  void kill(pid_t child, std::size_t slot) {
    const Nanoseconds when = now();
    ::kill(child, SIGKILL);
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int index = current_[slot];
    if (index < 0 || !WIFSIGNALED(status)) return;
    Acquisition& record = records_[index];
    const bool held = record.turn != 0 && record.stage != Stage::over;
    if (held) {
      record.ended = std::max(when, record.held.load());
      record.killed_holding = true;
      ++report_.killed_holding;
    } else if (record.stage == Stage::waits) {
      ++report_.killed_waiting;
    } else {
      ++report_.killed_otherwise;
    }
    if (record.stage != Stage::over) record.stage = held ? Stage::over : Stage::died;
  }

  // The next comer removes what the dead left.
  void sweep() {
    for (int device = 0; device < options_.devices; ++device) {
      lease::LeaseRequest request;
      request.folder = options_.folder;
      request.device = device_name(device);
      request.who = lease::own_claim("the next comer");
      if (!lease::try_acquire(request))
        report_.breaches.push_back(request.device + " is still held by nobody who lives");
    }
    for (const auto& entry : std::filesystem::directory_iterator(options_.folder))
      report_.breaches.push_back(entry.path().filename().string() + " was left in the folder");
  }

  void judge() {
    for (int i = 0; i < std::min(arena_->breaches.load(), 64); ++i) report_.breaches.emplace_back(arena_->breach[i]);
    std::vector<std::vector<const Acquisition*>> turns(static_cast<std::size_t>(options_.devices));
    const int all = std::min(arena_->begun.load(), record_room_);
    for (int i = 0; i < all; ++i) {
      if (records_[i].turn != 0) turns[static_cast<std::size_t>(records_[i].device)].push_back(&records_[i]);
    }
    for (auto& queue : turns) {
      std::sort(queue.begin(), queue.end(), [](const auto* a, const auto* b) { return a->turn < b->turn; });
      judge_order(queue);
      measure(queue);
    }
    std::sort(report_.after_release_ms.begin(), report_.after_release_ms.end());
    std::sort(report_.after_death_ms.begin(), report_.after_death_ms.end());
  }

  // Nobody held before another who surely waited already when it asked, within a priority; nor while one of a higher
  // priority surely waited when the device became free.
  void judge_order(const std::vector<const Acquisition*>& queue) {
    for (std::size_t first = 0; first < queue.size(); ++first) {
      const Acquisition& early = *queue[first];
      for (std::size_t second = first + 1; second < std::min(queue.size(), first + 400); ++second) {
        const Acquisition& late = *queue[second];  // its turn came later
        if (late.waited == 0) continue;
        if (late.priority == early.priority && late.waited < early.asked)
          report_.breaches.push_back(
              fmt::format("turn {} came before turn {}, which had waited longer", early.turn.load(), late.turn.load()));
        if (first > 0 && late.priority < early.priority && late.waited < queue[first - 1]->ended)
          report_.breaches.push_back(
              fmt::format("turn {} came before turn {} of a higher priority", early.turn.load(), late.turn.load()));
      }
    }
  }

  void measure(const std::vector<const Acquisition*>& queue) {
    for (std::size_t i = 1; i < queue.size(); ++i) {
      const Acquisition &before = *queue[i - 1], &next = *queue[i];
      // Who came when the device was free already waited for nobody.
      if (next.waited == 0 || next.waited > before.ended) continue;
      const double ms = static_cast<double>(next.held - before.ended) / 1e6;
      (before.killed_holding ? report_.after_death_ms : report_.after_release_ms).push_back(ms);
    }
  }

  const FightOptions& options_;
  FightReport report_;
  Arena* arena_;
  int record_room_;
  Acquisition* records_;
  std::atomic<int>* current_;  // a slot's acquisition
};

}  // namespace

FightReport fight(const FightOptions& options) {
  if (options.devices < 1 || options.devices > kMostDevices || options.processes < 1 || options.longest_hold_us < 1)
    throw Error(ErrorKind::usage, "fight", "is out of range", "1 to 16 devices, a process and 1 us at least");
  return Fight(options).run();
}

}  // namespace kgate::bench
