#include "gate/verdict/result/consistency.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/quote.h"

namespace kgate::verdict {
namespace {

constexpr const char* kRemedy =
    "it was changed since kgate wrote it, or is none of kgate's: take the one that the run wrote";

int code_of(Verdict verdict) {
  return static_cast<int>(exit_code_of(verdict));
}

// Whatever the profile says.
bool always_blocks(Verdict verdict) {
  return verdict == Verdict::wrong || verdict == Verdict::suspect || verdict == Verdict::untrusted;
}

class Check {
 public:
  Check(const Result& result, const std::string& subject) : result_(result), subject_(subject) {}

  void run() const {
    for (const KernelResult& kernel : result_.kernels) check(kernel);
    if (result_.shard_index < 1 || result_.shard_index > result_.shard_total || result_.shard_total > kMostShards)
      fail(fmt::format("it is shard {} of {}", result_.shard_index, result_.shard_total));
    if (result_.verdict == Verdict::faster || result_.verdict == Verdict::unchanged ||
        result_.verdict == Verdict::preapproved)
      fail(fmt::format("its verdict is \"{}\", which only a kernel's can be", name_of(result_.verdict)));
    if (!ended_early(result_)) check_end();
  }

 private:
  void check_end() const {
    const Conclusion expected = conclusion_of(result_);
    if (result_.verdict != expected.verdict) {
      fail(result_.kernels.empty()
               ? fmt::format("its verdict is \"{}\", and it has no kernel", name_of(result_.verdict))
               : fmt::format("its verdict is \"{}\", and the worst of its kernels' is \"{}\"", name_of(result_.verdict),
                             name_of(expected.verdict)));
    }
    if (result_.exit_code == expected.exit_code) return;
    if (told_by_an_earlier_kgate()) return;
    fail(fmt::format("its exit code is {}, and its kernels give {}", result_.exit_code, expected.exit_code));
  }

  // Which did not write what blocks.
  bool told_by_an_earlier_kgate() const {
    const auto& all = result_.kernels;
    return std::none_of(all.begin(), all.end(), [](const auto& kernel) { return kernel.blocks; }) &&
           std::none_of(all.begin(), all.end(),
                        [&](const auto& kernel) {
                          return always_blocks(kernel.verdict) && code_of(kernel.verdict) != result_.exit_code;
                        }) &&
           result_.exit_code != 0 && std::any_of(all.begin(), all.end(), [&](const auto& kernel) {
             return code_of(kernel.verdict) == result_.exit_code;
           });
  }

  void check(const KernelResult& kernel) const {
    const std::string name = kgate::quoted(kernel.name.substr(0, 100));
    if (kernel.blocks && passes(kernel.verdict))
      fail(fmt::format("kernel {} passes ({}) and blocks", name, name_of(kernel.verdict)));
    for (const CaseResult& one : kernel.cases) {
      const auto bad = [&](const std::string& fact) {
        fail(fmt::format("kernel {}, case {} {}", name, kgate::quoted(one.name.substr(0, 100)), fact));
      };
      if (is_better(kernel.verdict, one.verdict))
        bad(fmt::format("is \"{}\", and the kernel \"{}\"", name_of(one.verdict), name_of(kernel.verdict)));
      if (one.time && one.time->low > one.time->high)
        bad(fmt::format("has a lower bound {} over its upper {}", one.time->low, one.time->high));
    }
  }

  // A kernel that is said to be better than its case. What is not finished, or was accepted beforehand, may be.
  static bool is_better(Verdict kernel, Verdict one) {
    if (passes(one) || one == Verdict::fresh) return false;
    if (kernel == Verdict::preapproved) return one != Verdict::regressed && one != Verdict::inconclusive;
    if (kernel == Verdict::environment || kernel == Verdict::missing) return false;
    // What the toolkit made of an accepted slowdown could not be measured.
    if (kernel == Verdict::inconclusive && one == Verdict::regressed) return false;
    return passes(kernel) || kernel < one;
  }

  [[noreturn]] void fail(const std::string& fact) const {
    throw Error(ErrorKind::usage, subject_, "it contradicts itself: " + fact, kRemedy);
  }

  const Result& result_;
  const std::string& subject_;
};

}  // namespace

Conclusion conclusion_of(const Result& result) {
  if (is_empty_shard(result)) return {Verdict::pass, 0};
  if (result.kernels.empty()) return {};
  std::vector<Verdict> all, blocking;
  for (const KernelResult& kernel : result.kernels) {
    all.push_back(kernel.verdict);
    if (kernel.blocks || always_blocks(kernel.verdict)) blocking.push_back(kernel.verdict);
  }
  return {worst(all), blocking.empty() ? 0 : code_of(worst(blocking))};
}

bool is_empty_shard(const Result& result) {
  return result.kernels.empty() && !result.shard_planned.empty() &&
         result.shard_index > std::ssize(result.shard_planned);
}

bool ended_early(const Result& result) {
  const auto& all = result.kernels;
  if (std::any_of(all.begin(), all.end(), [](const KernelResult& kernel) { return kernel.blocks; })) return false;
  switch (static_cast<ExitCode>(result.exit_code)) {
    case ExitCode::untrusted:
      return result.verdict == Verdict::untrusted;
    case ExitCode::missing:
      return result.verdict == Verdict::missing;
    case ExitCode::environment:
    case ExitCode::internal:
    case ExitCode::interrupted:
    case ExitCode::terminated:
      return result.verdict == Verdict::environment;
    default:
      return false;
  }
}

void check_consistent(const Result& result, const std::string& subject) {
  Check(result, subject).run();
}

}  // namespace kgate::verdict
