#include "gate/search/propose/reply.h"

#include "gate/search/propose/fit.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;
using kgate::test::briefing;
using kgate::test::kBest;
using kgate::test::kProposal;

namespace {

Proposal read(const std::string& text) {
  return *read_answer(text, kBest, "reply").proposal;
}

std::string error(const std::string& text) {
  return error_of([&] { read_answer(text, kBest, "reply"); });
}

// A proposal of one part with these members.
std::string part(const std::string& members) {
  return R"({"direction": "d", "parts": [{"hypothesis": "h", )" + members + "}]}";
}

std::string fit_error(const std::string& text) {
  return error_of([&] { check_fit(read(text), briefing(), "reply"); });
}

std::string edit(const std::string& file, const std::string& find, const std::string& replace = "") {
  return part(R"("edits": [{"file": ")" + file + R"(", "find": ")" + find + R"(", "replace": ")" + replace + "\"}]");
}

}  // namespace

TEST_CASE("a proposal is read with all that it says, and changes the best version unless it names another") {
  const Proposal one = read(kProposal);
  CHECK(one.parent == kBest);
  CHECK(one.direction == "vector loads");
  CHECK(one.differs.empty());
  REQUIRE(one.parts.size() == 1);
  CHECK(one.parts[0].name == "both at once");
  CHECK(one.parts[0].hypothesis == "one store instead of two");
  CHECK(one.parts[0].expected_gain == 0.08);
  CHECK(one.parts[0].risk == "alignment");
  REQUIRE(one.parts[0].edits.size() == 1);
  CHECK(one.parts[0].edits[0].file == "k/f.cu");
  CHECK(one.parts[0].edits[0].find == "  y[0] = 1;\n");
  CHECK(one.parts[0].edits[0].replace.empty());
  CHECK(one.parts[0].parameters == std::map<std::string, std::string>{{"BLOCK", "256"}});
  CHECK_NOTHROW(check_fit(one, briefing(), "reply"));

  const Proposal other = read(R"({"schema": "kgate.agent/1", "parent": "", "direction": "d", "differs": "smaller",
                                  "parts": [{"hypothesis": "h", "files": {"k/f.cu": "x"}},
                                            {"hypothesis": "g", "parameters": {"BLOCK": 64}}]})");
  CHECK(other.parent.empty());
  CHECK(other.differs == "smaller");
  CHECK(other.parts[0].name == "part 1");
  CHECK(other.parts[0].files.at("k/f.cu") == "x");
  CHECK(other.parts[1].name == "part 2");
  CHECK(other.parts[1].parameters.at("BLOCK") == "64");
}

TEST_CASE("a proposal that is written out is read as it was") {
  const Proposal one = read(kProposal);
  const Proposal again = read(canonical_json(to_json(one)));
  CHECK(to_json(again) == to_json(one));
}

TEST_CASE("a proposer may say that nothing is left, and why") {
  const Answer answer = read_answer(R"({"exhausted": "all values were tried"})", kBest, "reply");
  CHECK_FALSE(answer.proposal);
  CHECK(answer.exhausted == "all values were tried");
  CHECK(error(R"({"exhausted": ""})") == "usage: reply: exhausted: is empty; say why there is nothing more");
  CHECK(error(R"({"exhausted": "x", "parts": []})") ==
        "usage: reply: has both \"parts\" and \"exhausted\"; give one of them");
}

TEST_CASE("an agent names the schema, and may say what it cost") {
  const auto read_agent = [](const std::string& text) { return read_answer(text, kBest, "reply", true); };
  CHECK(error_of([&] { read_agent(R"({"exhausted": "x"})"); }) ==
        "usage: reply: schema: is missing; write \"schema\": \"kgate.agent/1\"");
  CHECK(error_of([&] { read_agent(R"({"schema": "kgate.agent/2", "exhausted": "x"})"); }) ==
        "usage: reply: schema: is not \"kgate.agent/1\"");
  const Answer answer = read_agent(
      R"({"schema": "kgate.agent/1", "exhausted": "x", "usage": {"tokens_in": 10, "tokens_out": 2, "cost_usd": 0.5}})");
  CHECK(answer.usage.tokens_in == 10);
  CHECK(answer.usage.tokens_out == 2);
  CHECK(answer.usage.cost_usd == 0.5);
  CHECK(error(R"({"exhausted": "x", "usage": {"tokens_in": -1}})") ==
        "usage: reply: usage.tokens_in: is out of range; write a whole number from 0 to 1000000000");
  CHECK(error(R"({"exhausted": "x", "usage": {"tokens_in": 18446744073709551615}})") ==
        "usage: reply: usage.tokens_in: is out of range; write a whole number from 0 to 1000000000");
  CHECK(error(R"({"exhausted": "x", "usage": {"cost_usd": "1"}})") ==
        "usage: reply: usage.cost_usd: is a string, not a number; write US dollars, from 0");
}

TEST_CASE("what is missing, misspelt or of another type is told with its place and the remedy") {
  CHECK(error("[]") == "usage: reply: is an array, not an object");
  CHECK(error(R"({"direction": "d"})") == "usage: reply: parts: is missing; a proposal has at least one part");
  CHECK(error(R"({"parts": [{"hypothesis": "h", "parameters": {"BLOCK": "64"}}]})") ==
        "usage: reply: direction: is missing; say in a word or two what kind of idea it is, as \"tiling\"");
  CHECK(error(R"({"direction": "", "parts": []})") ==
        "usage: reply: direction: is empty; say what kind of idea it is, as \"tiling\"");
  CHECK(error(R"({"direction": "d", "parts": []})") ==
        "usage: reply: parts: is empty; a proposal has at least one part");
  CHECK(error(R"({"direction": "d", "part": []})") ==
        "usage: reply: \"part\" is no key that is known here; did you mean \"parts\"?");
  CHECK(error(R"({"direction": "d", "parts": [{"name": "n"}]})") ==
        "usage: reply: parts[0].hypothesis: is missing; say why it should be faster");
  CHECK(error(R"({"direction": "d", "parts": [{"hypothesis": "h"}]})") ==
        "usage: reply: parts[0]: changes nothing; give files, edits or parameters");
  CHECK(error(part(R"("edit": [])")) ==
        "usage: reply: parts[0]: \"edit\" is no key that is known here; did you mean \"edits\"?");
  CHECK(error(part(R"("edits": {})")) == "usage: reply: parts[0].edits: is an object, not an array");
  CHECK(error(part(R"("edits": [{"file": "a", "find": "b"}])")) ==
        "usage: reply: parts[0].edits[0].replace: is missing; write what takes its place; \"\" removes it");
  CHECK(error(part(R"("edits": [{"file": "a", "find": "", "replace": "b"}])")) ==
        "usage: reply: parts[0].edits[0].find: is empty; quote the text that is to be replaced");
  CHECK(error(part(R"("files": {"k/f.cu": 1})")) ==
        "usage: reply: parts[0].files[\"k/f.cu\"]: is a number, not a string");
  CHECK(error(part(R"("parameters": {"BLOCK": 0.5})")) ==
        "usage: reply: parts[0].parameters.BLOCK: is a number, not a string");
  CHECK(error(part(R"("parameters": {"BLOCK": "64"}, "expected_gain": 5)")) ==
        "usage: reply: parts[0].expected_gain: is out of range; write a share: 0.05 is 5 % less time");
  CHECK(error(R"({"direction": "d", "parts": [{"name": "n", "hypothesis": "h", "parameters": {"B": "1"}},
                                              {"name": "n", "hypothesis": "h", "parameters": {"B": "2"}}]})") ==
        "usage: reply: parts[1]: has the name of another part; name parts apart");
}

TEST_CASE("everything in a reply has a bound") {
  const std::string remedy = "; change less at a time, by edits rather than by whole files";
  CHECK(error(std::string(kMostReply + 1, ' ')) == "usage: reply: has 1048577 bytes, more than 1048576" + remedy);
  CHECK(error(part(R"("files": {"a": ")" + std::string(kMostFile + 1, 'x') + "\"}")) ==
        "usage: reply: parts[0].files.a: has 262145 bytes, more than 262144");
  CHECK(error(R"({"direction": ")" + std::string(201, 'x') + R"(", "parts": []})") ==
        "usage: reply: direction: has 201 bytes, more than 200");
  std::string parts;
  for (int i = 0; i < 17; ++i)
    parts += (i > 0 ? "," : "") + std::string(R"({"hypothesis": "h", "parameters": {"B": "1"}})");
  CHECK(error(R"({"direction": "d", "parts": [)" + parts + "]}") ==
        "usage: reply: parts: has 17 entries, more than 16");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += R"({"parts":)";
  CHECK(error(deep).find("more than 64 levels deep") != std::string::npos);
}

TEST_CASE("text that is no text is refused: bad UTF-8, NUL, control characters in names") {
  CHECK(error("{\"direction\": \"\xC3(\"}") == "usage: reply: is not UTF-8 at byte 16");
  CHECK(error(part(R"("files": {"a": "x\u0000y"})")) == "usage: reply: parts[0].files.a: holds the character U+0000");
  CHECK(error(R"({"direction": "a\u001b[31m", "parts": []})") ==
        "usage: reply: direction: holds control characters; write one line");
  CHECK(error(R"({"direction": "a\u0085b", "parts": []})") ==
        "usage: reply: direction: holds control characters; write one line");
  CHECK(error(R"({"direction": "d", "direction": "e"})").find("usage: reply: ") == 0);
}

TEST_CASE("the JSON object is found alone, in a fence, and within prose") {
  const auto found = [](const std::string& text) { return std::string(find_json_object(text, "reply")); };
  CHECK(found("{\"a\": 1}") == "{\"a\": 1}");
  CHECK(found(" \n{\"a\": 1}\n") == "{\"a\": 1}");
  CHECK(found("Here it is:\n```json\n{\"a\": 1}\n```\nGood luck {really}.") == "{\"a\": 1}");
  CHECK(found("First\n```cpp\nint a[] = {1};\n```\nthen\n```\n{\"a\": 1}\n```") == "{\"a\": 1}");
  CHECK(found("I propose {\"a\": {\"b\": 1}} because it is faster.") == "{\"a\": {\"b\": 1}}");
  CHECK(found("<think>maybe {this}?\n```\n{\"no\": 1}\n```\n</think>\n\n{\"a\": 1}") == "{\"a\": 1}");
  const std::string remedy = "; answer with one JSON object and nothing else";
  CHECK(error_of([&] { found("I would tile it."); }) == "usage: reply: holds no JSON object" + remedy);
  CHECK(error_of([&] { found(""); }) == "usage: reply: holds no JSON object" + remedy);
  CHECK(error_of([&] { found("} {"); }) == "usage: reply: holds no JSON object" + remedy);
  CHECK(error_of([&] { found("<think>{\"a\": 1}"); }) == "usage: reply: holds no JSON object" + remedy);
  CHECK(error_of([&] { found("```\n{\"a\": 1}\n```\nor\n```\n{\"a\": 2}\n```"); }) ==
        "usage: reply: holds 2 blocks that begin with a brace" + remedy);
}

TEST_CASE("an edit finds its place exactly once, after the edits before it") {
  CHECK(fit_error(edit("k/f.cu", "y[0] = 1;", "y[0] = 2;")) == "no error");
  CHECK(fit_error(edit("k/f.cu", " = 1;")) ==
        "usage: reply: parts[0].edits[0].find: occurs more than once in \"k/f.cu\"; quote more of the lines around it");
  CHECK(fit_error(edit("k/f.cu", "y[2]")) ==
        "usage: reply: parts[0].edits[0].find: does not occur in \"k/f.cu\"; quote the text as it stands there, white "
        "space included");
  CHECK(fit_error(edit("k/g.cu", "y")) ==
        "usage: reply: parts[0].edits[0].file: \"k/g.cu\" is none of the sources; did you mean \"k/f.cu\"?");
  CHECK(fit_error(part(R"("edits": [{"file": "k/f.cu", "find": "y[1]", "replace": "z"},
                                    {"file": "k/f.cu", "find": "y[1]", "replace": "w"}])")) ==
        "usage: reply: parts[0].edits[1].find: does not occur in \"k/f.cu\"; quote the text as it stands there, white "
        "space included");
  CHECK(
      fit_error(part(R"("files": {"k/f.cu": "new"}, "edits": [{"file": "k/f.cu", "find": "new", "replace": "w"}])")) ==
      "no error");
  // Overlapping places are two.
  CHECK(fit_error(part(R"("files": {"k/f.cu": "aaa"}, "edits": [{"file": "k/f.cu", "find": "aa", "replace": "b"}])")) ==
        "usage: reply: parts[0].edits[0].find: occurs more than once in \"k/f.cu\"; quote more of the lines around it");
}

TEST_CASE(
    "a file that lies elsewhere, an unknown parent, a value that is not allowed are told before anything is tried") {
  for (const char* path : {"../x.cu", "/etc/passwd", "k/../../x", "k\\\\x", "", "k/./f.cu"}) {
    INFO(path);
    const std::string told = fit_error(part(R"("files": {")" + std::string(path) + R"(": "x"})"));
    CHECK(reads(told, "usage: reply: parts[0].files: \"",
                "is no path from the repository's root; name files as the briefing's \"sources\" do"));
  }
  CHECK(fit_error(
            R"({"parent": "abc", "direction": "d", "parts": [{"hypothesis": "h", "parameters": {"BLOCK": 64}}]})") ==
        "usage: reply: parent: \"abc\" is no version that was tried; leave it out to change the best version");
  CHECK(fit_error(part(R"("parameters": {"BLOK": "64"})")) ==
        "usage: reply: parts[0].parameters: \"BLOK\" is no tunable; did you mean \"BLOCK\"?");
  CHECK(fit_error(part(R"("parameters": {"BLOCK": "65"})")) ==
        "usage: reply: parts[0].parameters: \"65\" is none of the values of BLOCK; write one of 64, 128, 256");
  // The files of another version are not in the briefing: the loop looks at those.
  CHECK(
      fit_error(
          R"({"parent": ")" + std::string(64, 'a') +
          R"(", "direction": "d", "parts": [{"hypothesis": "h", "edits": [{"file": "x", "find": "y", "replace": ""}]}]})") ==
      "no error");
}
