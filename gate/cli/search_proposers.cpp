#include "gate/cli/search_proposers.h"

#include "base/error.h"
#include "base/file_tree.h"
#include "gate/search/propose/command_proposer.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/search/propose/tuner_proposer.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMostPrompt = 256u << 10;

// A role's own words come from the commit of the policy: a pull request does not tell the model what to do.
void take_prompt(const std::optional<trust::SearchRole>& role, const trust::Authority& authority, std::string& prompt) {
  if (!role || role->prompt.empty()) return;
  const std::string path = join_beneath(".kgate", role->prompt);
  const auto content = authority.tree->read(path, kMostPrompt);
  if (!content)
    throw Error(ErrorKind::usage, path, "is not in the commit that the policy is read from", "commit it there");
  prompt = std::string(text_of(*content));
}

search::HttpOptions http_options(const Invocation& invocation, const trust::Authority& authority, std::uint64_t seed) {
  const trust::SearchBounds& bounds = authority.policy.search;
  search::HttpOptions options;
  options.server.url = bounds.url;
  options.server.key = invocation.surroundings.search_key;
  options.server.plain_http = bounds.plain_http;
  options.server.prices = {bounds.price_in, bounds.price_out};
  options.server.retries = static_cast<int>(bounds.retries);
  options.server.timeout_s = bounds.timeout_s;
  options.server.jitter_seed = seed;
  options.server.interrupt = &invocation.interrupt;
  options.model = bounds.model;
  const auto model_of = [](const std::optional<trust::SearchRole>& role) { return role ? role->model : std::string(); };
  options.planner = bounds.planner && bounds.planner->model.empty() ? bounds.model : model_of(bounds.planner);
  options.coder = model_of(bounds.coder);
  options.debugger = model_of(bounds.debugger);
  take_prompt(bounds.planner, authority, options.prompts.planner);
  take_prompt(bounds.coder, authority, options.prompts.coder);
  take_prompt(bounds.debugger, authority, options.prompts.debugger);
  options.temperature = bounds.temperature;
  options.seed = bounds.seed ? static_cast<std::uint64_t>(*bounds.seed) : seed >> 33;  // servers take 31 bits
  options.max_tokens = bounds.max_tokens;
  options.max_tokens_as = bounds.max_tokens_as;
  options.prompt_bytes = static_cast<std::size_t>(bounds.prompt_bytes);
  return options;
}

}  // namespace

std::vector<std::unique_ptr<search::Proposer>> make_proposers(const Invocation& invocation,
                                                              const trust::Authority& authority, std::uint64_t seed,
                                                              search::journal::Header& header) {
  const trust::SearchBounds& bounds = authority.policy.search;
  std::vector<std::string> names = bounds.proposers;
  if (!invocation.arguments.proposer.empty()) names = {invocation.arguments.proposer};
  std::vector<std::unique_ptr<search::Proposer>> proposers;
  for (const std::string& name : names) {
    if (name == "tuner") {
      proposers.push_back(std::make_unique<search::TunerProposer>(seed));
    } else if (name == "http") {
      if (bounds.url.empty())
        throw Error(ErrorKind::usage, "--proposer http", "the policy names no server",
                    "add url and model to its [search]");
      const auto options = http_options(invocation, authority, seed);
      header.prompts["http"] = search::digest_of(options.prompts);
      header.bounds.model = true;
      proposers.push_back(std::make_unique<search::HttpProposer>(options));
    } else {
      if (bounds.command.empty())
        throw Error(ErrorKind::usage, "--proposer command", "the policy names no command", "add command to its [search]");
      search::CommandOptions options;
      options.command = bounds.command;
      options.folder = authority.repository->root();
      options.timeout_s = bounds.timeout_s;
      options.environment = search::agent_environment(invocation.surroundings.environment, bounds.pass_environment);
      options.interrupt = &invocation.interrupt;
      proposers.push_back(std::make_unique<search::CommandProposer>(options));
    }
    header.proposers.push_back(name);
  }
  return proposers;
}

}  // namespace kgate::cli
