#include "gate/search/propose/reply.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utf8.h"
#include "gate/search/propose/json_field.h"

// A reply is the most foreign text that kgate reads: a language model wrote it, after it has read whatever stood in the
// sources. So it is taken apart strictly, every size has a bound, and a key that is not known is an error rather than
// something that silently has no effect. The errors are written for the model: they are what it is told when it is
// asked again.
namespace kgate::search {
namespace {

const std::vector<std::string> kKeys{"schema", "parent",    "direction", "differs",
                                     "parts",  "exhausted", "model",     "usage"};

std::string_view trimmed(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r\n");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

// Blocks between lines that begin with ```, and that begin with a brace. A fence cannot stand in a JSON string: line
// ends are escaped there.
std::vector<std::string_view> fenced_objects(std::string_view text) {
  std::vector<std::string_view> blocks;
  std::size_t begin = std::string_view::npos;  // of the open block's content
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (trimmed(text.substr(at, end - at)).starts_with("```")) {
      if (begin == std::string_view::npos) {
        begin = std::min(end + 1, text.size());
      } else {
        const std::string_view block = trimmed(text.substr(begin, at - begin));
        if (block.starts_with('{')) blocks.push_back(block);
        begin = std::string_view::npos;
      }
    }
    at = end + 1;
  }
  return blocks;
}

void check_text(std::string_view text, const std::string& subject) {
  if (text.size() > kMostReply)
    throw Error(ErrorKind::usage, subject, fmt::format("has {} bytes, more than {}", text.size(), kMostReply),
                "change less at a time, by edits rather than by whole files");
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = decode_utf8(text, at);
    if (!point.valid) throw Error(ErrorKind::usage, subject, fmt::format("is not UTF-8 at byte {}", at + 1));
    at += point.length;
  }
}

std::map<std::string, std::string> read_files(const JsonField& field) {
  std::map<std::string, std::string> files;
  for (const auto& [path, content] : field.entries(kMostFiles)) files[path] = content.text(kMostFile);
  return files;
}

std::vector<Edit> read_edits(const JsonField& field) {
  std::vector<Edit> edits;
  for (const JsonField& item : field.items(kMostEdits)) {
    item.allow_only({"file", "find", "replace"});
    const JsonField find = item.at("find", "quote the text that is to be replaced");
    Edit edit{item.at("file", "name the file, from the repository's root").line(kMostName), find.text(kMostFind),
              item.at("replace", "write what takes its place; \"\" removes it").text(kMostFile)};
    if (edit.find.empty()) find.fail("is empty", "quote the text that is to be replaced");
    edits.push_back(std::move(edit));
  }
  return edits;
}

std::map<std::string, std::string> read_parameters(const JsonField& field) {
  std::map<std::string, std::string> parameters;
  for (const auto& [name, value] : field.entries(kMostParameters)) {
    // 256 is meant where "256" is asked for.
    parameters[name] = value.value().is_number_integer() ? value.value().dump() : value.line(kMostName);
  }
  return parameters;
}

Part read_part(const JsonField& field, std::size_t number) {
  field.allow_only({"name", "hypothesis", "expected_gain", "risk", "files", "edits", "parameters"});
  Part part;
  part.name = field.has("name") ? field.at("name", "").line(kMostName) : fmt::format("part {}", number);
  part.hypothesis = field.at("hypothesis", "say why it should be faster").text(kMostWords);
  if (field.has("expected_gain"))
    part.expected_gain = field.at("expected_gain", "").number(0, 0.999, "write a share: 0.05 is 5 % less time");
  if (field.has("risk")) part.risk = field.at("risk", "").text(kMostWords);
  if (field.has("files")) part.files = read_files(field.at("files", ""));
  if (field.has("edits")) part.edits = read_edits(field.at("edits", ""));
  if (field.has("parameters")) part.parameters = read_parameters(field.at("parameters", ""));
  if (part.files.empty() && part.edits.empty() && part.parameters.empty())
    field.fail("changes nothing", "give files, edits or parameters");
  return part;
}

std::vector<Part> read_parts(const JsonField& field) {
  std::vector<Part> parts;
  for (const JsonField& item : field.items(kMostParts)) {
    Part part = read_part(item, parts.size() + 1);
    const bool twice =
        std::any_of(parts.begin(), parts.end(), [&](const Part& other) { return other.name == part.name; });
    if (twice) item.fail("has the name of another part", "name parts apart");
    parts.push_back(std::move(part));
  }
  if (parts.empty()) field.fail("is empty", "a proposal has at least one part");
  return parts;
}

Usage read_usage(const JsonField& field) {
  field.allow_only({"tokens_in", "tokens_out", "cost_usd"});
  constexpr std::int64_t kMostTokens = 1'000'000'000;
  Usage usage;
  if (field.has("tokens_in")) usage.tokens_in = field.at("tokens_in", "").integer(0, kMostTokens);
  if (field.has("tokens_out")) usage.tokens_out = field.at("tokens_out", "").integer(0, kMostTokens);
  if (field.has("cost_usd")) usage.cost_usd = field.at("cost_usd", "").number(0, 1e6, "write US dollars, from 0");
  return usage;
}

}  // namespace

std::string_view find_json_object(std::string_view text, const std::string& subject) {
  check_text(text, subject);
  std::string_view rest = trimmed(text);
  // What a reasoning model thinks aloud is no part of its answer.
  constexpr std::string_view kEndOfThought = "</think>";
  if (rest.starts_with("<think>")) {
    const auto end = rest.find(kEndOfThought);
    rest = end == std::string_view::npos ? std::string_view() : trimmed(rest.substr(end + kEndOfThought.size()));
  }
  if (rest.starts_with('{')) return rest;
  const auto blocks = fenced_objects(rest);
  if (blocks.size() > 1)
    throw Error(ErrorKind::usage, subject, fmt::format("holds {} blocks that begin with a brace", blocks.size()),
                "answer with one JSON object and nothing else");
  if (blocks.size() == 1) return blocks.front();
  const auto begin = rest.find('{'), end = rest.rfind('}');
  if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
    throw Error(ErrorKind::usage, subject, "holds no JSON object", "answer with one JSON object and nothing else");
  return rest.substr(begin, end - begin + 1);
}

Answer read_answer(std::string_view json, const std::string& parent, const std::string& subject, bool from_agent) {
  check_text(json, subject);
  const Json value = parse_json(json, subject);
  const JsonField root(value, subject);
  root.allow_only(kKeys);
  if (root.has("schema") && root.at("schema", "").line(kMostName) != kAgentSchema)
    root.at("schema", "").fail(fmt::format("is not \"{}\"", kAgentSchema));
  if (from_agent) root.at("schema", fmt::format("write \"schema\": \"{}\"", kAgentSchema));
  Proposal proposal;
  if (root.has("model")) proposal.model = root.at("model", "").line(kMostName);
  Answer answer;
  if (root.has("usage")) answer.usage = read_usage(root.at("usage", ""));
  proposal.usage = answer.usage;
  if (root.has("exhausted")) {
    answer.exhausted = root.at("exhausted", "").text(kMostWords);
    if (root.has("parts")) root.fail("has both \"parts\" and \"exhausted\"", "give one of them");
    if (answer.exhausted.empty()) root.at("exhausted", "").fail("is empty", "say why there is nothing more");
    return answer;
  }
  proposal.parent = root.has("parent") ? root.at("parent", "").line(kMostName) : parent;
  const JsonField direction = root.at("direction", "say in a word or two what kind of idea it is, as \"tiling\"");
  proposal.direction = direction.line(kMostName);
  if (proposal.direction.empty()) direction.fail("is empty", "say what kind of idea it is, as \"tiling\"");
  if (root.has("differs")) proposal.differs = root.at("differs", "").text(kMostWords);
  proposal.parts = read_parts(root.at("parts", "a proposal has at least one part"));
  answer.proposal = std::move(proposal);
  return answer;
}

}  // namespace kgate::search
