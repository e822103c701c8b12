#include "gate/verdict/result/merge.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/exit_code.h"
#include "base/quote.h"
#include "gate/verdict/result/consistency.h"

namespace kgate::verdict {
namespace {

constexpr const char* kOneRun = "merge the results of one run's shards";

// Ended before it had come to know its plan: no GPU, no base commit. What it does not say agrees with everything.
bool knows_nothing(const Result& result) {
  return ended_early(result) && result.kernels.empty() && result.shard_planned.empty();
}

// What has to be equal in all shards of a run, in words.
using Identity = std::vector<std::pair<const char*, std::string>>;

Identity identity_of(const Result& result) {
  std::string planned;
  for (const std::string& name : result.shard_planned) planned += (planned.empty() ? "" : ", ") + name;
  return {{"kgate", result.tool_version + " (" + result.tool_commit + ")"},
          {"verb", result.verb},
          {"commit", result.source_commit},
          {"base", result.source_base},
          {"policy", result.policy_commit.empty() ? "" : result.policy_commit + " " + result.policy_digest},
          {"profile", result.profile},
          {"backend", result.backend},
          {"number of shards", std::to_string(result.shard_total)},
          {"planned kernels", planned},
          {"plan", result.shard_plan},
          {"sanitizer", result.sanitizer        ? "used"
                        : knows_nothing(result) ? ""
                                                : "not used"}};
}

// Gone from the working tree, or hidden in it: told by the first shard, and in no plan.
bool is_gone(const KernelResult& kernel) {
  return kernel.cases.empty() && (kernel.verdict == Verdict::missing || kernel.verdict == Verdict::untrusted);
}

class Merge {
 public:
  explicit Merge(const std::vector<ShardResult>& shards) : shards_(shards) {}

  Result run() {
    check_same_run();
    check_once();
    merged_ = first().result;
    merged_.kernels.clear();
    merged_.warnings.clear();
    merged_.searches.clear();
    merged_.seconds = merged_.compile_s = merged_.check_s = merged_.time_s = merged_.wait_s = merged_.idle_s =
        merged_.total_s = 0;
    if (merged_.sanitizer) merged_.sanitizer->findings.clear();
    for (const ShardResult& shard : shards_) add(shard.result);
    add_missing();
    in_planned_order();
    merged_.selection = merged_.shard_planned;
    merged_.shard_index = merged_.shard_total = 1;
    conclude();
    return std::move(merged_);
  }

 private:
  void check_same_run() const {
    if (shards_.empty()) throw Error(ErrorKind::usage, "the merged result", "has no shard", kOneRun);
    const ShardResult& other = first();
    const Identity expected = identity_of(other.result);
    for (const ShardResult& shard : shards_) {
      const Identity own = identity_of(shard.result);
      for (std::size_t i = 0; i < own.size(); ++i) {
        if (own[i].second == expected[i].second || (own[i].second.empty() && knows_nothing(shard.result))) continue;
        throw Error(ErrorKind::usage, shard.subject,
                    fmt::format("its {} is {}, and that of {} {}", own[i].first, kgate::quoted(own[i].second),
                                other.subject, kgate::quoted(expected[i].second)),
                    kOneRun);
      }
    }
  }

  // The one that the others are held against.
  const ShardResult& first() const {
    const auto found = std::find_if(shards_.begin(), shards_.end(),
                                    [](const ShardResult& shard) { return !knows_nothing(shard.result); });
    return found == shards_.end() ? shards_.front() : *found;
  }

  void check_once() const {
    std::map<std::int64_t, std::string> indices;
    std::map<std::string, std::string> kernels;
    for (const auto& [subject, result] : shards_) {
      const auto [same, is_new] = indices.emplace(result.shard_index, subject);
      if (!is_new && result.shard_total == 1) {
        throw Error(ErrorKind::usage, subject, fmt::format("it is a whole run and no shard, as {} is", same->second),
                    "--merge takes the shards of one run; look at whole runs one by one");
      }
      if (!is_new) {
        throw Error(
            ErrorKind::usage, subject,
            fmt::format("it is shard {} of {}, and so is {}", result.shard_index, result.shard_total, same->second),
            "give each shard once");
      }
      const auto& planned = result.shard_planned;
      for (const KernelResult& kernel : result.kernels) {
        const auto [other, first] = kernels.emplace(kernel.name, subject);
        if (!first) {
          throw Error(ErrorKind::usage, subject,
                      fmt::format("kernel {} is in {} too", kgate::quoted(kernel.name), other->second),
                      "a kernel belongs to one shard");
        }
        if (!planned.empty() && !is_gone(kernel) &&
            std::find(planned.begin(), planned.end(), kernel.name) == planned.end())
          throw Error(ErrorKind::usage, subject,
                      fmt::format("kernel {} is not in its plan", kgate::quoted(kernel.name)), kOneRun);
      }
    }
    const Result& one = first().result;
    if (std::ssize(shards_) < one.shard_total && one.shard_planned.empty()) {
      throw Error(
          ErrorKind::usage, "kgate report --merge",
          fmt::format("got {} of {} shards, and they do not say what was planned", shards_.size(), one.shard_total),
          "give all of them");
    }
  }

  void add(const Result& shard) {
    const bool early = ended_early(shard);
    if (early) {
      ended_.push_back(
          fmt::format("shard {} of {} ended early: {}", shard.shard_index, shard.shard_total, shard.reason));
      early_ = worst({early_, shard.verdict});
    }
    // An earlier kgate did not write what blocks: there the exit code tells.
    const auto& judged = shard.kernels;
    const bool untold =
        !early && std::none_of(judged.begin(), judged.end(), [](const KernelResult& kernel) { return kernel.blocks; });
    for (KernelResult kernel : shard.kernels) {
      if (untold && shard.exit_code != 0 && static_cast<int>(exit_code_of(kernel.verdict)) == shard.exit_code)
        kernel.blocks = true;
      // Such a shard did not come to say what blocks.
      if (early && !passes(kernel.verdict) && kernel.verdict != Verdict::regressed &&
          kernel.verdict != Verdict::inconclusive && kernel.verdict != Verdict::fresh)
        kernel.blocks = true;
      if (kernel.seed.empty()) kernel.seed = shard.seed;
      if (kernel.device_uuid.empty()) kernel.device_uuid = shard.device_uuid;
      merged_.kernels.push_back(std::move(kernel));
    }
    for (const std::string& warning : shard.warnings) {
      auto& all = merged_.warnings;
      if (std::find(all.begin(), all.end(), warning) == all.end()) all.push_back(warning);
    }
    add_run(shard);
  }

  void add_run(const Result& shard) {
    merged_.started = std::min(merged_.started, shard.started);
    merged_.source_dirty = merged_.source_dirty || shard.source_dirty;
    merged_.seconds += shard.seconds;
    merged_.compile_s += shard.compile_s;
    merged_.check_s += shard.check_s;
    merged_.time_s += shard.time_s;
    merged_.wait_s += shard.wait_s;
    merged_.idle_s += shard.idle_s;
    merged_.total_s += shard.total_s;
    merged_.searches.insert(merged_.searches.end(), shard.searches.begin(), shard.searches.end());
    if (merged_.seed != shard.seed) merged_.seed.clear();
    if (knows_nothing(shard)) return;
    if (merged_.environment != shard.environment) merged_.environment = Json::object();
    if (merged_.sandbox != shard.sandbox) weaker_sandbox(shard.sandbox);
    if (merged_.device_uuid != shard.device_uuid) merged_.device_uuid.clear();
    if (merged_.device_class != shard.device_class || merged_.device_name != shard.device_name)
      warn(fmt::format("the shards ran on different machines: shard {} on {}", shard.shard_index,
                       shard.device_name.empty() ? "one without a GPU" : shard.device_name));
    if (merged_.ledger_sequence != shard.ledger_sequence || merged_.ledger_digest != shard.ledger_digest)
      warn(fmt::format("shard {} read the ledger at record {}, the first at record {}", shard.shard_index,
                       shard.ledger_sequence, merged_.ledger_sequence));
    if (!merged_.sanitizer || !shard.sanitizer) return;
    merged_.sanitizer->available = merged_.sanitizer->available && shard.sanitizer->available;
    auto& findings = merged_.sanitizer->findings;
    findings.insert(findings.end(), shard.sanitizer->findings.begin(), shard.sanitizer->findings.end());
  }

  // In the order of the levels.
  void weaker_sandbox(const std::string& other) {
    for (const char* level : {"none", "seccomp", "landlock"}) {
      if (merged_.sandbox == level || other == level) {
        merged_.sandbox = level;
        return;
      }
    }
  }

  void warn(const std::string& text) { merged_.warnings.push_back(text); }

  void add_missing() {
    std::set<std::int64_t> there;
    for (const ShardResult& shard : shards_) there.insert(shard.result.shard_index);
    std::string absent;
    for (std::int64_t index = 1; index <= merged_.shard_total; ++index) {
      if (there.contains(index)) continue;
      if (absent.size() < kLongestList) absent += (absent.empty() ? "" : ", ") + std::to_string(index);
    }
    std::string why = ended_.empty() ? "it was planned, and no shard has it"
                                     : "it was planned, and no shard has it; " + ended_.front();
    if (!absent.empty())
      why = fmt::format("it was planned, and no shard has it; of {} shards there is no result of {}",
                        merged_.shard_total, absent);
    bool absent_kernels = false;
    std::set<std::string> judged;
    for (const KernelResult& kernel : merged_.kernels) judged.insert(kernel.name);
    for (const std::string& name : merged_.shard_planned) {
      if (!judged.insert(name).second) continue;
      KernelResult kernel;
      kernel.name = name;
      kernel.verdict = Verdict::missing;
      kernel.reason = why;
      kernel.blocks = true;
      merged_.kernels.push_back(std::move(kernel));
      absent_kernels = true;
    }
    // A shard may claim what another was to judge: without a result of each the run is not whole.
    if (!absent.empty() && !absent_kernels) {
      KernelResult kernel;
      kernel.name = "shard " + absent;
      kernel.verdict = Verdict::missing;
      kernel.reason = "there is no result of it, and other shards have the kernels that were planned";
      kernel.blocks = true;
      merged_.kernels.push_back(std::move(kernel));
    }
    if (!absent.empty()) warn("there is no result of shard " + absent);
    for (const std::string& one : ended_) warn(one);
  }

  void in_planned_order() {
    std::map<std::string, std::size_t> order;
    for (const std::string& name : merged_.shard_planned) order.emplace(name, order.size());
    const auto place = [&](const KernelResult& kernel) {
      const auto planned = order.find(kernel.name);
      return std::pair(planned == order.end() ? order.size() : planned->second, kernel.name);
    };
    std::stable_sort(merged_.kernels.begin(), merged_.kernels.end(),
                     [&](const KernelResult& a, const KernelResult& b) { return place(a) < place(b); });
    // One GPU for all is the run's.
    if (!merged_.device_uuid.empty()) {
      for (KernelResult& kernel : merged_.kernels) kernel.device_uuid.clear();
    }
    // One seed for all is the run's.
    if (!merged_.seed.empty()) {
      for (KernelResult& kernel : merged_.kernels) kernel.seed.clear();
    }
  }

  void conclude() {
    const Conclusion end = conclusion_of(merged_);
    merged_.verdict = end.verdict;
    merged_.exit_code = end.exit_code;
    merged_.reason = merged_.kernels.empty() ? "no kernel was judged" : "";
    for (const KernelResult& kernel : merged_.kernels) {
      if (kernel.verdict != end.verdict || passes(kernel.verdict)) continue;
      merged_.reason = fmt::format("{}: {}", kernel.name, kernel.reason);
      break;
    }
    const auto& all = merged_.kernels;
    if (ended_.empty() || std::any_of(all.begin(), all.end(), [](const KernelResult& kernel) { return kernel.blocks; }))
      return;
    // All that a shard that ended early has to tell is that.
    merged_.verdict = early_;
    merged_.exit_code = static_cast<int>(exit_code_of(early_));
    merged_.reason = ended_.front();
  }

  static constexpr std::size_t kLongestList = 200;

  const std::vector<ShardResult>& shards_;
  Result merged_;
  std::vector<std::string> ended_;  // shards that an error ended
  Verdict early_ = Verdict::pass;
};

}  // namespace

Result merge(const std::vector<ShardResult>& shards) {
  return Merge(shards).run();
}

}  // namespace kgate::verdict
