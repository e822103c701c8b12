#include "runner/child/privileges.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <fmt/format.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace kgate::runner {
namespace {

using Sets = std::array<__user_cap_data_struct, 2>;  // capabilities 0-31 and 32-63

bool get_sets(Sets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return ::syscall(SYS_capget, &header, sets.data()) == 0;
}

bool set_sets(const Sets& sets) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  return ::syscall(SYS_capset, &header, sets.data()) == 0;
}

// What may stay: nothing, or CAP_PERFMON as far as it is in force.
Sets sets_to_keep(bool keep_counters) {
  constexpr int kPerfmon = 38;  // Linux 5.8; older headers do not name it
  constexpr std::uint32_t kBit = 1U << (kPerfmon % 32);
  Sets kept{}, now{};
  if (keep_counters && get_sets(now)) {
    const std::uint32_t bit = now[kPerfmon / 32].permitted & now[kPerfmon / 32].effective & kBit;
    kept[kPerfmon / 32].permitted = kept[kPerfmon / 32].effective = bit;
  }
  return kept;
}

// First, while CAP_SETPCAP is there; a user without it has no way to use the bounding set either.
void empty_bounding_set() {
  for (int capability = 0; ::prctl(PR_CAPBSET_READ, capability, 0, 0, 0) >= 0; ++capability)
    ::prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
}

}  // namespace

std::string drop_privileges(bool keep_counters) {
  const Sets kept = sets_to_keep(keep_counters);
  empty_bounding_set();
  ::prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return fmt::format("no_new_privs cannot be set: {}", std::strerror(errno));
  if (!set_sets(kept)) return fmt::format("capabilities cannot be dropped: {}", std::strerror(errno));
  Sets left{};
  if (!get_sets(left)) return fmt::format("capabilities cannot be read: {}", std::strerror(errno));
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (left[i].permitted != kept[i].permitted || left[i].effective != kept[i].effective || left[i].inheritable != 0)
      return "capabilities are left after they were dropped";
  }
  return {};
}

void volunteer_for_oom() {
  // As if it held half of the machine's memory more than it does.
  std::ofstream("/proc/self/oom_score_adj") << 500;
}

}  // namespace kgate::runner
