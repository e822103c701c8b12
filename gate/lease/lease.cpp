#include "gate/lease/lease.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/lease/inherited.h"
#include "gate/lease/lease_variable.h"
#include "gate/lease/queue.h"
#include "gate/lease/user_name.h"

// The problem: one holder a GPU among processes of any user and container, in order, whatever dies.
//
// The choice: the state of the queue is the set of tickets whose owners live (ticket.h), and it only changes under the
// folder's lock: who draws a ticket, and who looks whether it is first and nobody holds. So there is one short critical
// section and no protocol between processes. Between the looks a waiter watches the lock of one ticket, the one
// directly before it, as in an MCS lock; when that is gone, by release or death, it looks again. A release thus wakes
// one waiter, not all.
//
// Rejected: one lock file that all write to (must be writable for all, is made by somebody, whom it belongs to and who
// can remove it, so that the next one locks another file); flock (cannot be looked at without taking it, so a look
// would disturb); a blocking wait for the lock (cannot be ended by a deadline or a signal without a thread or a
// handler); inotify (an instance a waiter, of 128 a user, and it tells of a close before the lock is gone); a counter
// in a file (the numbers of those who live are enough); a daemon (somebody must keep it alive).
//
// The numbers: the first in line looks every 10 ms, one system call of under a microsecond; those behind every 50 ms;
// all read the whole queue once a second. docs/lease.md has what the fight of 50 processes measured.
namespace kgate::lease {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFirstInLine{10}, kBehind{50}, kWholeLook{1000};

// What a look at the queue has found.
struct Look {
  bool holds = false;
  Waiting waiting;
  UniqueFd before;  // the ticket to watch
};

void refuse_what_cannot_be_told(const Folder& folder, const Queue& queue) {
  if (queue.unreadable.empty()) return;
  const auto& [file, owner] = queue.unreadable.front();
  throw Error(ErrorKind::environment, (folder.path() / file).string(),
              fmt::format("cannot be read (it belongs to {}), so it cannot be told whether its owner holds the GPU",
                          user_name(owner)),
              "let its owner or root remove it where that process is gone, or \"chmod 644\" it");
}

// One's own place in a queue, until it holds.
class Place {
 public:
  Place(std::shared_ptr<const Folder> folder, const LeaseRequest& request)
      : folder_(std::move(folder)), request_(request) {
    queue_name_ = request.device;
    if (!request.inherited.empty()) {
      auto found = find_inherited(*folder_, request.inherited, request.device, read_process_tree(), request.who);
      if (found.queue) queue_name_ = *found.queue;
      remark_ = std::move(found.why_not);
    }
  }

  // Draws a ticket at the first call.
  Look look() {
    const FolderLock lock(*folder_, request_.interrupt);
    auto queues = read_queues(*folder_, queue_name_, true);
    Queue& queue = queues[queue_name_];
    refuse_what_cannot_be_told(*folder_, queue);
    if (!ticket_) {
      ticket_ = Ticket::draw(folder_, {queue_name_, request_.priority, queue.last_number + 1}, renewed(request_.who));
    } else if (!ticket_.is_there()) {
      throw Error(ErrorKind::environment, (folder_->path() / text_of(ticket_.name())).string(),
                  "was removed while it was this process's place in the queue",
                  "leave the files in that folder alone; kgate removes its own");
    }
    const auto ahead = static_cast<std::size_t>(std::count_if(
        queue.waiting.begin(), queue.waiting.end(), [&](const Entry& other) { return other.name < ticket_.name(); }));
    Look found;
    found.holds = queue.holders.empty() && (ahead == 0 || is_patience_over(queue.waiting.front().name, ahead));
    if (found.holds) {
      ticket_.hold(renewed(request_.who));
      return found;
    }
    if (!queue.holders.empty()) free_since_.reset();
    describe(queue, ahead, found);
    return found;
  }

  Ticket take() { return std::move(ticket_); }

 private:
  // `first` has not taken its turn. Others may have held and given up between two looks of ours; then it is another
  // one.
  bool is_patience_over(const TicketName& first, std::size_t ahead) {
    const auto now = Clock::now();
    if (!free_since_ || first != idle_) free_since_ = now;
    idle_ = first;
    return now - *free_since_ > request_.patience * static_cast<long>(ahead);
  }

  void describe(Queue& queue, std::size_t ahead, Look& found) const {
    const bool own_is_listed = std::any_of(queue.waiting.begin(), queue.waiting.end(),
                                           [&](const Entry& other) { return other.name == ticket_.name(); });
    Entry& before = ahead > 0 ? queue.waiting[ahead - 1] : queue.holders.front();
    const Entry& shown = queue.holders.empty() ? before : queue.holders.front();
    found.waiting.device = request_.device;
    found.waiting.place = ahead + 1;
    found.waiting.length = queue.waiting.size() + (own_is_listed ? 0 : 1);
    found.waiting.holder = shown.claim();
    found.waiting.holds = !queue.holders.empty();
    found.waiting.holder_ticket = text_of(shown.name);
    found.waiting.remark = remark_;
    found.before = std::move(before.fd);
  }

  std::shared_ptr<const Folder> folder_;
  const LeaseRequest& request_;
  std::string queue_name_, remark_;
  Ticket ticket_;
  std::optional<Clock::time_point> free_since_;
  TicketName idle_;
};

Error too_long(const LeaseRequest& request, const Waiting& waiting) {
  std::string fact = fmt::format("was not free within {} s", request.wait.count());
  if (waiting.holder) {
    fact += fmt::format(": {} {} for {}, and {} others wait before this one",
                        waiting.holds ? "it is held by" : "the turn is with", in_words(*waiting.holder),
                        duration_in_words(seconds_since(*waiting.holder)), waiting.place - 1);
  }
  if (!waiting.remark.empty()) fact += "; " + waiting.remark;
  return {ErrorKind::environment, request.device, fact,
          "see \"kgate lease status\"; wait longer ([lease] wait_s in the policy; --wait of kgate lease run), or end "
          "that job"};
}

}  // namespace

std::optional<Lease> attempt(const LeaseRequest& request, milliseconds limit) {
  if (!is_device_name(request.device)) {
    throw Error(ErrorKind::usage, kgate::quoted(request.device), "is no device that can be leased",
                "name a GPU's UUID as nvidia-smi -L shows it, or \"host\"");
  }
  const auto start = Clock::now();
  const auto folder = std::make_shared<const Folder>(Folder::open(request.folder));
  Place place(folder, request);
  WaitRhythm rhythm;
  while (true) {
    Look look = place.look();
    if (look.holds) {
      Lease lease;
      lease.folder_ = folder;
      lease.request_ = request;
      lease.ticket_ = place.take();
      return lease;
    }
    if (limit == milliseconds(0)) return std::nullopt;
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start);
    look.waiting.waited_s = static_cast<double>(waited.count()) / 1000;
    if (waited >= limit) throw too_long(request, look.waiting);
    if (request.on_wait && rhythm.due(waited, look.waiting.place, look.waiting.holder_ticket))
      request.on_wait(look.waiting);
    const auto next_look = std::min(Clock::now() + kWholeLook, start + limit);
    for (auto state = state_of(look.before.get()); state != TicketState::dead && Clock::now() < next_look;
         state = state_of(look.before.get()))
      sleep_for(state == TicketState::holds ? kFirstInLine : kBehind, request.interrupt);
  }
}

Lease acquire(const LeaseRequest& request) {
  const auto longest = std::chrono::hours(24 * 365);
  const auto limit = std::clamp<std::chrono::seconds>(request.wait, std::chrono::seconds(0), longest);
  return std::move(*attempt(request, std::max<milliseconds>(limit, milliseconds(1))));
}

std::optional<Lease> try_acquire(const LeaseRequest& request) {
  return attempt(request, milliseconds(0));
}

std::vector<Lease> acquire_all(std::vector<std::string> devices, const LeaseRequest& request) {
  std::sort(devices.begin(), devices.end());
  devices.erase(std::unique(devices.begin(), devices.end()), devices.end());
  std::vector<Lease> leases;
  for (std::string& device : devices) {
    LeaseRequest one = request;
    one.device = std::move(device);
    leases.push_back(acquire(one));
  }
  return leases;
}

std::string variable_of(const std::vector<Lease>& leases) {
  std::vector<TicketName> names;
  for (const Lease& lease : leases) names.push_back(lease.ticket());
  return variable_of(names);
}

bool Lease::wanted() const {
  if (!ticket_) return false;
  auto queues = read_queues(*folder_, ticket_.name().device, false);
  const auto& waiting = queues[ticket_.name().device].waiting;
  return std::any_of(waiting.begin(), waiting.end(),
                     [&](const Entry& other) { return other.name.priority <= ticket_.name().priority; });
}

void Lease::leave_to_those_within() {
  if (!ticket_) return;
  const auto within = read_queues(*folder_, text_of(ticket_.name()), false);
  const bool used = std::any_of(within.begin(), within.end(), [](const auto& queue) {
    return !queue.second.holders.empty() || !queue.second.waiting.empty();
  });
  if (used) ticket_.leave();
}

void Lease::yield() {
  const LeaseRequest request = request_;
  release();
  *this = acquire(request);
}

void Lease::check() const {
  if (!ticket_ || ticket_.is_there()) return;
  throw Error(ErrorKind::environment, (folder_->path() / text_of(ticket_.name())).string(),
              fmt::format("was removed while {} was leased, so another job may use it too", device()),
              "leave the files in that folder alone; kgate removes its own");
}

}  // namespace kgate::lease
