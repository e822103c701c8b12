#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gate/search/propose/model_server.h"
#include "gate/search/propose/prompts.h"
#include "gate/search/propose/proposer.h"

namespace kgate::search {

struct HttpOptions {
  ServerOptions server;
  std::string model;
  // A planner's model: it says what to try, and the coder writes it. Empty: the coder decides for itself.
  std::string planner;
  std::string coder, debugger;  // empty: `model`
  Prompts prompts = own_prompts();
  std::optional<double> temperature;  // nothing: the server's own
  std::optional<std::uint64_t> seed;  // nothing: none is sent
  std::int64_t max_tokens = 8192;     // of one answer
  std::string max_tokens_as = "max_tokens";
  std::size_t prompt_bytes = 200000;  // of one request's texts
  int corrections = 2;                // how often a model may mend an answer that cannot be read
};

// A language model behind an OpenAI-compatible server. A model that answers with what is no proposal is told what is
// wrong with it and asked again, in the same conversation.
class HttpProposer : public Proposer {
 public:
  // Throws Error(usage) for an address, a key or a model that cannot be used.
  explicit HttpProposer(HttpOptions options);

  std::string name() const override { return "http"; }
  Reply propose(const Briefing& briefing) override;
  Reply repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint) override;

 private:
  struct Asking;
  // Throws Error(usage) where it is of no use; `last`: nobody is asked again.
  using Read = std::function<void(const std::string& content, bool last)>;

  bool converse(Asking& asking, const std::string& model, const std::string& prompt, const std::string& request,
                const Read& read);
  bool plan(Asking& asking, Json& more);
  void code(Asking& asking, const std::string& model, const std::string& prompt, const Json& more,
            const std::string& parent);
  std::optional<std::string> request_of(Asking& asking, const std::string& prompt, const Json& more) const;

  HttpOptions options_;
  ModelServer server_;
  std::string prompt_digest_;
};

}  // namespace kgate::search
