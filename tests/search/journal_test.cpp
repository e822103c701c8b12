#include "gate/search/journal/journal.h"

#include <csignal>
#include <filesystem>

#include <sys/resource.h>

#include "base/file.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search::journal;
namespace fs = std::filesystem;

namespace {

constexpr const char* kAnew = "; somebody changed the file: begin anew with an empty folder";
constexpr const char* kNewer = "; a newer kgate may have written it: use that; else begin anew with an empty folder";

Header a_header() {
  Header header;
  header.kernel = "scale";
  header.baseline = std::string(64, 'a');
  header.policy = std::string(64, 'b');
  header.seed = 0xFFFFFFFFFFFFFFFFull;
  header.bounds.iterations = 7;
  header.bounds.seconds = 0.1;
  header.proposers = {"http", "tuner"};
  header.prompts = {{"coder", std::string(64, 'c')}};
  header.tool = "0.1.0";
  header.started = "2026-11-29T22:55:27Z";
  return header;
}

Proposed a_proposal(std::int64_t number) {
  Proposed one;
  one.number = one.iteration = number;
  one.candidate = std::string(64, 'd');
  one.parent = std::string(64, 'a');
  one.proposer = "http";
  one.direction = "vector loads";
  Part part;
  part.name = "a";
  part.hypothesis = "\x1b[31m four at once\n::error ::x \xe2\x80\xae";
  part.expected_gain = 0.1;
  part.files = {{"k/k.cu", "x\n"}};
  part.parameters = {{"N", "1"}};
  part.edits = {{"k/k.cu", "x", "\"y\""}};
  one.parts = {part};
  one.usage = {1000, 50, 0.0125, 3.5};
  one.wall_s = 1.0 / 3;
  return one;
}

Judged a_judgement(std::int64_t number) {
  Judged one;
  one.number = number;
  one.outcome = "better";
  one.score = 0.9;
  one.low = 0.89;
  one.high = 0.91;
  one.cases = {{"wide", 1, 9, 10, 5, 0.9, 0.89, 0.91}};
  one.resources = {{"scale", {{"registers", 32}}}};
  one.gpu_s = 1.5;
  one.wall_s = 0.5;
  return one;
}

std::string text_of_lines(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += canonical_json(to_json(line)) + "\n";
  return text;
}

std::vector<Line> some_lines() {
  Judged baseline = a_judgement(0);
  baseline.wall_s = 0.25;
  return {a_header(),
          baseline,
          a_proposal(1),
          a_judgement(1),
          Unanswered{"http", 0, "unavailable", "the server hangs", {10, 0, 0.1, 60}, 1},
          Resumed{"2026-11-29T23:55:27Z", a_header().bounds, 1},
          Stopped{"patience", "no gain", 2}};
}

std::string fault_of(const std::string& text) {
  return error_of([&] { read_journal(text, "j"); });
}

// A line of the sample with one value changed.
std::string fault_with(std::size_t line, const std::string& pointer, const Json& value) {
  auto lines = some_lines();
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    Json json = to_json(lines[i]);
    if (i == line) json[Json::json_pointer(pointer)] = value;
    text += canonical_json(json) + "\n";
  }
  return fault_of(text);
}

std::string contents(const fs::path& path) {
  return std::string(text_of(read_file(path, 1 << 20)));
}

}  // namespace

TEST_CASE("a journal reads back as it was written") {
  const auto lines = some_lines();
  const Recorded read = read_journal(text_of_lines(lines), "j");
  CHECK(canonical_json(to_json(Line(read.header))) == canonical_json(to_json(lines[0])));
  REQUIRE(read.lines.size() == lines.size() - 1);
  for (std::size_t i = 0; i < read.lines.size(); ++i)
    CHECK(canonical_json(to_json(read.lines[i])) == canonical_json(to_json(lines[i + 1])));
  CHECK(std::get<Proposed>(read.lines[1]).wall_s == 1.0 / 3);
  CHECK(read.header.seed == 0xFFFFFFFFFFFFFFFFull);
}

TEST_CASE("a journal cut anywhere reads as its whole lines") {
  const std::string text = text_of_lines(some_lines());
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    const std::string part = text.substr(0, cut);
    const Recorded read = read_journal(part, "j");
    const auto whole = static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
    REQUIRE(read.bytes == part.rfind('\n') + 1);
    REQUIRE(read.lines.size() + (whole > 0 ? 1 : 0) == whole);
  }
}

TEST_CASE("what is no journal is refused, with the line") {
  const std::string text = text_of_lines(some_lines());
  CHECK(reads(fault_of(text + "{\n"), "usage: j:8: is not valid JSON at byte ", ""));
  CHECK(reads(fault_of(std::string("\0\0\0\n", 4)), "usage: j:1: is not valid JSON at byte ", ""));
  CHECK(fault_of("\n").rfind("usage: j:1: is not valid JSON", 0) == 0);
  CHECK(fault_of("[]\n") == std::string("usage: j:1: is no line of a search's journal: it is not an object") + kNewer);
  CHECK(fault_of(text_of_lines({a_proposal(1)})) ==
        std::string("usage: j:1: is no header, and a journal begins with one") + kAnew);
  CHECK(fault_of(text_of_lines({a_header(), a_header()})) == std::string("usage: j:2: is a second header") + kAnew);
  CHECK(fault_with(0, "/schema", "kgate.search/2") ==
        std::string("usage: j:1: is no line of a search's journal: \"schema\" is not \"kgate.search/1\"") + kNewer);
  CHECK(fault_with(2, "/kind", "proposal") ==
        std::string("usage: j:3: is no line of a search's journal: \"kind\" is not a kind of line that kgate knows") +
            kNewer);
  CHECK(fault_with(2, "/more", 1) ==
        std::string("usage: j:3: is no line of a search's journal: \"more\" is not a key that kgate knows") + kNewer);
  CHECK(fault_with(2, "/parts/0/edits/0", Json::object()) ==
        std::string("usage: j:3: is no line of a search's journal: \"parts[0].edits[0].file\" is missing") + kNewer);
  CHECK(fault_with(2, "/parts/0/files/x", 1) ==
        std::string("usage: j:3: is no line of a search's journal: \"parts[0].files\" is not an object of strings") +
            kNewer);
  for (const Json& number : {Json(-1), Json(1.5), Json("1"), Json(1ull << 60)}) {
    CHECK(
        fault_with(2, "/usage/tokens_in", number) ==
        std::string("usage: j:3: is no line of a search's journal: \"usage.tokens_in\" is not a whole number from 0") +
            kNewer);
  }
  for (const Json& number : {Json(-1), Json(1e300), Json(nullptr)}) {
    CHECK(fault_with(3, "/gpu_s", number) ==
          std::string("usage: j:4: is no line of a search's journal: \"gpu_s\" is not a number from 0") + kNewer);
  }
  CHECK(fault_with(3, "/outcome", "great") ==
        std::string("usage: j:4: is no line of a search's journal: \"outcome\" is not an outcome that kgate knows") +
            kNewer);
  CHECK(fault_with(4, "/refusal", "tired") ==
        std::string("usage: j:5: is no line of a search's journal: \"refusal\" is not one that kgate knows") + kNewer);
}

TEST_CASE("lines that contradict each other are refused, with the line") {
  CHECK(fault_with(2, "/number", 2) ==
        std::string("usage: j:3: proposal 2 follows proposal 0; they are numbered one after the other") + kAnew);
  CHECK(fault_with(2, "/iteration", 3) == std::string("usage: j:3: iteration 3 follows iteration 0") + kAnew);
  CHECK(fault_with(2, "/repair_of", 1) == std::string("usage: j:3: iteration 1 follows iteration 0") + kAnew);
  CHECK(fault_with(3, "/number", 2) == std::string("usage: j:4: judges proposal 2, which is not there") + kAnew);
  CHECK(fault_with(3, "/number", 0) == std::string("usage: j:4: judges proposal 0 a second time") + kAnew);
  CHECK(fault_with(4, "/repair_of", 9) == std::string("usage: j:5: repairs proposal 9, which is not there") + kAnew);
  CHECK(fault_with(6, "/wall_s", 0.5) == std::string("usage: j:7: is dated before the line above it") + kAnew);
  CHECK(fault_of(text_of_lines({a_header(), a_proposal(1), a_judgement(1)})) ==
        std::string("usage: j:3: judges a proposal before the baseline") + kAnew);
}

TEST_CASE("another process goes on where one was killed in the middle of a line") {
  const TemporaryFolder folder("kgate-journal");
  const fs::path path = folder.path() / "search" / "journal.jsonl";
  const auto lines = some_lines();
  {
    Journal journal = Journal::open(path.parent_path(), a_header());
    CHECK(journal.recorded().empty());
    journal.append(lines[1]);
    CHECK(contents(path) == text_of_lines({lines[0], lines[1]}));
    journal.append(lines[2]);
  }
  const std::string whole = contents(path);
  write_file_atomic(path, std::string_view(whole.substr(0, whole.size() - 40)));
  Header another = a_header();
  another.seed = 5;
  another.started = "2027-01-01T00:00:00Z";
  another.bounds.iterations = 9;
  Journal journal = Journal::open(path.parent_path(), another);
  CHECK(journal.header().seed == a_header().seed);
  CHECK(journal.recorded().size() == 1);
  CHECK(contents(path) == text_of_lines({lines[0], lines[1]}));
  journal.append(lines[2]);
  CHECK(contents(path) == whole);
}

TEST_CASE("a journal whose header was torn is begun anew") {
  const TemporaryFolder folder("kgate-journal");
  const fs::path path = folder.path() / "journal.jsonl";
  write_file_atomic(path, std::string_view("{\"kind\":\"hea"));
  Journal::open(folder.path(), a_header());
  CHECK(contents(path) == text_of_lines({a_header()}));
}

TEST_CASE("the journal of another search is refused, and stays as it is") {
  const TemporaryFolder folder("kgate-journal");
  const std::string path = (folder.path() / "journal.jsonl").string();
  Journal::open(folder.path(), a_header());
  const std::string before = contents(path);
  const auto fault = [&](const auto& change) {
    Header header = a_header();
    change(header);
    return error_of([&] { Journal::open(folder.path(), header); });
  };
  const std::string what = "usage: " + path + ": is the journal of another search: ";
  const std::string remedy = "; give the search a folder of its own, or remove this one";
  CHECK(fault([](Header& one) { one.kernel = "soft\nmax"; }) ==
        what + "of the kernel \"scale\", not \"soft\\x0amax\"" + remedy);
  CHECK(fault([](Header& one) { one.baseline = std::string(64, 'e'); }) ==
        what + "it began with the version aaaaaaaaaaaa, not eeeeeeeeeeee" + remedy);
  CHECK(fault([](Header& one) { one.policy = std::string(64, 'e'); }) ==
        what + "under the policy and cases bbbbbbbbbbbb, not eeeeeeeeeeee" + remedy);
  CHECK(fault([](Header& one) { one.proposers = {"tuner"}; }) ==
        what + "its proposers are http, tuner, not tuner" + remedy);
  CHECK(fault([](Header& one) { one.prompts.clear(); }) == what + "its prompts are others" + remedy);
  CHECK(contents(path) == before);
}

TEST_CASE("two searches cannot write one journal") {
  const TemporaryFolder folder("kgate-journal");
  const Journal first = Journal::open(folder.path(), a_header());
  CHECK(error_of([&] { Journal::open(folder.path(), a_header()); }) ==
        "environment: " + first.path().string() +
            ": is being written by another search; wait until it has ended, or give this one a folder of its own");
}

TEST_CASE("a journal beyond all measure is refused before it is read") {
  CHECK(fault_of(std::string((16 << 20) + 1, 'x') + "\n") ==
        std::string("usage: j:1: is longer than any journal that kgate writes") + kAnew);
  const TemporaryFolder folder("kgate-journal");
  const fs::path path = folder.path() / "journal.jsonl";
  write_file_atomic(path, std::string_view(text_of_lines({a_header()})));
  fs::resize_file(path, (256ull << 20) + 1);  // with a hole
  CHECK(error_of([&] { Journal::open(folder.path(), a_header()); }) ==
        "usage: " + path.string() + ": has 268435457 bytes; at most 268435456 are allowed");
}

TEST_CASE("zeros that a power cut left behind the last line are cut off") {
  const TemporaryFolder folder("kgate-journal");
  const fs::path path = folder.path() / "journal.jsonl";
  write_file_atomic(path, std::string_view(text_of_lines({a_header()}) + std::string(500, '\0')));
  Journal::open(folder.path(), a_header());
  CHECK(contents(path) == text_of_lines({a_header()}));
}

TEST_CASE("a line for which there is no room is not there at all, and the journal holds") {
  const TemporaryFolder folder("kgate-journal");
  Journal journal = Journal::open(folder.path(), a_header());
  const std::string before = contents(journal.path());
  rlimit old{};
  REQUIRE(getrlimit(RLIMIT_FSIZE, &old) == 0);
  const auto on_signal = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{before.size() + 100, old.rlim_max};  // in place of a full disk
  REQUIRE(setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string told = error_of([&] { journal.append(some_lines()[1]); });
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, on_signal);
  CHECK(told == "internal: " + journal.path().string() + ": cannot be written: File too large");
  CHECK(contents(journal.path()) == before);
  journal.append(some_lines()[1]);
  CHECK(contents(journal.path()) == text_of_lines({some_lines()[0], some_lines()[1]}));
}

TEST_CASE("a folder that cannot be written is told") {
  const TemporaryFolder folder("kgate-journal");
  write_file_atomic(folder.path() / "file", std::string_view("x"));
  CHECK(error_of([&] { Journal::open(folder.path() / "file" / "search", a_header()); }) ==
        "usage: " + (folder.path() / "file" / "search").string() + ": cannot be made a folder: Not a directory");
  fs::create_symlink("/dev/null", folder.path() / "journal.jsonl");
  CHECK(error_of([&] { Journal::open(folder.path(), a_header()); }) ==
        "usage: " + (folder.path() / "journal.jsonl").string() +
            ": cannot be opened for writing: Too many levels of symbolic links");
}
