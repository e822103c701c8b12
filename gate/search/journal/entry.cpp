#include "gate/search/journal/entry.h"

#include <algorithm>

#include "gate/search/journal/fields.h"

// One function a type names its fields, for writing and for reading: a key that one of the two forgets cannot be.
namespace kgate::search::journal {
namespace {

template <typename Visitor>
void fields_of(Visitor& see, Bounds& one) {
  see("iterations", one.iterations);
  see("repairs", one.repairs);
  see("failures_in_a_direction", one.failures_in_a_direction);
  see("patience", one.patience);
  see("tokens", one.tokens);
  see("seconds", one.seconds);
  see("gpu_seconds", one.gpu_seconds);
  see("cost_usd", one.cost_usd);
  see("least_gain", one.least_gain);
  see("model", one.model);
}

template <typename Visitor>
void fields_of(Visitor& see, Header& one) {
  see("kernel", one.kernel);
  see("baseline", one.baseline);
  see("policy", one.policy);
  see("seed", one.seed);
  see("bounds", one.bounds);
  see("proposers", one.proposers);
  see("prompts", one.prompts);
  see("tool", one.tool);
  see("started", one.started);
}

template <typename Visitor>
void fields_of(Visitor& see, Edit& one) {
  see("file", one.file);
  see("find", one.find);
  see("replace", one.replace);
}

template <typename Visitor>
void fields_of(Visitor& see, Part& one) {
  see("name", one.name);
  see("hypothesis", one.hypothesis);
  see("risk", one.risk);
  see("expected_gain", one.expected_gain);
  see("files", one.files);
  see("edits", one.edits);
  see("parameters", one.parameters);
}

template <typename Visitor>
void fields_of(Visitor& see, Usage& one) {
  see("tokens_in", one.tokens_in);
  see("tokens_out", one.tokens_out);
  see("cost_usd", one.cost_usd);
  see("seconds", one.seconds);
}

template <typename Visitor>
void fields_of(Visitor& see, Proposed& one) {
  see("number", one.number);
  see("iteration", one.iteration);
  see("repair_of", one.repair_of);
  see("ablation_of", one.ablation_of);
  see("candidate", one.candidate);
  see("parent", one.parent);
  see("proposer", one.proposer);
  see("direction", one.direction);
  see("differs", one.differs);
  see("parts", one.parts);
  see("fault", one.fault);
  see("model", one.model);
  see("prompt", one.prompt);
  see("seed", one.seed);
  see("temperature", one.temperature);
  see("usage", one.usage);
  see("wall_s", one.wall_s);
}

template <typename Visitor>
void fields_of(Visitor& see, CaseFigure& one) {
  see("name", one.name);
  see("weight", one.weight);
  see("us", one.us);
  see("baseline_us", one.baseline_us);
  see("floor_us", one.floor_us);
  see("ratio", one.ratio);
  see("low", one.low);
  see("high", one.high);
}

template <typename Visitor>
void fields_of(Visitor& see, Judged& one) {
  see("number", one.number);
  see("outcome", one.outcome);
  see("reason", one.reason);
  see("log", one.log);
  see("repairable", one.repairable);
  see("quick", one.quick);
  see("score", one.score);
  see("low", one.low);
  see("high", one.high);
  see("cases", one.cases);
  see("resources", one.resources);
  see("compile_s", one.compile_s);
  see("gpu_s", one.gpu_s);
  see("wall_s", one.wall_s);
}

template <typename Visitor>
void fields_of(Visitor& see, Unanswered& one) {
  see("proposer", one.proposer);
  see("repair_of", one.repair_of);
  see("refusal", one.refusal);
  see("reason", one.reason);
  see("usage", one.usage);
  see("wall_s", one.wall_s);
}

template <typename Visitor>
void fields_of(Visitor& see, Resumed& one) {
  see("time", one.time);
  see("bounds", one.bounds);
  see("wall_s", one.wall_s);
}

template <typename Visitor>
void fields_of(Visitor& see, Stopped& one) {
  see("why", one.why);
  see("reason", one.reason);
  see("wall_s", one.wall_s);
}

class Writer {
 public:
  template <typename T>
  void operator()(const char* key, T& value) {
    json_[key] = json_of(value);
  }
  Json take() { return std::move(json_); }

 private:
  template <typename T>
  static Json json_of(T& value) {
    if constexpr (requires(Writer & writer) { fields_of(writer, value); }) {
      Writer writer;
      fields_of(writer, value);
      return writer.take();
    } else {
      return value;
    }
  }
  template <typename T>
  static Json json_of(std::vector<T>& values) {
    Json list = Json::array();
    for (T& value : values) list.push_back(json_of(value));
    return list;
  }

  Json json_ = Json::object();
};

class Reader {
 public:
  explicit Reader(Fields& fields) : fields_(fields) {}
  template <typename T>
  void operator()(const char* key, T& value) {
    if constexpr (requires(Reader & reader) { fields_of(reader, value); }) {
      read(fields_.inside(key), value);
    } else {
      fields_.get(key, value);
    }
  }
  template <typename T>
  requires requires(Reader& reader, T& value) { fields_of(reader, value); }
  void operator()(const char* key, std::vector<T>& values) {
    for (Fields& item : fields_.items(key)) read(std::move(item), values.emplace_back());
  }

  template <typename T>
  static Fields read(Fields fields, T& value) {
    Reader reader(fields);
    fields_of(reader, value);
    fields.end();
    return fields;
  }

 private:
  Fields& fields_;
};

constexpr const char* kKinds[] = {"header", "proposed", "judged", "unanswered", "resumed", "stopped"};

bool is_one_of(const std::string& word, const std::vector<std::string>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
void check_words(const Fields& fields, const Judged& one) {
  if (!is_one_of(one.outcome, outcomes())) fields.fail("outcome", "is not an outcome that kgate knows");
}
void check_words(const Fields& fields, const Unanswered& one) {
  if (!is_one_of(one.refusal, refusals())) fields.fail("refusal", "is not one that kgate knows");
}
template <typename Other>
void check_words(const Fields&, const Other&) {}

template <std::size_t index = 0>
Line read_kind(const std::string& kind, Fields& fields) {
  if constexpr (index == std::variant_size_v<Line>) {
    fields.fail("kind", "is not a kind of line that kgate knows");
  } else {
    if (kind != kKinds[index]) return read_kind<index + 1>(kind, fields);
    std::variant_alternative_t<index, Line> value;
    check_words(Reader::read(std::move(fields), value), value);
    return value;
  }
}

}  // namespace

const std::vector<std::string>& outcomes() {
  static const std::vector<std::string> words{"refused", "duplicate", "infeasible", "does_not_compile", "wrong",
                                              "suspect", "slower",    "better",     "environment"};
  return words;
}

const std::vector<std::string>& refusals() {
  static const std::vector<std::string> words{"exhausted", "budget", "unavailable"};
  return words;
}

Json to_json(const Line& line) {
  Writer writer;
  Line copy = line;
  std::visit([&](auto& value) { fields_of(writer, value); }, copy);
  Json json = writer.take();
  json["schema"] = kSchema;
  json["kind"] = kKinds[line.index()];
  return json;
}

Line line_from(const Json& json, const std::string& subject) {
  Fields fields(json, "", subject);
  std::string schema, kind;
  fields.get("schema", schema);
  if (schema != kSchema) fields.fail("schema", std::string("is not \"") + kSchema + "\"");
  fields.get("kind", kind);
  return read_kind(kind, fields);
}

}  // namespace kgate::search::journal
