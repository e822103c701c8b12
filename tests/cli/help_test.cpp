#include <set>
#include <sstream>

#include "base/file.h"
#include "base/nearest.h"
#include "gate/cli/arguments.h"
#include "gate/cli/help/exit_codes.h"
#include "gate/cli/help/verb_help.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

// As a shell splits it: blanks, and single quotes.
std::vector<std::string> words_of(const std::string& command) {
  std::vector<std::string> words;
  bool quoted = false, open = false;
  for (const char letter : command) {
    if (letter == '\'') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (letter == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += letter;
    }
  }
  return words;
}

cli::Arguments parsed(const std::string& command) {
  const auto words = words_of(command);
  std::vector<const char*> pointers;
  for (const auto& word : words) pointers.push_back(word.c_str());
  return cli::parse_arguments(static_cast<int>(pointers.size()), pointers.data());
}

// The verbs, as kgate --help lists them.
std::set<std::string> verbs() {
  std::set<std::string> found;
  std::istringstream lines(parsed("kgate --help").message);
  bool there = false;
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) there = false;
    if (there && line.size() > 3 && line[2] != ' ') found.insert(line.substr(2, line.find(' ', 2) - 2));
    if (line == "Subcommands:") there = true;
  }
  return found;
}

}  // namespace

TEST_CASE("every verb has a help text, and every example in it is a command that kgate understands") {
  std::set<std::string> told;
  for (const auto& help : cli::verb_help()) {
    told.insert(help.verb);
    INFO(help.verb);
    CHECK(!help.about.empty());
    CHECK(!help.examples.empty());
    if (!help.page.empty())
      CHECK(std::filesystem::exists(std::filesystem::path(KGATE_SOURCE_DIR) / "docs" / help.page));
    for (const auto& example : help.examples) {
      INFO(example.command);
      const auto arguments = parsed(example.command);
      CHECK((help.verb == "help" ? !arguments.message.empty() : arguments.verb == words_of(example.command)[1]));
    }
  }
  CHECK(told == verbs());
  CHECK(verbs().size() >= 13);
}

TEST_CASE("help of a verb is what it does, its flags, examples and exit codes; --help is the same below") {
  const auto help = parsed("kgate help bisect").message;
  CHECK(help.starts_with("Finds the commit that made a kernel slower, wrong or unable to compile"));
  CHECK(help.find("\n  kgate bisect v1.4 HEAD softmax ") != std::string::npos);
  CHECK(help.find("More: docs/bisect.md\n") != std::string::npos);
  CHECK(help.ends_with(parsed("kgate bisect --help").message));
}

TEST_CASE("a topic that nobody knows is an error with the nearest one") {
  CHECK(error_of([] { parsed("kgate help exit-code"); }) ==
        "usage: \"exit-code\": is no verb and no topic; did you mean \"exit-codes\"?");
  CHECK(error_of([] { parsed("kgate help run check"); }) == "usage: kgate help: takes one topic; see kgate help");
}

TEST_CASE("docs/exit-codes.md is what kgate says of its exit codes, and every code of the program is in it") {
  const std::string page(text_of(read_file(std::filesystem::path(KGATE_SOURCE_DIR) / "docs/exit-codes.md", 1 << 20)));
  CHECK(page == cli::exit_codes_page());
  std::set<int> codes;
  for (const auto& one : cli::exit_meanings()) codes.insert(static_cast<int>(one.code));
  CHECK(codes == std::set<int>{0, 1, 2, 3, 4, 5, 6, 64, 70, 130, 143});
}

TEST_CASE("the manual page has every verb and every flag that --help has") {
  const auto page = parsed("kgate help man").message;
  CHECK(page.starts_with(".TH KGATE 1 "));
  for (const auto& verb : verbs()) {
    CHECK(page.find(".SS \\fBkgate " + verb + "\\fR") != std::string::npos);
    std::istringstream lines(parsed("kgate " + verb + " --help").message);
    for (std::string line; std::getline(lines, line);) {
      if (!line.starts_with("  --")) continue;
      std::string flag;
      for (const char letter : line.substr(2, line.find(' ', 2) - 2))
        flag += letter == '-' ? "\\-" : std::string(1, letter);
      INFO(verb << ' ' << flag);
      CHECK(page.find("\\fB" + flag + "\\fR") != std::string::npos);
    }
  }
}

TEST_CASE("bash completes verbs, flags and choices") {
  const CliFixture cli;
  const auto script = cli.root() / "completion.bash";
  write_file_atomic(script, parsed("kgate help bash-completion").message);
  const auto completed = [&](const std::string& line, int at) {
    ProcessOptions options;
    options.command = {"bash",
                       "-c",
                       "source \"$1\"; COMP_WORDS=($2); [ \"${2% }\" != \"$2\" ] && COMP_WORDS+=(''); COMP_CWORD=$3; "
                       "_kgate; echo \"${COMPREPLY[*]}\"",
                       "bash",
                       script.string(),
                       line,
                       std::to_string(at)};
    return run_command(options, {}).output;
  };
  CHECK(completed("kgate fi", 1) == "fingerprint\n");
  CHECK(completed("kgate run --prof", 2) == "--profile\n");
  CHECK(completed("kgate run --profile r", 3) == "release\n");
  CHECK(completed("kgate run --profile ", 3) == "pr release nightly\n");
  CHECK(completed("kgate keygen --prof", 2) == "\n");
}

TEST_CASE("help without a topic lists the verbs") {
  const auto help = parsed("kgate help").message;
  for (const auto& verb : verbs()) CHECK(help.find("\n  " + verb + " ") != std::string::npos);
}
