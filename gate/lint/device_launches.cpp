#include "gate/lint/device_launches.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "gate/cases/sources.h"

namespace kgate::lint {
namespace {

constexpr std::size_t kMostOfLine = 120;

const std::vector<std::string>& tokens() {
  static const std::vector<std::string> all{"<<<",
                                            "cudaLaunchDevice",
                                            "cudaLaunchDeviceV2",
                                            "cudaLaunchDevice_ptsz",
                                            "cudaLaunchDeviceV2_ptsz",
                                            "cudaLaunchKernel",
                                            "cudaLaunchKernelEx",
                                            "cudaLaunchKernelExC",
                                            "cudaLaunchCooperativeKernel",
                                            "cudaGraphLaunch",
                                            "cudaGetParameterBuffer",
                                            "cudaGetParameterBufferV2"};
  return all;
}

// A line of the text, counted from 1, without the blanks around it.
std::string line_of(std::string_view text, std::size_t number) {
  for (; number > 1; --number) text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  text = text.substr(0, text.find('\n'));
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  text = text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
  return std::string(text.substr(0, kMostOfLine)) + (text.size() > kMostOfLine ? "..." : "");
}

}  // namespace

Findings device_launches(const std::map<std::string, Bytes>& files) {
  Findings findings;
  for (const auto& [path, content] : files) {
    std::size_t last = 0;
    for (const cases::TokenPlace& place : cases::find_tokens(text_of(content), tokens())) {
      if (place.line == last) continue;  // once a line
      last = place.line;
      findings.push_back(
          {kDeviceLaunches, fmt::format("{}:{}", path, place.line), line_of(text_of(content), place.line), false});
    }
  }
  return findings;
}

}  // namespace kgate::lint
