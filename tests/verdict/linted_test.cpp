#include "gate/verdict/compile/linted.h"

#include "tests/support/catch.h"

using namespace kgate;

namespace {

const lint::Findings kFound{{lint::kDeviceLaunches, "kernels/k/k.cu:12", "child<<<1, 1>>>(x);", false},
                            {lint::kDeviceVariables, ".nv.global", "counter, 4 bytes", false},
                            {lint::kDeviceVariables, ".nv.global", "memory, 64 bytes", false}};

}  // namespace

TEST_CASE("what the sources and the code show is refused only where the policy says so") {
  CHECK(verdict::refusal(kFound, {}, "cuda").empty());
  trust::CompileRules rules;
  rules.refuse_variables = true;
  CHECK(
      verdict::refusal(kFound, rules, "cuda") ==
      "the policy refuses writable variables of the device ([compile] device_variables): .nv.global: counter, 4 bytes, "
      "and 1 more; take a [[workspace]] of kernel.toml for memory, __constant__ for tables");
  // There __constant__ is found too, and would be no way out.
  CHECK(
      verdict::refusal(kFound, rules, "host") ==
      "the policy refuses writable variables of the device ([compile] device_variables): .nv.global: counter, 4 bytes, "
      "and 1 more; take a [[workspace]] of kernel.toml for memory; on the host backend __constant__ is a variable like "
      "others: where it is a table, run this on a GPU (--backend cuda)");
  rules.refuse_launches = true;
  CHECK(verdict::refusal(kFound, rules, "cuda") ==
        "the policy refuses kernels that start kernels ([compile] device_launches): kernels/k/k.cu:12: child<<<1, "
        "1>>>(x);; start them by a [[launch]] of kernel.toml");
  CHECK(verdict::refusal({}, rules, "cuda").empty());
}

TEST_CASE("what the base has already is not refused") {
  lint::Findings found = kFound;
  for (auto& one : found) one.in_base = true;
  trust::CompileRules rules;
  rules.refuse_variables = rules.refuse_launches = true;
  CHECK(verdict::refusal(found, rules, "cuda").empty());
}

TEST_CASE("a candidate is looked through beside its base") {
  verdict::Subject subject;
  subject.candidate.files = {{"k.cu", bytes_of("a<<<1, 1>>>();\nb<<<1, 1>>>();\n")}};
  subject.base.emplace().files = {{"k.cu", bytes_of("\n\na<<<1, 1>>>();\n")}};
  runner::Compiled code, base;
  code.status = base.status = runner::Compiled::Status::ok;
  code.code = bytes_of(".version 8.0\n.global .u32 old;\n.global .u32 fresh;\n");
  base.code = bytes_of(".version 8.0\n.global .u32 old;\n");
  const auto found = verdict::lint_of(subject, code, &base);
  REQUIRE(found.size() == 4);
  CHECK(found[0].in_base);
  CHECK_FALSE(found[1].in_base);
  CHECK(found[2].what == "old");
  CHECK(found[2].in_base);
  CHECK(found[3].what == "fresh");
  CHECK_FALSE(found[3].in_base);
}

TEST_CASE("a candidate that does not compile is looked through by its sources alone") {
  verdict::Subject subject;
  subject.candidate.files = {{"k.cu", bytes_of("a<<<1, 1>>>();")}};
  const auto found = verdict::lint_of(subject, runner::Compiled{}, nullptr);
  REQUIRE(found.size() == 1);
  CHECK(found[0].rule == lint::kDeviceLaunches);
}
