#include "gate/search/propose/http_proposer.h"

#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/search/propose/fit.h"
#include "gate/search/propose/json_field.h"
#include "gate/search/propose/reply.h"
#include "gate/search/propose/request.h"
#include "gate/search/propose/words.h"

namespace kgate::search {
namespace {

constexpr std::size_t kMostComplaint = 8000;  // bytes of a compiler's log that a model is shown
const std::string kSubject = "the answer";

std::string or_else(const std::string& text, const std::string& other) {
  return text.empty() ? other : text;
}

// What the planner wants done; throws Error(usage) where it cannot be read. Its `exhausted`, where it sees nothing.
struct Plan {
  Json plan;
  std::string exhausted;
};
Plan read_plan(const std::string& content) {
  const Json value = parse_json(find_json_object(content, kSubject), kSubject);
  const JsonField root(value, kSubject);
  root.allow_only({"direction", "hypothesis", "plan", "exhausted"});
  Plan plan;
  if (root.has("exhausted")) {
    plan.exhausted = root.at("exhausted", "").text(kMostWords);
    if (plan.exhausted.empty()) root.at("exhausted", "").fail("is empty", "say why there is nothing more");
    return plan;
  }
  plan.plan = {{"direction", root.at("direction", "say what kind of idea it is").line(kMostName)},
               {"hypothesis", root.at("hypothesis", "say why it should be faster").text(kMostWords)},
               {"plan", root.at("plan", "say what to change").text(4 * kMostWords)}};
  return plan;
}

}  // namespace

// One call of propose() or repair(): what it has cost, and what comes of it.
struct HttpProposer::Asking {
  const Briefing& briefing;
  Reply reply;
  std::string model;  // that answered last
  std::optional<std::uint64_t> seed;
};

HttpProposer::HttpProposer(HttpOptions options)
    : options_(std::move(options)), server_(options_.server), prompt_digest_(digest_of(options_.prompts)) {
  if (options_.model.empty())
    throw Error(ErrorKind::usage, "[search] model", "is empty", "name it as the server knows it");
}

// Asks until an answer can be read. False: asking.reply.refusal says why there is none.
bool HttpProposer::converse(Asking& asking, const std::string& model, const std::string& prompt,
                            const std::string& request, const Read& read) {
  ChatRequest chat;
  chat.model = model;
  chat.messages = {{"system", options_.prompts.rules + prompt}, {"user", request}};
  chat.temperature = options_.temperature;
  chat.seed = asking.seed;
  chat.max_tokens = options_.max_tokens;
  chat.max_tokens_as = options_.max_tokens_as;
  for (int corrections = 0;; ++corrections) {
    const auto said = server_.ask(chat, asking.briefing, asking.reply.usage);
    if (!said.answer) {
      asking.reply.refusal = said.refusal;
      return false;
    }
    asking.model = or_else(said.answer->model, model);
    std::string complaint;
    try {
      if (!said.answer->whole)
        throw Error(ErrorKind::usage, kSubject, "was cut off because it is too long",
                    "change less at a time, by edits rather than by whole files");
      read(said.answer->content, corrections >= options_.corrections);
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      complaint = error.what();
    }
    if (corrections >= options_.corrections) {
      asking.reply.refusal = {Refusal::Kind::unavailable,
                              fmt::format("{} gave no answer that can be used, after {} corrections: {}", model,
                                          corrections, one_line(complaint, 1000))};
      return false;
    }
    chat.messages.push_back({"assistant", excerpt(said.answer->content, options_.prompt_bytes / 8)});
    chat.messages.push_back({"user", fmt::format("Your answer was refused: {}. Answer again with the whole JSON object "
                                                 "and nothing else.",
                                                 complaint)});
  }
}

std::optional<std::string> HttpProposer::request_of(Asking& asking, const std::string& prompt, const Json& more) const {
  const std::size_t system = options_.prompts.rules.size() + prompt.size();
  const std::size_t room = options_.prompt_bytes > system ? options_.prompt_bytes - system : 0;
  auto text = request_text(asking.briefing, more, room);
  if (!text)
    asking.reply.refusal = {Refusal::Kind::unavailable,
                            fmt::format("the sources and what must be said of them do not fit into [search] "
                                        "prompt_bytes ({}); raise it if the model can read more",
                                        options_.prompt_bytes)};
  return text;
}

bool HttpProposer::plan(Asking& asking, Json& more) {
  if (options_.planner.empty()) return true;
  const auto request = request_of(asking, options_.prompts.planner, more);
  if (!request) return false;
  Plan plan;
  if (!converse(asking, options_.planner, options_.prompts.planner, *request,
                [&](const std::string& content, bool) { plan = read_plan(content); }))
    return false;
  if (!plan.exhausted.empty()) {
    asking.reply.refusal = {Refusal::Kind::exhausted, one_line(plan.exhausted, 1000)};
    return false;
  }
  more["plan"] = std::move(plan.plan);
  return true;
}

void HttpProposer::code(Asking& asking, const std::string& model, const std::string& prompt, const Json& more,
                        const std::string& parent) {
  const auto request = request_of(asking, prompt, more);
  if (!request) return;
  Answer answer;
  const Read read = [&](const std::string& content, bool last) {
    answer = read_answer(find_json_object(content, kSubject), parent, kSubject);
    // One that does not fit is mended as often as one that cannot be read; then it is a step, which is refused.
    if (answer.proposal && !last) check_fit(*answer.proposal, asking.briefing, kSubject);
  };
  if (!converse(asking, model, prompt, *request, read)) return;
  if (!answer.proposal) {
    asking.reply.refusal = {Refusal::Kind::exhausted, one_line(answer.exhausted, 1000)};
    return;
  }
  Proposal& proposal = asking.reply.proposal.emplace(std::move(*answer.proposal));
  proposal.proposer = name();
  proposal.model = asking.model;
  proposal.prompt = prompt_digest_;
  proposal.seed = asking.seed.value_or(0);
  proposal.temperature = options_.temperature.value_or(0);
  proposal.usage = asking.reply.usage;
}

namespace {

// Another one for every step, so that a server that is deterministic does not give a refused answer again; a function
// of the journal, so that a search that is resumed asks as it would have.
std::optional<std::uint64_t> seed_of(const std::optional<std::uint64_t>& seed, const Briefing& briefing) {
  if (!seed) return std::nullopt;
  return (*seed + briefing.tried.size()) & 0x7FFFFFFFU;  // servers hold it in 32 bits
}

}  // namespace

Reply HttpProposer::propose(const Briefing& briefing) {
  Asking asking{briefing, {}, {}, seed_of(options_.seed, briefing)};
  Json more = Json::object();
  if (plan(asking, more))
    code(asking, or_else(options_.coder, options_.model), options_.prompts.coder, more, briefing.best);
  return std::move(asking.reply);
}

Reply HttpProposer::repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint) {
  Asking asking{briefing, {}, {}, seed_of(options_.seed, briefing)};
  const Json more{{"failed", to_json(failed)}, {"complaint", excerpt(complaint, kMostComplaint)}};
  code(asking, or_else(options_.debugger, options_.model), options_.prompts.debugger, more, failed.parent);
  return std::move(asking.reply);
}

}  // namespace kgate::search
