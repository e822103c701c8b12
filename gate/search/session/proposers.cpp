#include "gate/search/session/proposers.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/search/propose/from_policy.h"
#include "gate/search/propose/tuner_proposer.h"

namespace kgate::search {
namespace {

constexpr std::uint64_t kMostPrompt = 1u << 20;
constexpr std::uint64_t kMostSeed = 0x7fffffff;  // that servers take

using Files = std::map<std::string, std::string>;

// The files that [search.roles] names.
Files prompt_files(const trust::SearchBounds& bounds, const FileTree& base) {
  Files files;
  for (const auto* role : {&bounds.planner, &bounds.coder, &bounds.debugger}) {
    if (!*role || (*role)->prompt.empty()) continue;
    const auto content = base.read(join_beneath(".kgate", (*role)->prompt), kMostPrompt);
    if (content) files[(*role)->prompt] = std::string(text_of(*content));
  }
  return files;
}

// As curl and others read it; the lower case name first, which no web server sets by a request's header.
std::string proxy_of(const Files& environment, const std::string& url) {
  const bool tls = url.starts_with("https:");
  for (const char* name : {tls ? "https_proxy" : "http_proxy", tls ? "HTTPS_PROXY" : "", "all_proxy", "ALL_PROXY"}) {
    if (const auto found = environment.find(name); found != environment.end()) return found->second;
  }
  return {};
}

}  // namespace

Proposers::Proposers(const trust::SearchBounds& bounds, const FileTree& base, ProposerOptions options)
    : bounds_(bounds), options_(std::move(options)) {
  for (const std::string& name : options_.names) {
    if (name == "http") {
      if (bounds.url.empty() || bounds.model.empty())
        throw Error(ErrorKind::usage, "[search]", "says no url and model for the proposer \"http\"",
                    "add both to .kgate/policy.toml");
      http_ = http_options(bounds, prompt_files(bounds, base));
      http_->server.key = options_.key;
      http_->server.proxy = proxy_of(options_.environment, bounds.url);
      http_->server.interrupt = options_.interrupt;
      prompts_["http"] = digest_of(http_->prompts);
    } else if (name == "command") {
      if (bounds.command.empty())
        throw Error(ErrorKind::usage, "[search]", "says no command for the proposer \"command\"",
                    "add it to .kgate/policy.toml");
      agent_.emplace(base);
    } else if (name != "tuner") {
      throw Error(ErrorKind::usage, fmt::format("--proposer {}", kgate::quoted(name)), "is no proposer",
                  "there are tuner, http and command");
    }
  }
}

std::vector<Proposer*> Proposers::begin(std::uint64_t seed) {
  all_.clear();
  for (const std::string& name : options_.names) {
    if (name == "tuner") {
      TunerProposerOptions options;
      options.seed = seed;
      options.feasible = options_.feasible;
      all_.push_back(std::make_unique<TunerProposer>(options));
    } else if (name == "http") {
      HttpOptions options = *http_;
      if (!options.seed) options.seed = seed & kMostSeed;
      options.server.jitter_seed = seed;
      all_.push_back(std::make_unique<HttpProposer>(options));
    } else {
      CommandOptions options = command_options(bounds_, options_.environment);
      options.folder = agent_->path();
      options.interrupt = options_.interrupt;
      all_.push_back(std::make_unique<CommandProposer>(options));
    }
  }
  std::vector<Proposer*> found;
  for (const auto& one : all_) found.push_back(one.get());
  return found;
}

}  // namespace kgate::search
