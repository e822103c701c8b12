#include "gate/report/reproduce.h"

#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"

namespace kgate::report {
namespace {

using verdict::KernelResult;
using verdict::Result;

constexpr std::size_t kLongestName = 200;  // columns
constexpr std::size_t kMostNames = 20;     // nobody reads a command of a thousand names

// A name that nobody would paste is a pattern with its beginning.
std::string name_word(const std::string& name) {
  const std::string begin = short_line(name, kLongestName);
  if (begin == one_line(name)) return word(name);
  return word(begin.substr(0, begin.size() - 3) + "*");
}

std::string command(const Result& result, const std::vector<std::string>& kernels, const std::string& seed) {
  std::string text = "kgate " + word(short_name(result.verb));
  for (const std::string& kernel : kernels) text += " " + name_word(kernel);
  text += " --profile " + word(short_name(result.profile));
  if (!result.policy_commit.empty()) text += " --policy-ref " + word(result.policy_commit.substr(0, 10));
  if (!result.source_base.empty() && result.source_base != result.policy_commit)
    text += " --baseline " + word(result.source_base.substr(0, 10));
  if (!result.backend.empty()) text += " --backend " + word(short_name(result.backend));
  if (result.sanitizer) text += " --sanitize";
  return text + " --seed " + word(short_name(seed));
}

// No candidate of the working tree's: a bisection between the two begins with this measurement.
std::string bisect_from(const Result& result, const std::string& seed) {
  return fmt::format("kgate bisect {} {} {} --policy-ref {} --backend {} --seed {}",
                     word(result.source_base.substr(0, 10)), word(result.source_commit.substr(0, 10)),
                     word(result.selection.empty() ? "" : result.selection.front()),
                     word(result.policy_commit.substr(0, 10)), word(result.backend), word(seed));
}

const std::string& seed_of(const Result& result, const KernelResult& kernel) {
  return kernel.seed.empty() ? result.seed : kernel.seed;
}

}  // namespace

std::string reproduce(const Result& result) {
  std::vector<std::string> names;
  std::string seed = result.seed;
  for (const KernelResult& kernel : result.kernels) {
    if (verdict::passes(kernel.verdict)) continue;
    // Of shards with a seed each only kernels of one are repeated by one command: those of the first.
    if (seed.empty()) seed = kernel.seed;
    if (seed_of(result, kernel) == seed) names.push_back(kernel.name);
  }
  if (seed.empty()) return {};
  if (result.verb == "bisect") return bisect_from(result, seed);
  // Names are enough; without them a shard's command is for its own kernels.
  std::string shard;
  if (names.empty() || names.size() > kMostNames) {
    names = result.selection;
    if (result.shard_total > 1) shard = fmt::format(" --shard {}/{}", result.shard_index, result.shard_total);
  }
  if (names.size() > kMostNames) names.clear();  // all kernels
  return command(result, names, seed) + shard;
}

std::string reproduce(const Result& result, const KernelResult& kernel) {
  const std::string& seed = seed_of(result, kernel);
  if (seed.empty()) return {};
  return result.verb == "bisect" ? bisect_from(result, seed) : command(result, {kernel.name}, seed);
}

}  // namespace kgate::report
