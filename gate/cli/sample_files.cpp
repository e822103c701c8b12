#include "gate/cli/sample_files.h"

#include <map>

#include "base/error.h"
#include "base/file.h"
#include "base/json.h"

namespace kgate::cli {
namespace {

constexpr const char* kSchema = "kgate.samples/1";
constexpr std::uint64_t kLargestFile = 256u << 20;
constexpr std::size_t kLongestName = 200;  // file systems end at 255 bytes

// A kernel's name is free text; a file's is not.
std::string file_name(const std::string& kernel) {
  std::string name;
  for (const char letter : kernel.substr(0, kLongestName)) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
                       (letter == '.' && !name.empty());
    name += plain ? letter : '_';
  }
  return name + ".json";
}

void read_one(const std::filesystem::path& path, const std::string& kernel, report::RawTimes& samples) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) return;
  const Json file = parse_json(text_of(read_file(path, kLargestFile)), path.string());
  if (file.at("schema") != kSchema || file.at("kernel") != kernel) return;
  for (const auto& [name, one] : file.at("cases").items()) {
    verdict::CaseSamples found{kernel, name, {}, {}};
    one.at("arms").get_to(found.arms);
    one.at("us").get_to(found.us);
    samples.push_back(std::move(found));
  }
}

}  // namespace

void write_samples(const std::filesystem::path& folder, const report::RawTimes& samples) {
  std::map<std::string, Json> kernels;
  for (const auto& one : samples) kernels[one.kernel][one.name] = {{"arms", one.arms}, {"us", one.us}};
  for (const auto& [kernel, cases] : kernels) {
    const Json body{{"schema", kSchema}, {"kernel", kernel}, {"cases", cases}};
    write_file_atomic(folder / file_name(kernel), canonical_json(body) + "\n");
  }
}

report::RawTimes read_samples(const std::filesystem::path& folder, const verdict::Result& result) {
  report::RawTimes samples;
  for (const verdict::KernelResult& kernel : result.kernels) {
    // The pictures of times are an extra: no report is refused for want of them.
    report::RawTimes found;
    try {
      read_one(folder / file_name(kernel.name), kernel.name, found);
    } catch (const Error&) {
      continue;
    } catch (const Json::exception&) {
      continue;
    }
    samples.insert(samples.end(), found.begin(), found.end());
  }
  return samples;
}

}  // namespace kgate::cli
