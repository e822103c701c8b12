#include "tests/search/scripted.h"

#include <cstdlib>
#include <optional>
#include <regex>

#include "base/error.h"
#include "gate/search/candidate.h"
#include "tests/search/kernels.h"

using namespace kgate::search;

namespace kgate::test {
namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";

std::optional<std::string> argument_of(const std::string& source, const std::string& word) {
  std::smatch match;
  if (!std::regex_search(source, match, std::regex(word + "\\((\\w+)\\)"))) return std::nullopt;
  return match[1];
}

double number_of(const std::string& source, const std::string& word, double otherwise) {
  const auto found = argument_of(source, word);
  return found ? std::atof(found->c_str()) : otherwise;
}

// All parts find the same line, which each of them leaves as it is for the next one.
Part part_of(const std::string& name, const std::string& code) {
  Part part;
  part.name = part.hypothesis = name;
  part.expected_gain = 0.1;
  part.edits = {{kSource, "BODY;", code + "\nBODY;"}};
  return part;
}

Proposal proposal_of(const std::string& name, const std::vector<std::string>& parts) {
  Proposal proposal;
  for (std::size_t i = 0; i < parts.size(); ++i)
    proposal.parts.push_back(part_of(name + "." + std::to_string(i), parts[i]));
  return proposal;
}

// How many of the script have been said; how many repairs of one.
std::size_t highest(const Briefing& briefing, const std::string& proposer) {
  std::size_t found = 0;
  for (const Tried& tried : briefing.tried) {
    for (const std::string& hypothesis : tried.hypotheses) {
      if (tried.proposer == proposer && hypothesis[0] == 's')
        found = std::max(found, static_cast<std::size_t>(std::atoi(hypothesis.c_str() + 1)));
    }
  }
  return found;
}

}  // namespace

Candidate scripted_baseline() {
  auto files = search_files();
  files[kSource] =
      "#include \"scale.cuh\"\ntemplate <int N> __global__ void scale(float* y, const float* x, int n) {\nBODY;\n}\n";
  return make_candidate(files, kSearchPath);
}

Evaluation TableEvaluator::evaluate(const Candidate& candidate, const Measured& best, const TimeLeft& time_left) {
  const std::string& source = candidate.files.at(kSource);
  if (!dies_at.empty() && source.find(dies_at) != std::string::npos)
    throw Error(ErrorKind::environment, "the GPU", "fell off the bus");
  evaluated.push_back(candidate.digest);
  beside.push_back(best.version.digest);
  left.push_back(time_left);
  Evaluation result;
  result.cost = {1, number_of(source, "COST", 2)};
  clock_.now += result.cost.compile_s + result.cost.gpu_s;
  result.outcome = Outcome::slower;
  if (const auto failure = argument_of(source, "FAIL")) result.outcome = outcome_of(*failure).value();
  if (result.outcome != Outcome::slower) {
    result.reason = "it is said to be";
    if (result.outcome == Outcome::does_not_compile) result.log = "scale.cu(3): error: \x1b[31mno\xff";
    return result;
  }
  const double width = 1 + number_of(source, "W", 0.1) / 100;
  const std::string block = candidate.parameters.at("BLOCK");
  for (const std::string& name : cases) {
    CaseTime time;
    time.name = name;
    time.baseline_us = time.us = 10;
    if (block == "512") time.us *= 0.95;
    const std::regex factor("M\\(" + name + ",(\\d+)\\)");
    for (std::sregex_iterator one(source.begin(), source.end(), factor), end; one != end; ++one)
      time.us *= std::atof((*one)[1].str().c_str()) / 100;
    time.floor_us = number_of(source, "FLOOR", 0);
    time.ratio = time.us / 10;
    time.low = time.ratio / width;
    time.high = time.ratio * width;
    result.cases.push_back(time);
  }
  result.resources = {{"scale", {{"registers", 32}}}};
  return result;
}

Reply ScriptedProposer::propose(const Briefing& briefing) {
  ++calls;
  clock_.now += 1;
  briefings.push_back(briefing);
  const std::size_t next = highest(briefing, name_);
  Reply reply;
  if (next >= script_.size()) {
    reply.refusal = {Refusal::Kind::exhausted, "that was all"};
    return reply;
  }
  const Scripted& said = script_[next];
  reply.usage = said.usage;
  if (said.parts.empty() && said.parameters.empty()) {
    reply.refusal = said.refusal;
    return reply;
  }
  const std::string name = "s" + std::to_string(next + 1);
  reply.proposal = proposal_of(name, said.parts);
  if (!said.parameters.empty()) {
    Part part;
    part.name = part.hypothesis = name + ".p";
    part.parameters = said.parameters;
    reply.proposal->parts.push_back(part);
  }
  reply.proposal->direction = said.direction;
  reply.proposal->parent = said.parent == "best" ? briefing.best : said.parent == "baseline" ? "" : said.parent;
  reply.proposal->model = "scripted";
  return reply;
}

Reply ScriptedProposer::repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint) {
  ++calls;
  complaints.push_back(complaint);
  if (!repairs_at_all) return Proposer::repair(briefing, failed, complaint);
  const std::string number = failed.parts.front().hypothesis.substr(1, failed.parts.front().hypothesis.find('.') - 1);
  const Scripted& said = script_[static_cast<std::size_t>(std::atoi(number.c_str())) - 1];
  std::size_t made = 0;
  for (const Tried& tried : briefing.tried) {
    if (tried.proposer == name_ && tried.hypotheses.front() == "r" + number + ".0") ++made;
  }
  Reply reply;
  reply.usage = said.usage;
  if (made >= said.repairs.size()) {
    reply.refusal = {Refusal::Kind::exhausted, "no idea"};
    return reply;
  }
  reply.proposal = proposal_of("r" + number, said.repairs[made]);
  reply.proposal->parent = failed.parent;
  reply.proposal->direction = failed.direction;
  return reply;
}

}  // namespace kgate::test
