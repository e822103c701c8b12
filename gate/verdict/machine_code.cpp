#include "gate/verdict/machine_code.h"

#include <map>
#include <optional>
#include <utility>

#include "base/digest.h"
#include "base/error.h"
#include "base/parallel.h"
#include "gate/disassembly/count.h"
#include "gate/verdict/version_diff.h"

namespace kgate::verdict {
namespace {

constexpr double kLimit = 90;  // seconds for a child to start and to disassemble
constexpr const char* kNoProgram = "nvdisasm, which cuobjdump needs too, is not installed";

struct Counted {
  disassembly::Counts counts;
  std::string why_not;  // empty: they were counted
};

Counted count(const runner::Compiled& code, const DisassemblyOptions& options) {
  try {
    runner::ClientOptions child = options.child;
    child.compiles = runner::ToolkitPaths{"", {}, "", options.program};
    runner::Client client(child);
    const runner::Disassembly found = client.disassemble(code.code, runner::Client::Seconds(kLimit));
    if (!found.trouble.empty()) return {{}, options.program + ": " + found.trouble};
    disassembly::Counts counts = disassembly::count_instructions(found.text);
    if (counts.empty()) return {{}, options.program + ": it printed no instruction"};
    return {std::move(counts), ""};
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted) throw;
    return {{}, error.what()};
  }
}

// A diff that wants the instructions of two pieces of machine code.
struct Wish {
  std::optional<MachineCode>* place = nullptr;
  std::size_t before = 0, after = 0;
};

class Counter {
 public:
  void want(std::optional<MachineCode>& place, const Artifact& before, const Artifact& after) {
    using Status = runner::Compiled::Status;
    if (!before || before->status != Status::ok || after->status != Status::ok || before->code == after->code) return;
    const std::size_t first = index_of(before);
    wishes_.push_back({&place, first, index_of(after)});
  }

  void fulfil(const DisassemblyOptions& options) const {
    std::vector<Counted> counted(codes_.size(), Counted{{}, kNoProgram});
    if (!options.program.empty()) {
      for_each_parallel(codes_.size(), options.parallel,
                        [&](std::size_t i, unsigned) { counted[i] = count(*codes_[i], options); });
    }
    for (const Wish& wish : wishes_) {
      const Counted &before = counted[wish.before], &after = counted[wish.after];
      const std::string& why_not = after.why_not.empty() ? before.why_not : after.why_not;
      *wish.place = why_not.empty() ? MachineCode{"", before.counts, after.counts} : MachineCode{why_not, {}, {}};
    }
  }

 private:
  std::size_t index_of(const Artifact& artifact) {
    const auto [place, added] = known_.try_emplace(sha256_hex(artifact->code), codes_.size());
    if (added) codes_.push_back(artifact);
    return place->second;
  }

  std::vector<Artifact> codes_;
  std::map<std::string, std::size_t> known_;
  std::vector<Wish> wishes_;
};

}  // namespace

void add_machine_code(std::vector<KernelResult>& kernels, const std::vector<Artifacts>& code,
                      const std::vector<std::vector<Baseline>>& baselines, const DisassemblyOptions& options) {
  Counter counter;
  for (std::size_t i = 0; i < code.size(); ++i) {
    KernelResult& kernel = kernels[i];
    if (kernel.code != "changed") continue;
    counter.want(kernel.machine_code, code[i].base, code[i].candidate);
    for (VersionDiff& diff : kernel.accepted_diffs) {
      const Baseline* baseline = find_baseline(baselines[i], diff.against);
      if (baseline != nullptr) counter.want(diff.machine_code, baseline->code, code[i].candidate);
    }
  }
  counter.fulfil(options);
}

}  // namespace kgate::verdict
