#include "base/error.h"
#include "base/json.h"
#include "gate/cases/job.h"
#include "gate/trust/policy.h"
#include "tests/cases/fixtures.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

using namespace kgate;

namespace {

std::string_view text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

template <typename Read>
int refused_or_read(const std::string& path, Read&& read) {
  try {
    read();
  } catch (const Error& error) {
    const std::string message = error.what();
    require(error.kind() == ErrorKind::usage);
    require(message.starts_with(path));
    require(message.find('\n') == std::string::npos);
    canonical_json(message);
  }
  return 0;
}

}  // namespace

int fuzz_kernel(const std::uint8_t* data, std::size_t size) {
  static const auto cases = cases::parse_cases(test::kCases, "k/cases.toml");
  return refused_or_read("k/kernel.toml", [&] {
    const auto kernel = cases::parse_kernel(text(data, size), "k/kernel.toml");
    cases::bind(cases, cases.cases.front(), cases::version_of(kernel));
    cases::entries_of(cases::version_of(kernel));
  });
}

int fuzz_cases(const std::uint8_t* data, std::size_t size) {
  return refused_or_read("k/cases.toml", [&] {
    const auto cases = cases::parse_cases(text(data, size), "k/cases.toml");
    if (!cases.reference) return;
    for (const auto& one : cases.cases) cases::bind(cases, one, cases::version_of(*cases.reference));
  });
}

int fuzz_policy(const std::uint8_t* data, std::size_t size) {
  return refused_or_read("policy.toml", [&] {
    const auto policy = trust::parse_policy(text(data, size), "policy.toml");
    const auto zone = policy.zone_of("softmax");
    require(zone.tolerate < zone.block);
    require(policy.budget.seconds_per_case > 0 && policy.budget.min_rounds <= policy.budget.max_rounds);
  });
}
