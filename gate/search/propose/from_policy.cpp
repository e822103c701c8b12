#include "gate/search/propose/from_policy.h"

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::search {
namespace {

using Files = std::map<std::string, std::string>;

// The role's model; its own prompt takes the place of kgate's.
std::string model_of(const std::optional<trust::SearchRole>& role, const Files& files, std::string& prompt) {
  if (!role) return {};
  if (!role->prompt.empty()) {
    const auto file = files.find(role->prompt);
    if (file == files.end())
      throw Error(ErrorKind::missing, fmt::format(".kgate/{}", role->prompt), "is not there",
                  "[search.roles] names it: add it in the commit that the policy is read from");
    prompt = file->second;
  }
  return role->model;
}

}  // namespace

HttpOptions http_options(const trust::SearchBounds& bounds, const Files& prompts) {
  HttpOptions options;
  options.server.url = bounds.url;
  options.server.plain_http = bounds.plain_http;
  options.server.prices = {bounds.price_in, bounds.price_out};
  options.server.retries = static_cast<int>(bounds.retries);
  options.server.timeout_s = bounds.timeout_s;
  options.model = bounds.model;
  options.planner = model_of(bounds.planner, prompts, options.prompts.planner);
  if (bounds.planner && options.planner.empty()) options.planner = bounds.model;
  options.coder = model_of(bounds.coder, prompts, options.prompts.coder);
  options.debugger = model_of(bounds.debugger, prompts, options.prompts.debugger);
  options.temperature = bounds.temperature;
  if (bounds.seed) options.seed = static_cast<std::uint64_t>(*bounds.seed);
  options.max_tokens = bounds.max_tokens;
  options.max_tokens_as = bounds.max_tokens_as;
  options.prompt_bytes = static_cast<std::size_t>(bounds.prompt_bytes);
  return options;
}

CommandOptions command_options(const trust::SearchBounds& bounds,
                               const std::map<std::string, std::string>& environment) {
  CommandOptions options;
  options.command = bounds.command;
  options.timeout_s = bounds.timeout_s;
  options.environment = agent_environment(environment, bounds.pass_environment);
  return options;
}

}  // namespace kgate::search
