#include "gate/verdict/compile/delay.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/error.h"

namespace kgate::verdict {
namespace {

constexpr const char* kPath = "kgate_delay.cu";
constexpr const char* kEntry = "kgate_delay";
// A chain of dependent steps, so that its length is its time whatever the clock; the store keeps the compiler from
// leaving it out.
constexpr const char* kSource = R"(extern "C" __global__ void kgate_delay(unsigned* sink, unsigned turns) {
  unsigned x = turns;
  for (unsigned i = 0; i < turns; ++i) x = x * 1664525u + 1013904223u + (x >> 7);
  if (threadIdx.x == 0) *sink = x;
}
)";
constexpr double kMostTurns = 4e9;

}  // namespace

runner::Launch Delay::launch(std::uint32_t turns, std::uint32_t sink) const {
  runner::Launch launch;
  launch.entry = kEntry;
  Bytes count(sizeof turns);
  std::memcpy(count.data(), &turns, sizeof turns);
  runner::Argument target, length;
  target.buffer = sink;
  length.scalar = count;
  launch.arguments = {target, length};
  return launch;
}

Delay compile_delay(const CompilerOptions& options) {
  cases::SourceSet set;
  set.sources = {kPath};
  const std::string_view text = kSource;
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  const std::map<std::string, Bytes> files{{kPath, Bytes(bytes, bytes + text.size())}};
  Delay delay;
  delay.artifact = compile_all({{&set, &files, {kEntry}}}, options).front();
  if (delay.artifact->status != runner::Compiled::Status::ok)
    throw Error(ErrorKind::environment, "the delay kernel", "does not compile here: " + delay.artifact->log);
  return delay;
}

std::uint32_t DelayCost::turns_for(double us) const {
  if (!(turn_us > 0) || us <= fixed_us) return 0;
  return static_cast<std::uint32_t>(std::min(kMostTurns, std::round((us - fixed_us) / turn_us)));
}

}  // namespace kgate::verdict
