#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gate/search/propose/briefing.h"
#include "gate/search/propose/proposal.h"

namespace kgate::search {

inline constexpr const char* kAgentSchema = "kgate.agent/1";

// Bounds of a reply; bytes where nothing else is said.
inline constexpr std::size_t kMostReply = 1 << 20;
inline constexpr std::size_t kMostFile = 256 << 10;
inline constexpr std::size_t kMostFind = 64 << 10;
inline constexpr std::size_t kMostWords = 4000;                                       // a hypothesis, a risk
inline constexpr std::size_t kMostName = 200;                                         // names, paths, values
inline constexpr std::size_t kMostParts = 16;                                         // of a proposal
inline constexpr std::size_t kMostFiles = 64, kMostEdits = 64, kMostParameters = 64;  // of a part

// What a proposer answered: a proposal, or that it has nothing more to propose, and why.
struct Answer {
  std::optional<Proposal> proposal;
  std::string exhausted;
  Usage usage;  // as an agent says it
};

// The JSON object in what a chat model said: the whole text, the one fenced block that holds one, or what lies between
// the first brace and the last. Throws Error(usage, subject, ...) where there is none, or more than one.
std::string_view find_json_object(std::string_view text, const std::string& subject);

// Reads the reply of docs/agent-protocol.md. A proposal that names no parent changes `parent`. The proposer's name, the
// model asked, prompt, seed and temperature are the caller's to fill in. An agent must name the schema. Throws
// Error(usage, "SUBJECT: parts[0].files", fact, remedy), in words that can be told to a model.
Answer read_answer(std::string_view json, const std::string& parent, const std::string& subject,
                   bool from_agent = false);

}  // namespace kgate::search
