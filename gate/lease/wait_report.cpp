#include "gate/lease/wait_report.h"

#include <fmt/format.h>

namespace kgate::lease {
namespace {

using std::chrono::milliseconds;
using namespace std::chrono_literals;

milliseconds after(milliseconds waited) {
  if (waited < 10s) return 10s;
  if (waited < 30s) return 30s;
  return waited - waited % 60s + 60s;
}

}  // namespace

std::string in_words(const Waiting& waiting) {
  std::string text = fmt::format("waiting for {}: place {} of {}", waiting.device, waiting.place, waiting.length);
  if (waiting.waited_s >= 1) text += fmt::format(", after {}", duration_in_words(waiting.waited_s));
  if (waiting.holder) {
    text += fmt::format("; {} {} for {}", waiting.holds ? "held by" : "after", in_words(*waiting.holder),
                        duration_in_words(seconds_since(*waiting.holder)));
  }
  return waiting.remark.empty() ? text : text + "; " + waiting.remark;
}

bool WaitRhythm::due(milliseconds waited, std::size_t place, const std::string& holder_ticket) {
  const bool changed = place != place_ || holder_ticket != holder_;
  if (told_ && waited < next_ && !(changed && waited - last_ >= 5s)) return false;
  told_ = true;
  last_ = waited;
  next_ = after(waited);
  place_ = place;
  holder_ = holder_ticket;
  return true;
}

}  // namespace kgate::lease
