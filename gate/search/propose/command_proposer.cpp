#include "gate/search/propose/command_proposer.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/error.h"
#include "base/process.h"
#include "base/shared_memory.h"
#include "gate/search/propose/clock.h"
#include "gate/search/propose/fit.h"
#include "gate/search/propose/meter.h"
#include "gate/search/propose/reply.h"
#include "gate/search/propose/request.h"
#include "gate/search/propose/words.h"

// The request is a sealed file in memory rather than a pipe: an agent that never reads its input blocks nobody, and one
// that reads it twice may.
namespace kgate::search {
namespace {

constexpr std::size_t kMostErrors = 4096;  // bytes of stderr that are kept
constexpr std::size_t kMostComplaint = 64 << 10;
const std::string kSubject = "the agent's reply";

SharedMemory input_of(const std::string& text) {
  SharedMemory memory = SharedMemory::create("kgate-agent-request", text.size());
  std::memcpy(memory.writable().data(), text.data(), text.size());
  memory.seal();
  return memory;
}

std::string how_it_ended(const CommandResult& result, double timeout_s) {
  if (result.timed_out) return fmt::format("did not answer within {:g} s and was ended", timeout_s);
  if (result.status.signal != 0) return fmt::format("was ended by signal {}", result.status.signal);
  return fmt::format("ended with exit code {}", result.status.code);
}

}  // namespace

std::map<std::string, std::string> agent_environment(const std::map<std::string, std::string>& all,
                                                     const std::vector<std::string>& listed) {
  std::map<std::string, std::string> some;
  for (const auto& [name, value] : all) {
    const bool wanted =
        name == "PATH" || name == "HOME" || std::find(listed.begin(), listed.end(), name) != listed.end();
    if (wanted && !name.starts_with("KGATE_KEY")) some.emplace(name, value);
  }
  return some;
}

CommandProposer::CommandProposer(CommandOptions options) : options_(std::move(options)) {
  if (options_.command.empty() || options_.command.front().empty())
    throw Error(ErrorKind::usage, "[search] command", "names no program",
                "write for example command = [\"python3\", \"tools/agent.py\"]");
}

Reply CommandProposer::ask(const Briefing& briefing, Json request, const std::string& parent) const {
  ProcessOptions process;
  process.command = options_.command;
  process.folder = options_.folder;
  // A program by a relative path would be found in kgate's own folder, which is the change's.
  std::string& file = process.command.front();
  if (!options_.folder.empty() && file.find('/') != std::string::npos && file.front() != '/')
    file = (options_.folder / file).string();
  process.environment = options_.environment;
  if (const auto path = options_.environment.find("PATH"); path != options_.environment.end())
    process.search_path = path->second;
  const std::string program = options_.command.front();

  Reply reply;
  const auto refuse = [&](Refusal::Kind kind, std::string reason, std::string_view errors) {
    if (const std::string said = one_line(errors, kMostErrors); !said.empty()) reason += "; it said: " + said;
    reply.refusal = {kind, std::move(reason)};
  };
  const SystemClock clock;
  for (int corrections = 0;; ++corrections) {
    const SharedMemory input = input_of(*request_text(briefing, request, std::string::npos));
    process.descriptors = {{input.fd(), 0}};
    CommandLimits limits;
    double timeout_s = options_.timeout_s;
    if (briefing.seconds_left > 0) timeout_s = std::min(timeout_s, briefing.seconds_left - reply.usage.seconds);
    limits.deadline = std::chrono::milliseconds(static_cast<std::int64_t>(std::max(timeout_s, 0.0) * 1e3));
    limits.max_output = kMostReply + 1;
    limits.max_errors = kMostErrors;
    limits.interrupt = options_.interrupt;
    const double began = clock.now();
    CommandResult result;
    try {
      result = run_command(process, limits);
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::interrupted) throw;
      refuse(Refusal::Kind::unavailable, error.what(), "");
      return reply;
    }
    reply.usage.seconds += clock.now() - began;
    if (result.timed_out || !result.status.ok()) {
      refuse(Refusal::Kind::unavailable, fmt::format("{} {}", program, how_it_ended(result, timeout_s)), result.errors);
      return reply;
    }
    try {
      Answer answer = read_answer(result.output, parent, kSubject, true);
      add(reply.usage, answer.usage);
      if (!answer.proposal) {
        refuse(Refusal::Kind::exhausted, one_line(answer.exhausted, 1000), "");
        return reply;
      }
      // One that does not fit is mended as often as one that cannot be read; then it is a step, which is refused.
      if (corrections < options_.corrections) check_fit(*answer.proposal, briefing, kSubject);
      reply.proposal = std::move(answer.proposal);
      reply.proposal->proposer = name();
      reply.proposal->usage = reply.usage;
      return reply;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      if (corrections >= options_.corrections) {
        refuse(Refusal::Kind::unavailable, fmt::format("{}: {}", program, one_line(error.what(), 1000)), result.errors);
        return reply;
      }
      request["refused"] = error.what();
    }
  }
}

Reply CommandProposer::propose(const Briefing& briefing) {
  return ask(briefing, {{"schema", kAgentSchema}, {"ask", "propose"}}, briefing.best);
}

Reply CommandProposer::repair(const Briefing& briefing, const Proposal& failed, const std::string& complaint) {
  return ask(briefing,
             {{"schema", kAgentSchema},
              {"ask", "repair"},
              {"failed", to_json(failed)},
              {"complaint", excerpt(complaint, kMostComplaint)}},
             failed.parent);
}

}  // namespace kgate::search
