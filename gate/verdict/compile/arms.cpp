#include "gate/verdict/compile/arms.h"

#include <algorithm>
#include <set>

#include "base/error.h"

namespace kgate::verdict {
namespace {

bool same(const runner::Buffer& a, const runner::Buffer& b) {
  return a.role == b.role && a.dtype == b.dtype && a.bytes == b.bytes && a.zeroed == b.zeroed;
}

// An entry's name in the code: two names of one template instance are one kernel.
const std::string& symbol_of(const runner::Compiled& code, const std::string& entry) {
  const auto found = code.symbols.find(entry);
  return found == code.symbols.end() ? entry : found->second;
}

bool same(const runner::Argument& a, const runner::Argument& b) {
  return a.buffer == b.buffer && a.scalar == b.scalar;
}

bool same_but_entry(const runner::Launch& a, const runner::Launch& b) {
  return a.grid == b.grid && a.block == b.block && a.shared_bytes == b.shared_bytes && a.cluster == b.cluster &&
         a.cooperative == b.cooperative &&
         std::equal(a.arguments.begin(), a.arguments.end(), b.arguments.begin(), b.arguments.end(),
                    [](const auto& x, const auto& y) { return same(x, y); });
}

// Where a version's scratch buffers are among all: in those of other versions that are like them, else at the end.
std::vector<std::uint32_t> place_scratch(const cases::Binding& binding, std::size_t parameters,
                                         std::vector<runner::Buffer>& buffers, bool mark,
                                         std::set<std::uint32_t>& marked) {
  std::vector<std::uint32_t> places;
  for (std::size_t i = parameters; i < binding.buffers.size(); ++i) {
    std::size_t place = parameters;
    const auto taken = [&] { return std::find(places.begin(), places.end(), place) != places.end(); };
    while (place < buffers.size() && (taken() || !same(buffers[place], binding.buffers[i]))) ++place;
    if (place == buffers.size()) buffers.push_back(binding.buffers[i]);
    places.push_back(static_cast<std::uint32_t>(place));
    if (mark) marked.insert(places.back());
  }
  return places;
}

}  // namespace

bool same_version(const runner::Compiled& code_a, const cases::Binding& a, const runner::Compiled& code_b,
                  const cases::Binding& b) {
  return code_a.code == code_b.code &&
         std::equal(a.buffers.begin(), a.buffers.end(), b.buffers.begin(), b.buffers.end(),
                    [](const auto& x, const auto& y) { return same(x, y); }) &&
         std::equal(a.launches.begin(), a.launches.end(), b.launches.begin(), b.launches.end(),
                    [&](const auto& x, const auto& y) {
                      return symbol_of(code_a, x.entry) == symbol_of(code_b, y.entry) && same_but_entry(x, y);
                    });
}

Arms merge(const std::vector<Contender>& contenders, std::size_t parameters, bool apart) {
  if (contenders.empty()) throw Error(ErrorKind::internal, "arms", "there is nothing to time");
  Arms merged;
  const auto& interface = contenders.front().binding.buffers;
  merged.buffers.assign(interface.begin(), interface.begin() + static_cast<std::ptrdiff_t>(parameters));
  std::set<std::uint32_t> needed;     // scratch buffers that others than the first contender use
  std::vector<std::size_t> first_of;  // of each arm: the contender that made it
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    const auto twin = std::find_if(first_of.begin(), first_of.end(), [&](std::size_t other) {
      return same_version(*contenders[other].artifact, contenders[other].binding, *contenders[i].artifact,
                          contenders[i].binding);
    });
    if (!apart && twin != first_of.end()) {
      merged.arm_of.push_back(static_cast<std::size_t>(twin - first_of.begin()));
      continue;
    }
    const auto places = place_scratch(contenders[i].binding, parameters, merged.buffers, i > 0, needed);
    runner::TimedArm arm{static_cast<std::uint32_t>(i), contenders[i].binding.launches};
    for (auto& launch : arm.launches) {
      for (auto& argument : launch.arguments) {
        if (argument.buffer && *argument.buffer >= parameters) argument.buffer = places[*argument.buffer - parameters];
      }
    }
    merged.arm_of.push_back(first_of.size());
    merged.arms.push_back(std::move(arm));
    first_of.push_back(i);
  }
  merged.without_first.assign(merged.buffers.begin(), merged.buffers.begin() + static_cast<std::ptrdiff_t>(parameters));
  for (const std::uint32_t place : needed) merged.without_first.push_back(merged.buffers[place]);
  return merged;
}

std::size_t parameter_buffers(const cases::CasesSpec& cases) {
  return static_cast<std::size_t>(std::count_if(cases.params.begin(), cases.params.end(), [](const auto& param) {
    return param.kind != cases::ParamKind::scalar;
  }));
}

}  // namespace kgate::verdict
