#include "gate/lease/strangers.h"

#include <fmt/format.h>

#include "base/quote.h"
#include "gate/lease/user_name.h"

namespace kgate::lease {
namespace {

constexpr std::uint64_t kHostsPidNamespace = 0xEFFFFFFC;  // PROC_PID_INIT_INO: the same on every Linux

std::string plain(const std::string& text) {
  const std::string safe = kgate::quoted(text);
  return safe.substr(1, safe.size() - 2);
}

}  // namespace

Viewpoint own_viewpoint() {
  const std::uint64_t own = own_claim("").pid_namespace;
  return {read_process_tree(), own, own == kHostsPidNamespace};
}

Strangers find_strangers(const std::vector<fingerprint::GpuProcess>& processes, const std::optional<Claim>& holder,
                         const Viewpoint& view) {
  Strangers found;
  const bool holder_is_here = holder && holder->pid != 0 && holder->pid_namespace == view.pid_namespace;
  for (const auto& process : processes) {
    const auto here = view.tree.find(static_cast<pid_t>(process.pid));
    if (!view.numbers_are_nvmls || here == view.tree.end()) {
      ++found.unseen;
      // From inside of a container, the holder's own processes cannot be told from others.
      found.unseen_may_be_the_holders = holder && (!holder_is_here || !view.numbers_are_nvmls);
      continue;
    }
    if (holder && !holder_is_here) {
      ++found.unseen;
      found.unseen_may_be_the_holders = true;
      continue;
    }
    if (holder && descends_from(view.tree, here->first, static_cast<pid_t>(holder->pid))) continue;
    found.known.push_back({process.pid, process.name.empty() ? here->second.name : process.name,
                           user_name(here->second.user), process.memory_bytes});
  }
  return found;
}

std::vector<std::string> in_words(const Strangers& strangers, const std::string& device) {
  std::vector<std::string> lines;
  for (const auto& one : strangers.known) {
    const std::string memory =
        one.memory_bytes == 0 ? "" : fmt::format(", {:.1f} GiB", static_cast<double>(one.memory_bytes) / (1 << 30));
    lines.push_back(fmt::format("{} of {} (process {}{}) uses {} without its lease", plain(one.name), plain(one.user),
                                one.pid, memory, device));
  }
  if (strangers.unseen == 0) return lines;
  const std::string many = strangers.unseen == 1
                               ? "a process that is not visible here uses"
                               : fmt::format("{} processes that are not visible here use", strangers.unseen);
  lines.push_back(fmt::format("{} {}{}", many, device,
                              strangers.unseen_may_be_the_holders
                                  ? "; whether the holder of its lease started them cannot be told"
                                  : " without its lease"));
  return lines;
}

}  // namespace kgate::lease
