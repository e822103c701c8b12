#include <algorithm>
#include <sstream>

#include "gate/report/format.h"
#include "gate/report/report.h"
#include "tests/report/samples.h"
#include "tests/support/catch.h"

using kgate::report::TextStyle;
using kgate::report::write_text;

namespace {

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a quiet report is the verdict line alone") {
  TextStyle style;
  style.quiet = true;
  CHECK(write_text(sample("regressed"), style) ==
        "kgate: regressed (exit code 1): slower than the policy allows, or over a limit on resources or numerics\n");
  CHECK(write_text(sample("all-pass"), style) ==
        "kgate: pass (exit code 0): everything is right, and nothing is slower than the policy allows\n");
  CHECK(write_text(sample("inconclusive"), style) ==
        "kgate: inconclusive (exit code 0): the profile pr does not block on what was found\n");
}

TEST_CASE("colour is used only where it was asked for, and changes nothing else") {
  TextStyle plain, color;
  color.color = true;
  for (const Sample& one : samples()) {
    std::string text = write_text(one.result, color);
    CHECK(has(text, "\x1b["));
    for (const char* code : {"\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[0m"}) {
      for (std::size_t at = text.find(code); at != std::string::npos; at = text.find(code))
        text.erase(at, std::string(code).size());
    }
    CHECK(text == write_text(one.result, plain));
  }
}

TEST_CASE("a report keeps to the width where its words allow it, and drops the least needed columns") {
  const auto lines_over = [](const std::string& text, std::size_t width) {
    std::istringstream stream(text);
    std::string line;
    int over = 0;
    while (std::getline(stream, line)) {
      // The verdict line and the command to copy stay whole.
      const bool whole = line.rfind("kgate: ", 0) == 0 || line.rfind("again: ", 0) == 0;
      if (!whole && kgate::report::columns(line) > width) ++over;
    }
    return over;
  };
  TextStyle style;
  for (const int width : {70, 80, 100, 140}) {
    style.width = width;
    CHECK(lines_over(write_text(sample("regressed"), style), static_cast<std::size_t>(width)) == 0);
  }
  style.width = 100;
  CHECK(has(write_text(sample("regressed"), style), "GB/s"));
  style.width = 70;
  CHECK_FALSE(has(write_text(sample("regressed"), style), "GB/s"));
  CHECK(has(write_text(sample("regressed"), style), "change"));
}

TEST_CASE("the compiler's message is shown once, and cut where it is endless") {
  kgate::verdict::Result result = sample("compile-failure");
  const std::string text = write_text(result, {});
  const std::string message = "kernels/softmax/softmax.cu(12): error: identifier \"row\" is undefined";
  CHECK(has(text, message));
  CHECK(text.find(message) == text.rfind(message));
  result.kernels[1].compiler_log.clear();
  for (int i = 0; i < 100; ++i) result.kernels[1].compiler_log += "line " + std::to_string(i) + "\n";
  const std::string cut = write_text(result, {});
  CHECK(has(cut, "      line 39\n      and 60 lines more, in result.json\n"));
  CHECK_FALSE(has(cut, "line 40\n"));
}

TEST_CASE("a kernel's reason is told once") {
  TextStyle wide;
  wide.width = 200;
  const std::string text = write_text(sample("regressed"), wide);
  const std::string reason = "slower than the base version by at least 5.9 %";
  CHECK(has(text, reason));
  CHECK(text.find(reason) == text.rfind(reason));
}

TEST_CASE("the command to repeat a run is safe to paste") {
  const std::string text = write_text(sample("hostile"), {});
  CHECK(has(text, "again: kgate run 'soft\\x1b[2J\\x1b]0;title\\x07max' --profile pr"));
}

TEST_CASE("a limit on resources is told though every case passed") {
  kgate::verdict::Result result = sample("all-pass");
  result.kernels[0].verdict = kgate::verdict::Verdict::regressed;
  result.kernels[0].reason = "uses 255 registers, the policy allows 128";
  result.verdict = kgate::verdict::Verdict::regressed;
  result.exit_code = 1;
  const std::string text = write_text(result, {});
  CHECK(has(text, "    uses 255 registers, the policy allows 128\n"));
  CHECK(has(text, "  softmax  all cases       regressed"));
}

TEST_CASE("what is to be done is a command that runs, for a kernel that was renamed too") {
  auto result = sample("missing");
  const auto fresh = sample("new").kernels;
  result.kernels.insert(result.kernels.end(), fresh.begin(), fresh.end());
  const std::string text = write_text(result, {});
  INFO(text);
  CHECK(has(text,
            "\n      kgate accept transpose --retire --reason TEXT\n    or, if it was renamed:\n"
            "      kgate accept rmsnorm --renamed-from transpose --reason TEXT\n"));
  CHECK(has(text, "\n      kgate accept rmsnorm --reason TEXT\n    or, if it was renamed:\n"));
}

TEST_CASE("what equals the accepted version is not said to equal the base's") {
  auto result = sample("unchanged");
  result.kernels[0].comparisons[0].against = "accepted";
  const std::string text = write_text(result, {});
  CHECK(has(text, "unchanged (machine code as the accepted version's; checked, not timed): gemm_f16\n"));
  CHECK(has(text, "unchanged (machine code as the base's; checked, not timed): layernorm,"));
}

TEST_CASE("the headline and what blocks name what blocks under the profile, and nothing worse that does not") {
  auto result = sample("regressed");
  auto fresh = sample("new").kernels;
  for (auto& kernel : fresh) {
    kernel.blocks = kernel.verdict == kgate::verdict::Verdict::fresh;
    result.kernels.push_back(kernel);
  }
  result.exit_code = 6;
  const std::string text = write_text(result, {});
  INFO(text);
  CHECK(has(text, "kgate: new (exit code 6): right, but neither the base nor the ledger knows it\n"));
  CHECK(has(text, "\nWhat blocks:\n  rmsnorm: new "));
  CHECK(has(text, "\nWhat else was found:\n  softmax: regressed "));
}

TEST_CASE("a kernel that got slower shows what a reviewer asks of its machine code, unknown kinds last") {
  TextStyle wide;
  wide.width = 400;
  const std::string text = write_text(sample("regressed"), wide);
  CHECK(has(text,
            "    machine code, base to candidate: -38 FP32, +38 FP64, +12 local loads (spills or arrays), +12 local "
            "stores (spills or arrays), +50 other; 412 -> 486 instructions\n"));
  CHECK(has(text, "    error, base to candidate: y 1.31 times as large\n"));
}

TEST_CASE("machine code that changed without other numbers of instructions says so, and many kinds are cut") {
  using kgate::disassembly::Kind;
  TextStyle wide;
  wide.width = 400;
  auto result = sample("regressed");
  auto& code = *result.kernels[1].machine_code;
  code.after = code.before;
  CHECK(has(write_text(result, wide),
            "machine code, base to candidate: as many instructions of each kind as before, 412 in all\n"));
  for (int kind = 0; kind < 10; ++kind) code.after[static_cast<Kind>(kind)] += 20 - kind;
  CHECK(has(write_text(result, wide), ", +15 atomics, 4 more kinds; 412 -> 567 instructions\n"));
}

TEST_CASE("a kernel that is slower than what was accepted shows what differs since then, and what differs not at all") {
  TextStyle wide;
  wide.width = 400;
  auto result = sample("creep");
  std::string text = write_text(result, wide);
  CHECK(has(text, "    wide, against accepted: 85.18 -> 88.68 µs, +4.1 % [+3.9, +4.3]\n"));
  CHECK(has(text, "    resources, record 11 to candidate: registers 32 -> 40, code bytes 2816 -> 3072\n"));
  CHECK(has(text, "    option since record 11: - --use_fast_math\n"));
  CHECK(
      has(text, "    machine since record 11: driver.version: 570.133.20 -> 580.65.06; times may change either way\n"));
  CHECK_FALSE(has(text, "temperature_c"));
  CHECK(
      has(text, "machine code, base to candidate: not counted: nvdisasm, which cuobjdump needs too, is not installed"));
  CHECK_FALSE(has(text, "machine code, record 11"));
  // One that is no worse than what was accepted is not asked about it.
  result.kernels[0].comparisons[1].verdict = kgate::verdict::Verdict::pass;
  text = write_text(result, wide);
  CHECK_FALSE(has(text, "record 11 to candidate"));
  CHECK_FALSE(has(text, "since record 11"));
}
