#pragma once

#include <string>
#include <vector>

#include "gate/drift/attribution.h"

namespace kgate::drift {

// One change of one series, and why.
struct Explained {
  Kernel* kernel = nullptr;
  Series* series = nullptr;
  Change* change = nullptr;
  const Explanation* why = nullptr;
};

// Puts changes together that have one night, one direction and one cause. `nights`: by time.
class EventMaker {
 public:
  EventMaker(const std::vector<Night>& nights, const std::vector<Kernel>& kernels)
      : nights_(nights), kernels_(kernels) {}

  void add(Explained one) { changes_.push_back(one); }
  // The newest first; each change then knows its event.
  std::vector<Event> events(Attribution& attribution);

 private:
  struct Group;
  std::size_t night_of(const Explained& one, Attribution& attribution) const;
  Event event_of(const Group& group) const;
  std::size_t kernels_across(std::int64_t last_before, std::int64_t day) const;

  const std::vector<Night>& nights_;
  const std::vector<Kernel>& kernels_;
  std::vector<Explained> changes_;
};

// "driver 580.82 -> 580.95", "record 12 was accepted", "nothing that kgate records changed".
std::string why_of(const Event& event);

}  // namespace kgate::drift
