#include "runner/child/options.h"

#include <cstdlib>
#include <functional>
#include <map>

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::runner {

ChildOptions parse_child_options(const std::vector<std::string>& arguments) {
  using Action = ChildOptions::Action;
  ChildOptions options;
  ToolkitPaths& toolkit = options.role.toolkit;
  const std::map<std::string, std::function<void()>> switches{
      {"--observed", [&] { options.role.observed = options.serve.backend.observed = true; }},
      {"--counted", [&] { options.role.counted = true; }},
      {"--warm", [&] { options.serve.warm = true; }},
      {"--help", [&] { options.action = Action::help; }},
      {"-h", [&] { options.action = Action::help; }},
      {"--probe-sandbox", [&] { options.action = Action::probe; }},
      {"--explain-sandbox", [&] { options.action = Action::explain; }},
  };
  const std::map<std::string, std::function<void(const std::string&)>> values{
      {"--backend", [&](const std::string& value) { options.role.backend = value; }},
      {"--device", [&](const std::string& value) { options.serve.backend.device = value; }},
      {"--threads",
       [&](const std::string& value) {
         options.serve.backend.threads = static_cast<std::uint32_t>(std::strtoul(value.c_str(), nullptr, 10));
       }},
      {"--compile",
       [&](const std::string& value) {
         options.role.compiles = true;
         options.role.folder = value;
       }},
      {"--nvrtc", [&](const std::string& value) { toolkit.nvrtc = value; }},
      {"--include", [&](const std::string& value) { toolkit.include_dirs.push_back(value); }},
      {"--compiler", [&](const std::string& value) { toolkit.host_compiler = value; }},
      {"--disassembler", [&](const std::string& value) { toolkit.disassembler = value; }},
      {"--sweep",
       [&](const std::string& value) {
         options.action = Action::sweep;
         options.folder = value;
       }},
      {"--sandbox", [&](const std::string& value) { options.most = sandbox_level_from_name(value); }},
      {"--sandbox-least", [&](const std::string& value) { options.serve.least = sandbox_level_from_name(value); }},
  };
  if (arguments.empty()) options.action = Action::help;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string& flag = arguments[i];
    if (const auto found = switches.find(flag); found != switches.end()) {
      found->second();
    } else if (const auto with = values.find(flag); with != values.end() && i + 1 < arguments.size()) {
      with->second(arguments[++i]);
    } else {
      throw Error(ErrorKind::usage, fmt::format("\"{}\"", flag),
                  "is not known; kgate starts this program, it is not for use by hand");
    }
  }
  options.serve.role = options.role;
  return options;
}

}  // namespace kgate::runner
