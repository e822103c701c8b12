#include "tests/report/bad_samples.h"

#include <cmath>
#include <limits>
#include <string>

#include "bench/large_result.h"

namespace {

using namespace kgate::verdict;

// Every text of a result that comes from somebody else.
Result with_text(const std::string& text) {
  Result result = sample("regressed");
  result.reason = text;
  result.warnings = {text, text};
  result.device_name = result.source_base = result.policy_ref = result.profile = result.backend = text;
  result.selection = {text};
  result.environment = {{text, text}};
  for (KernelResult& kernel : result.kernels) {
    kernel.name = kernel.path = kernel.reason = kernel.compiler_log = kernel.source_diff = text;
    kernel.warnings = kernel.option_changes = kernel.launch_changes = {text};
    kernel.location = Location{text, 3};
    kernel.lint = {{text, text, text, false}};
    for (Comparison& one : kernel.comparisons) one.against = one.commit = text;
    for (CaseResult& one : kernel.cases) {
      one.name = text;
      one.sizes = {{text, 1}};
      if (!passes(one.verdict)) one.reason = text;
      const Numerics numbers = one.numerics["y"];
      one.numerics = {{text, numbers}};
    }
  }
  return result;
}

std::string every_byte() {
  std::string text;
  for (int byte = 0; byte < 256; ++byte) text += static_cast<char>(byte);
  return text;
}

Result no_case() {
  Result result = sample("all-pass");
  for (KernelResult& kernel : result.kernels) kernel.cases.clear();
  return result;
}

Result no_timing() {
  Result result = sample("regressed");
  for (KernelResult& kernel : result.kernels) {
    for (CaseResult& one : kernel.cases) one.time.reset();
    kernel.comparisons.clear();
  }
  return result;
}

Result only_errors() {
  Result result = sample("environment");
  for (const char* name : {"softmax", "saxpy", "softmax"}) {
    KernelResult& kernel = result.kernels.emplace_back();
    kernel.name = name;
    kernel.verdict = Verdict::environment;
    kernel.reason = "CUDA_ERROR_ECC_UNCORRECTABLE";
    kernel.blocks = true;
  }
  return result;
}

Result not_finite() {
  Result result = sample("regressed");
  Timing& time = *result.kernels[1].cases[1].time;
  time.base_us = 0;
  time.candidate_us = std::numeric_limits<double>::infinity();
  time.ratio = time.low = time.high = std::numeric_limits<double>::quiet_NaN();
  result.kernels[1].comparisons[0].ratio = HUGE_VAL;
  return result;
}

}  // namespace

std::vector<Sample> bad_samples() {
  return {
      {"a million characters", with_text(std::string(1'000'000, 'k'))},
      {"many of three bytes", with_text([] {
         std::string text;
         for (int i = 0; i < 50'000; ++i) text += "核";
         return text;
       }())},
      {"many bars", with_text(std::string(50'000, '|'))},
      {"every byte", with_text(every_byte())},
      {"quotes", with_text("'\"`” «\\' \\\" `` ``` ]]> --> <!-- &amp; &#64; %0A $(x) ${y} \\")},
      {"markup",
       with_text("<script>alert(1)</script> | a | b |\n| - | [x](http://evil) ![y](z) **b** @everyone #12 GH-3 "
                 "http://evil.example www.evil.example a@b.example !4 &5 ~6 </details> </code>\n```\n~~~\n# head")},
      {"commands", with_text("::error::x\n::stop-commands::a\n::set-output name=a::b\n##[error]c\nsection_end:0:a\r")},
      {"empty", with_text("")},
      {"nothing", {}},
      {"no case", no_case()},
      {"no timing", no_timing()},
      {"only errors", only_errors()},
      {"not finite", not_finite()},
      {"2000 cases", kgate::bench::large_result(100, 20)},
      {"one kernel of 2000 cases", kgate::bench::large_result(1, 2000)},
      {"2000 kernels", kgate::bench::large_result(2000, 1)}};
}
