#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file_tree.h"
#include "base/interrupt.h"
#include "gate/search/propose/http_proposer.h"
#include "gate/search/propose/proposer.h"
#include "gate/search/session/agent_folder.h"
#include "gate/trust/search_bounds.h"

namespace kgate::search {

struct ProposerOptions {
  std::vector<std::string> names;                  // "tuner", "http", "command", in the order in which they are asked
  std::string key;                                 // of the model's server; empty: none is sent
  std::map<std::string, std::string> environment;  // the judge's: proxy for http, what the policy passes on for command
  // For the tuner: TunerProposerOptions.
  std::function<bool(const Briefing&, const std::map<std::string, std::string>& values)> feasible;
  const Interrupt* interrupt = nullptr;
};

// Those that may propose in a search, as the policy has them, each with all that it needs.
class Proposers {
 public:
  // `base`: the files of the policy's commit; prompts and agents are read from there. Throws Error(usage, missing) for
  // what the policy does not say, or says and is not there.
  Proposers(const trust::SearchBounds& bounds, const FileTree& base, ProposerOptions options);

  // For the journal: name -> digest.
  const std::map<std::string, std::string>& prompts() const { return prompts_; }
  bool ask_a_model() const { return http_.has_value(); }
  // `seed`: the search's, which a journal may have from another process. Valid as long as this object.
  std::vector<Proposer*> begin(std::uint64_t seed);

 private:
  const trust::SearchBounds& bounds_;
  ProposerOptions options_;
  std::map<std::string, std::string> prompts_;
  std::optional<HttpOptions> http_;
  std::optional<AgentFolder> agent_;
  std::vector<std::unique_ptr<Proposer>> all_;
};

}  // namespace kgate::search
