#include "bench/large_result.h"

#include <string>

#include <fmt/format.h>

#include "gate/verdict/result/consistency.h"

namespace kgate::bench {
namespace {

using namespace verdict;

CaseResult case_of(std::size_t number, Verdict verdict) {
  CaseResult one;
  one.name = fmt::format("rows {}, cols {}", 1u << (number % 14), 64 * (number + 1));
  one.role = "performance";
  one.sizes = {{"rows", 1 << (number % 14)}, {"cols", static_cast<std::int64_t>(64 * (number + 1))}};
  one.verdict = verdict;
  Timing& time = one.time.emplace();
  time.base_us = 3 + 0.37 * static_cast<double>(number);
  time.ratio = verdict == Verdict::regressed ? 1.05 : 1 + 0.0001 * static_cast<double>(number % 17);
  time.low = time.ratio - 0.002;
  time.high = time.ratio + 0.002;
  time.candidate_us = time.base_us * time.ratio;
  time.blocks = 24;
  time.rounds = 2;
  time.regime = "graph";
  time.trace = {"look 1: 24 blocks"};
  Numerics& y = one.numerics["y"];
  y.elements = 1 << 20;
  if (verdict == Verdict::regressed) one.reason = "slower by 5.00 % [+4.80, +5.20], 0.5 % is tolerated";
  if (verdict == Verdict::wrong) {
    one.reason = "\"y\": 12 of 1048576 elements are outside the tolerance";
    y.mismatched = 12;
    y.first_mismatch = {3, 17};
  }
  return one;
}

}  // namespace

Result large_result(std::size_t kernels, std::size_t cases) {
  Result result;
  result.started = "2025-03-04T05:06:07Z";
  result.backend = "cuda";
  result.seed = "00000000deadbeef";
  result.total_s = result.seconds = 600;
  for (std::size_t i = 0; i < kernels; ++i) {
    KernelResult& kernel = result.kernels.emplace_back();
    kernel.name = fmt::format("kernel_{:03}", i);
    kernel.path = fmt::format("kernels/{}/kernel.toml", kernel.name);
    kernel.location = Location{fmt::format("kernels/{}/{}.cu", kernel.name, kernel.name), 12};
    kernel.code = "changed";
    kernel.verdict = i % 7 == 3 ? Verdict::regressed : i % 11 == 5 ? Verdict::wrong : Verdict::pass;
    kernel.blocks = !passes(kernel.verdict);
    for (std::size_t n = 0; n < cases; ++n) {
      kernel.cases.push_back(case_of(n, n % 3 == 0 ? kernel.verdict : Verdict::pass));
      if (n == 0 && kernel.blocks)
        kernel.reason = fmt::format("case \"{}\": {}", kernel.cases[0].name, kernel.cases[0].reason);
    }
    Comparison& base = kernel.comparisons.emplace_back();
    base.against = "base";
    base.commit = std::string(40, 'b');
    base.ratio = 1.01;
    base.low = 1.005;
    base.high = 1.015;
    base.verdict = kernel.verdict == Verdict::regressed ? Verdict::regressed : Verdict::pass;
    if (kernel.verdict == Verdict::regressed) kernel.causes = {"change"};
  }
  const Conclusion end = conclusion_of(result);
  result.verdict = end.verdict;
  result.exit_code = end.exit_code;
  return result;
}

}  // namespace kgate::bench
