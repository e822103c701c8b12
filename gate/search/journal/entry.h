#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "base/json.h"

// What a search did, in the order in which it did it: the lines of journal.jsonl (docs/search.md). The journal is the
// search: whatever a running one knows can be had from these lines, so that a killed one goes on and a finished one can
// be replayed. Its types are its own, plain and serialisable, because lines have to be readable longer than the loop's
// types stay as they are.
namespace kgate::search::journal {

inline constexpr const char* kSchema = "kgate.search/1";

struct Bounds {
  std::int64_t iterations = 0, repairs = 0, failures_in_a_direction = 0, patience = 0, tokens = 0;
  double seconds = 0, gpu_seconds = 0, cost_usd = 0, least_gain = 0;
  bool model = false;
};

// The first line. Digests are SHA-256 in hex.
struct Header {
  std::string kernel;
  std::string baseline;  // digest of the version that the search began with
  std::string policy;    // digest of the policy's file
  std::uint64_t seed = 0;
  Bounds bounds;
  std::vector<std::string> proposers;          // in the order in which they are asked
  std::map<std::string, std::string> prompts;  // name -> digest
  std::string tool;                            // kgate's version
  std::string started;                         // UTC
};

struct Edit {
  std::string file, find, replace;
};

struct Part {
  std::string name, hypothesis, risk;
  double expected_gain = 0;
  std::map<std::string, std::string> files, parameters;
  std::vector<Edit> edits;
};

struct Usage {
  std::int64_t tokens_in = 0, tokens_out = 0;
  double cost_usd = 0, seconds = 0;
};

// A version that somebody proposed; written before it is judged. `wall_s`, here and below: seconds that the search had
// spent by then, over all of its processes.
struct Proposed {
  std::int64_t number = 0;       // of this line among them, from 1
  std::int64_t iteration = 0;    // the step that it belongs to: repairs and trials in parts belong to their first one
  std::int64_t repair_of = 0;    // number of the proposal that it repairs; 0: none
  std::int64_t ablation_of = 0;  // number of the proposal that it has some parts of; 0: none
  std::string candidate;         // digest; empty: it could not be applied
  std::string parent;            // digest; never empty
  std::string proposer, direction, differs;
  std::vector<Part> parts;
  std::string fault;  // why it was not even tried to be applied; empty: it was
  std::string model, prompt;
  std::uint64_t seed = 0;
  double temperature = 0;
  Usage usage;
  double wall_s = 0;
};

struct CaseFigure {
  std::string name;
  double weight = 1, us = 0, baseline_us = 0, floor_us = 0, ratio = 1, low = 1, high = 1;
};

// What became of a proposal; `number` 0 is the baseline.
struct Judged {
  std::int64_t number = 0;
  std::string outcome;  // one of outcomes()
  std::string reason;
  std::string log;                      // the compiler's, where it may help a repair
  bool repairable = false;              // its proposer may be asked to repair it
  bool quick = false;                   // given up after a quick look
  double score = 0, low = 0, high = 0;  // weighted geometric mean of ratios over the baseline; 0: not timed
  std::vector<CaseFigure> cases;
  Json resources = Json::object();
  double compile_s = 0, gpu_s = 0, wall_s = 0;
};

// A proposer was asked and had no proposal.
struct Unanswered {
  std::string proposer;
  std::int64_t repair_of = 0;  // it was asked to repair this one; 0: for a new one
  std::string refusal;         // one of refusals(): "exhausted", "budget", "unavailable"
  std::string reason;
  Usage usage;
  double wall_s = 0;
};

// Another process goes on, with these bounds.
struct Resumed {
  std::string time;  // UTC
  Bounds bounds;
  double wall_s = 0;
};

// The search ended by itself.
struct Stopped {
  std::string why;     // a word: name_of(StopReason)
  std::string reason;  // a sentence
  double wall_s = 0;
};

using Line = std::variant<Header, Proposed, Judged, Unanswered, Resumed, Stopped>;

// The outcomes that a judged proposal may have, as words.
const std::vector<std::string>& outcomes();
const std::vector<std::string>& refusals();

Json to_json(const Line& line);
// Strict: every key is there and no other. Throws Error(usage, subject, fact, remedy).
Line line_from(const Json& json, const std::string& subject);

}  // namespace kgate::search::journal
