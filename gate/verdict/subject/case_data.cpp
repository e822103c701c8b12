#include "gate/verdict/subject/case_data.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory.h"

namespace kgate::verdict {

std::uint64_t seed_of(const cases::CaseSpec& one, const CaseSeed& seed) {
  return one.seed ? *one.seed : stream_of(seed);
}

std::uint64_t stream_of(const CaseSeed& seed) {
  const std::string digest = sha256_hex(fmt::format("{:016x}\n{}\n{}", seed.run, seed.kernel, seed.name));
  return std::stoull(digest.substr(0, 16), nullptr, 16);
}

void require_memory(const cases::Binding& binding, const std::string& where) {
  std::uint64_t bytes = 0;
  for (const auto& buffer : binding.buffers) {
    if (buffer.role != runner::BufferRole::workspace) bytes += buffer.bytes;
  }
  // Inputs exist twice while they are made; an output's two runs and its expected content are there at once.
  const std::uint64_t needed = 3 * bytes, available = available_memory();
  if (available > 0 && needed > available) {
    constexpr double kGib = 1073741824.0;
    throw Error(ErrorKind::environment, where,
                fmt::format("needs about {:.1f} GiB of host memory, {:.1f} are free",
                            static_cast<double>(needed) / kGib, static_cast<double>(available) / kGib),
                "make the case smaller, or use a machine with more memory");
  }
}

CaseInputs make_case_inputs(const Subject& subject, const cases::CaseSpec& one, std::uint64_t seed, unsigned threads) {
  CaseInputs inputs;
  for (const auto& [buffer, tensor] : cases::make_inputs(subject.cases, one, seed, threads, *subject.cases_tree)) {
    SharedMemory memory = SharedMemory::create("kgate-input", tensor.data.size());
    if (!tensor.data.empty()) std::memcpy(memory.writable().data(), tensor.data.data(), tensor.data.size());
    memory.seal();
    inputs.emplace(buffer, std::move(memory));
  }
  return inputs;
}

std::uint32_t content_count(const CaseInputs& first) {
  constexpr double kAllTogether = 8e6;  // bytes, where two of them are not more
  double bytes = 0;
  for (const auto& [buffer, content] : first) bytes += static_cast<double>(content.size());
  if (bytes == 0) return 1;
  return static_cast<std::uint32_t>(std::clamp<double>(kAllTogether / bytes, 2, runner::kMostVariants));
}

std::uint64_t content_seed(const CaseSeed& seed, std::uint32_t variant) {
  return stream_of({seed.run, seed.kernel, fmt::format("{}/content{}", seed.name, variant)});
}

std::uint64_t place_case(runner::Client& child, const std::vector<runner::Buffer>& buffers, const CaseInputs& inputs,
                         std::uint64_t pool_bytes) {
  const runner::Client::Seconds limit(kHandOverLimit);
  const auto pool = child.allocate({buffers, pool_bytes}, limit);
  for (const auto& [buffer, content] : inputs) {
    if (content.size() > 0) child.write(buffer, content, limit);
  }
  return pool;
}

std::uint64_t pool_for(const std::string& backend, const std::vector<runner::Buffer>& buffers, std::uint64_t wanted) {
  if (backend != "host") return wanted;
  std::uint64_t sum = 64u << 20;
  for (const auto& buffer : buffers) sum += 4 * (buffer.bytes + 4096);
  return std::min(sum, wanted);
}

runner::Placement placement_of(const std::string& name) {
  if (name == "segment") return runner::Placement::segment;
  return name == "fixed" ? runner::Placement::fixed : runner::Placement::any;
}

std::vector<const cases::CaseSpec*> cases_for(const Subject& subject, const std::string& backend) {
  std::vector<const cases::CaseSpec*> selected;
  for (const auto& one : subject.cases.cases) {
    if (std::find(one.backends.begin(), one.backends.end(), backend) != one.backends.end()) selected.push_back(&one);
  }
  return selected;
}

cases::Tolerance tolerance_of(const cases::CaseSpec& one, const cases::ParamSpec& output) {
  const auto said = one.tolerances.find(output.name);
  return said == one.tolerances.end() ? cases::Tolerance{} : said->second;
}

std::vector<OutputParam> outputs_of(const cases::CasesSpec& cases) {
  std::vector<OutputParam> outputs;
  std::uint32_t buffer = 0;
  for (const auto& param : cases.params) {
    if (param.kind == cases::ParamKind::scalar) continue;
    if (param.kind != cases::ParamKind::in) outputs.push_back({buffer, &param});
    ++buffer;
  }
  return outputs;
}

std::string bound_of(const Subject& subject, const cases::CaseSpec& one) {
  if (!subject.cases.work_bytes || !subject.cases.work_flops) return {};
  const auto bytes = cases::evaluate(*subject.cases.work_bytes, one.sizes);
  const auto flops = cases::evaluate(*subject.cases.work_flops, one.sizes);
  if (bytes <= 0) return {};
  const double intensity = static_cast<double>(flops) / static_cast<double>(bytes);
  return intensity < kMemoryBound ? "memory" : intensity > kComputeBound ? "compute" : "";
}

const cases::CaseSpec* case_named(const Subject& subject, const std::string& name) {
  const auto& all = subject.cases.cases;
  const auto found = std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.name == name; });
  return found == all.end() ? nullptr : &*found;
}

}  // namespace kgate::verdict
