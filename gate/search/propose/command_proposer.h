#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "gate/search/propose/proposer.h"

namespace kgate::search {

struct CommandOptions {
  std::vector<std::string> command;
  std::filesystem::path folder;  // that it works in; empty: ours
  double timeout_s = 300;
  int corrections = 1;                             // how often it may mend a reply that cannot be read
  std::map<std::string, std::string> environment;  // see agent_environment
  const Interrupt* interrupt = nullptr;
};

// What an agent gets of the judge's environment: PATH, HOME and what the policy lists. Variables that begin with
// KGATE_KEY (signing keys and their passphrase) never, listed or not.
std::map<std::string, std::string> agent_environment(const std::map<std::string, std::string>& all,
                                                     const std::vector<std::string>& listed);

// An external program, one process for each request: docs/agent-protocol.md.
class CommandProposer : public Proposer {
 public:
  // Throws Error(usage) where there is no command.
  explicit CommandProposer(CommandOptions options);

  std::string name() const override { return "command"; }
  Reply propose(const Briefing& briefing) override;
  Reply repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint) override;

 private:
  Reply ask(const Briefing& briefing, Json request, const std::string& parent) const;

  CommandOptions options_;
};

}  // namespace kgate::search
