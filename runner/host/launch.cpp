#include "runner/host/launch.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::runner::host {
namespace {

constexpr Dim kMaxBlock{1024, 1024, 64};
constexpr Dim kMaxGrid{2147483647, 65535, 65535};
constexpr std::array<char, 3> kAxes{'x', 'y', 'z'};
// A stack is two mappings, and Linux allows 65530 a process: fewer workers where blocks are large.
constexpr std::uint32_t kMaxStacks = 24576;

RunOutcome fault(const std::string& text) {
  return {false, false, text};
}
RunOutcome unsupported(const std::string& text) {
  return {false, true, text};
}

// First thing wrong with three dimensions.
std::optional<std::string> over_limits(const char* what, const Dim& size, const Dim& most) {
  for (std::size_t i = 0; i < 3; ++i) {
    if (size[i] == 0) return fmt::format("launch: {}.{} is 0; at least 1", what, kAxes[i]);
    if (size[i] > most[i]) return fmt::format("launch: {}.{} is {}; at most {}", what, kAxes[i], size[i], most[i]);
  }
  return std::nullopt;
}

std::optional<std::string> mismatch(const Launch& launch, const kgate_host_entry& entry) {
  if (launch.arguments.size() != entry.parameters) {
    return fmt::format("launch: \"{}\" takes {} parameters; {} are given", launch.entry, entry.parameters,
                       launch.arguments.size());
  }
  for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
    const std::size_t given = launch.arguments[i].buffer ? sizeof(void*) : launch.arguments[i].scalar.size();
    if (given != entry.parameter_bytes[i]) {
      return fmt::format("launch: parameter {} of \"{}\" has {} bytes; {} are given", i + 1, launch.entry,
                         entry.parameter_bytes[i], given);
    }
  }
  return std::nullopt;
}

const Module& module_of(const Modules& modules, std::uint32_t arm) {
  const auto module = modules.find(arm);
  if (module == modules.end()) throw Error(ErrorKind::usage, "host backend", fmt::format("arm {} is not loaded", arm));
  return *module->second;
}

}  // namespace

std::optional<RunOutcome> refused(const Launch& launch, std::uint32_t shared_bytes, std::size_t entries) {
  if (launch.cluster && *launch.cluster != Dim{1, 1, 1})
    return unsupported("launch: thread block clusters are beyond the host backend");
  if (launch.cooperative) return unsupported("launch: cooperative launches are beyond the host backend");
  // The product first: a block of 2048 threads is over both limits, and this is the one that people know.
  const std::uint64_t threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
  if (threads > kMaxBlockThreads)
    return fault(fmt::format("launch: block of {} threads; at most {}", threads, kMaxBlockThreads));
  if (const auto text = over_limits("block", launch.block, kMaxBlock)) return fault(*text);
  if (const auto text = over_limits("grid", launch.grid, kMaxGrid)) return fault(*text);
  // The figure of several kernels together says something only where it is too much for all of them. (64: room for
  // kgate's own references.)
  if (shared_bytes > kMaxStaticSharedBytes * entries + 64) {
    return fault(
        fmt::format("launch: {} bytes of static shared memory; at most {}", shared_bytes, kMaxStaticSharedBytes));
  }
  if (launch.shared_bytes > kMaxSharedBytes) {
    return fault(
        fmt::format("launch: {} bytes of dynamic shared memory; at most {}", launch.shared_bytes, kMaxSharedBytes));
  }
  return std::nullopt;
}

PreparedLaunch::PreparedLaunch(const Launch& launch, const kgate_host_entry& entry,
                               std::span<std::byte* const> payloads)
    : entry_(&entry), grid_(launch.grid), block_(launch.block) {
  for (const Argument& argument : launch.arguments) {
    const std::size_t bytes = argument.buffer ? sizeof(void*) : argument.scalar.size();
    std::vector<Cell> cells((bytes + sizeof(Cell) - 1) / sizeof(Cell));
    if (argument.buffer) {
      if (*argument.buffer >= payloads.size()) {
        throw Error(ErrorKind::internal, "host backend",
                    fmt::format("an argument names buffer {} of {}", *argument.buffer, payloads.size()));
      }
      std::memcpy(cells.data(), &payloads[*argument.buffer], sizeof(void*));
    } else if (bytes > 0) {
      std::memcpy(cells.data(), argument.scalar.data(), bytes);
    }
    values_.push_back(std::move(cells));
    pointers_.push_back(values_.back().data());  // moving the outer vector leaves the cells where they are
  }
}

Prepared prepare(const Launches& launches, const Modules& modules, std::uint32_t arm,
                 std::span<std::byte* const> payloads) {
  Prepared prepared;
  module_of(modules, arm);
  for (const Launch& launch : launches) {
    const Module& module = module_of(modules, launch.code.value_or(arm));
    const kgate_host_entry* const entry = module.entry(launch.entry);
    if (entry == nullptr)
      throw Error(ErrorKind::usage, fmt::format("entry \"{}\"", launch.entry), "the loaded kernel does not have it");
    if (const auto outcome = refused(launch, module.shared_bytes(), module.entries())) {
      prepared.outcome = *outcome;
      return prepared;
    }
    if (const auto text = mismatch(launch, *entry)) {
      prepared.outcome = fault(*text);
      return prepared;
    }
    prepared.launches.emplace_back(launch, *entry, payloads);
  }
  return prepared;
}

RunOutcome Grid::run(const PreparedLaunch& launch) {
  const Dim& grid = launch.grid();
  const std::uint64_t blocks = std::uint64_t{grid[0]} * grid[1] * grid[2];
  const std::uint32_t block_threads = launch.block()[0] * launch.block()[1] * launch.block()[2];
  const std::uint64_t most =
      std::min<std::uint64_t>({workers_.count(), blocks, std::max(1u, kMaxStacks / block_threads)});
  const auto workers = static_cast<std::uint32_t>(most);
  const std::uint64_t chunk = std::clamp<std::uint64_t>(blocks / (std::uint64_t{workers} * 8), 1, 64);

  std::atomic<std::uint64_t> next{0};
  std::atomic<bool> stop{false};
  std::mutex mutex;
  RunOutcome outcome;
  std::exception_ptr failure;
  workers_.run(workers, [&](std::uint32_t worker) {
    try {
      if (!runners_[worker]) runners_[worker] = std::make_unique<BlockRunner>();
      for (std::uint64_t first = next.fetch_add(chunk); first < blocks && !stop; first = next.fetch_add(chunk)) {
        for (std::uint64_t i = first; i < std::min(blocks, first + chunk) && !stop; ++i) {
          const Dim index{static_cast<std::uint32_t>(i % grid[0]), static_cast<std::uint32_t>(i / grid[0] % grid[1]),
                          static_cast<std::uint32_t>(i / grid[0] / grid[1])};
          auto found = runners_[worker]->run(launch.entry(), launch.arguments(), grid, launch.block(), index);
          if (!found) continue;
          const std::lock_guard<std::mutex> lock(mutex);
          if (outcome.ok) outcome = {false, found->unsupported, found->text};
          stop = true;
        }
      }
    } catch (...) {
      const std::lock_guard<std::mutex> lock(mutex);
      failure = std::current_exception();
      stop = true;
    }
  });
  if (failure) std::rethrow_exception(failure);
  return outcome;
}

RunOutcome Grid::run(const std::vector<PreparedLaunch>& launches) {
  for (const PreparedLaunch& launch : launches) {
    RunOutcome outcome = run(launch);
    if (!outcome.ok) return outcome;
  }
  return {};
}

}  // namespace kgate::runner::host
