#include "gate/report/reproduce.h"

#include <vector>

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
  const std::string line = one_line(name);
  if (columns(line) <= kLongestName) return word(name);
  const std::string begin = cut(line, kLongestName);
  return word(begin.substr(0, begin.size() - 3) + "*");
}

std::string command(const Result& result, const std::vector<std::string>& kernels, const std::string& seed) {
  std::string text = "kgate " + word(result.verb);
  for (const std::string& kernel : kernels) text += " " + name_word(kernel);
  text += " --profile " + word(result.profile);
  if (!result.policy_commit.empty()) text += " --policy-ref " + word(result.policy_commit.substr(0, 10));
  if (!result.source_base.empty() && result.source_base != result.policy_commit)
    text += " --baseline " + word(result.source_base.substr(0, 10));
  if (!result.backend.empty()) text += " --backend " + word(result.backend);
  if (result.sanitizer) text += " --sanitize";
  return text + " --seed " + word(seed);
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
  if (names.empty() || names.size() > kMostNames) names = result.selection;
  if (names.size() > kMostNames) names.clear();  // all kernels
  return command(result, names, seed);
}

std::string reproduce(const Result& result, const KernelResult& kernel) {
  const std::string& seed = seed_of(result, kernel);
  return seed.empty() ? std::string() : command(result, {kernel.name}, seed);
}

}  // namespace kgate::report
