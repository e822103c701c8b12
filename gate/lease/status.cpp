#include "gate/lease/status.h"

#include <cerrno>

#include <fmt/format.h>
#include <sys/stat.h>

#include "gate/lease/queue.h"
#include "gate/lease/user_name.h"

namespace kgate::lease {
namespace {

Party party_of(const Entry& entry) {
  Party party;
  party.claim = entry.claim();
  party.priority = entry.name.priority;
  party.ticket = text_of(entry.name);
  party.owner = entry.owner;
  party.for_s = seconds_since(party.claim);
  return party;
}

void remark_on(const std::string& name, const Queue& queue, std::vector<std::string>& remarks) {
  for (const auto& [file, owner] : queue.unreadable) {
    remarks.push_back(
        fmt::format("{} cannot be read (it belongs to {}): nobody can lease {} until its owner or "
                    "root removes it",
                    file, user_name(owner), name));
  }
  for (const std::string& file : queue.strange)
    remarks.push_back(fmt::format("{} is no plain file and holds no place in the queue: remove it", file));
  for (std::size_t i = 1; i < queue.holders.size(); ++i) {
    remarks.push_back(fmt::format("{} is held twice, also by {}: somebody does not keep the rules of the queue", name,
                                  in_words(queue.holders[i].claim())));
  }
}

}  // namespace

QueueStatus read_status(const std::filesystem::path& path, const Interrupt* interrupt) {
  struct stat there {};
  if (::lstat(path.c_str(), &there) != 0 && errno == ENOENT) return {};
  FolderOptions options;
  options.create = false;
  const Folder folder = Folder::open(path, options);
  const FolderLock lock(folder, interrupt);
  QueueStatus result;
  result.remarks = folder.remarks();
  for (const auto& [name, queue] : read_queues(folder, "", true)) {
    remark_on(name, queue, result.remarks);
    if (queue.holders.empty() && queue.waiting.empty()) continue;
    DeviceQueue device;
    const auto dot = name.find('.');
    device.device = name.substr(0, dot);
    if (dot != std::string::npos) device.within = name;
    if (!queue.holders.empty()) device.holder = party_of(queue.holders.front());
    for (const Entry& entry : queue.waiting) device.waiting.push_back(party_of(entry));
    result.devices.push_back(std::move(device));
  }
  return result;
}

}  // namespace kgate::lease
