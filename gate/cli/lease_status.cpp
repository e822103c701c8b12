#include <algorithm>
#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/json.h"
#include "fingerprint/gpu_choice.h"
#include "gate/cli/lease_settings.h"
#include "gate/cli/verbs.h"
#include "gate/lease/devices.h"
#include "gate/lease/status.h"
#include "gate/lease/strangers.h"
#include "gate/report/report.h"

namespace kgate::cli {
namespace {

// A device of the queue, of NVML's list, or of both.
struct Row {
  std::string device, name;  // name: NVML's
  std::string trouble;       // in the queue, and NVML does not list it; else empty
  lease::DeviceQueue queue;
  lease::Strangers strangers;
};

void watch(Row& row, const fingerprint::Nvml& nvml, unsigned index) {
  try {
    const auto holder = row.queue.holder ? std::optional(row.queue.holder->claim) : std::nullopt;
    row.strangers = lease::find_strangers(nvml.state(index).processes, holder, lease::own_viewpoint());
  } catch (const Error& error) {
    row.trouble = error.what();  // lost since it was listed
  }
}

std::vector<Row> rows_of(std::vector<lease::DeviceQueue> queues, const fingerprint::Nvml* nvml) {
  std::vector<Row> rows;
  for (auto& queue : queues) rows.push_back({queue.device, "", "", std::move(queue), {}});
  const auto listed = nvml == nullptr ? std::vector<lease::ListedDevice>{} : lease::listed_devices(*nvml);
  for (const auto& one : listed) {
    const auto same = [&](const Row& row) { return row.device == one.uuid; };
    if (std::none_of(rows.begin(), rows.end(), same)) rows.push_back({one.uuid, "", "", {one.uuid, "", {}, {}}, {}});
  }
  for (Row& row : rows) {
    const auto found =
        std::find_if(listed.begin(), listed.end(), [&](const auto& one) { return one.uuid == row.device; });
    if (found != listed.end()) {
      row.name = found->name;
      // Of an instance NVML does not tell whose processes are whose here.
      if (found->instance || !row.queue.within.empty()) continue;
      watch(row, *nvml, found->index);
    } else if (nvml != nullptr && row.device != lease::kHostDevice) {
      row.trouble = "NVML does not list it: it was lost, or is not visible in this container";
    }
  }
  return rows;
}

Json json_of(const lease::Party& party) {
  const auto& claim = party.claim;
  return {{"job", claim.job},     {"user", claim.user},   {"uid", party.owner},
          {"host", claim.host},   {"pid", claim.pid},     {"priority", lease::name_of(party.priority)},
          {"since", claim.since}, {"for_s", party.for_s}, {"ticket", party.ticket}};
}

Json json_of(const Row& row) {
  Json waiting = Json::array(), strangers = Json::array();
  for (const auto& party : row.queue.waiting) waiting.push_back(json_of(party));
  for (const auto& one : row.strangers.known)
    strangers.push_back({{"pid", one.pid}, {"name", one.name}, {"user", one.user}, {"memory_bytes", one.memory_bytes}});
  return {{"device", row.device},
          {"name", row.name},
          {"within", row.queue.within},
          {"trouble", row.trouble},
          {"holder", row.queue.holder ? json_of(*row.queue.holder) : Json()},
          {"waiting", waiting},
          {"without_lease", strangers},
          {"unseen_processes", row.strangers.unseen}};
}

void print(const Row& row) {
  std::string text = row.device;
  if (!row.name.empty()) text += "  " + row.name;
  if (!row.queue.within.empty()) text += "  within the lease " + row.queue.within;
  text += '\n';
  if (!row.trouble.empty()) text += fmt::format("  {}\n", row.trouble);
  if (row.queue.holder) {
    const auto& holder = *row.queue.holder;
    text += fmt::format("  held by {}, {}, for {}\n", in_words(holder.claim), lease::name_of(holder.priority),
                        lease::duration_in_words(holder.for_s));
  } else {
    text += "  free\n";
  }
  for (std::size_t i = 0; i < row.queue.waiting.size(); ++i) {
    const auto& party = row.queue.waiting[i];
    text += fmt::format("  {}. {}, {}, waits for {}\n", i + 1, in_words(party.claim), lease::name_of(party.priority),
                        lease::duration_in_words(party.for_s));
  }
  for (const auto& line : lease::in_words(row.strangers, row.device)) text += fmt::format("  warning: {}\n", line);
  std::cout << report::neutral(text);
}

}  // namespace

ExitCode show_lease_status(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (!arguments.names.empty())
    throw Error(ErrorKind::usage, "kgate lease status", "takes no command", "did you mean kgate lease run?");
  const auto request = lease_request(invocation, lease_rules(invocation), "kgate lease status");
  const auto seen = lease::read_status(request.folder, &invocation.interrupt);
  const auto nvml = fingerprint::Nvml::open(nullptr);
  const auto rows = rows_of(seen.devices, nvml.get());
  if (arguments.format == "json") {
    Json devices = Json::array();
    for (const auto& row : rows) devices.push_back(json_of(row));
    std::cout << Json{{"schema", "kgate.lease-status/1"},
                      {"folder", request.folder.string()},
                      {"devices", devices},
                      {"remarks", seen.remarks}}
                     .dump(2, ' ', false, Json::error_handler_t::replace)
              << '\n';
    return ExitCode::pass;
  }
  std::cout << report::neutral(fmt::format("queue: {}\n", request.folder.string()));
  for (const auto& row : rows) print(row);
  if (rows.empty()) std::cout << "nobody holds or waits for a device\n";
  for (const auto& remark : seen.remarks) std::cout << "note: " << report::neutral(remark) << '\n';
  return ExitCode::pass;
}

}  // namespace kgate::cli
