#include <fmt/format.h>

#include "gate/cli/help/exit_codes.h"
#include "gate/cli/help/manual.h"
#include "gate/cli/help/verb_help.h"
#include "gate/cli/version.h"

// In the macros of man(7), which every reader of manual pages knows.
namespace kgate::cli {
namespace {

// Plain text for roff: a backslash, a minus that is typed as such, and a line that would begin a request.
std::string roff(const std::string& text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    if ((letter == '.' || letter == '\'') && (i == 0 || text[i - 1] == '\n')) result += "\\&";
    if (letter == '\\') {
      result += "\\e";
    } else if (letter == '-') {
      result += "\\-";
    } else if (letter != '`') {  // marks code in the Markdown form
      result += letter;
    }
  }
  return result;
}

std::string option_text(const Flag& flag) {
  std::string head;
  for (const auto& name : flag.names) head += (head.empty() ? "" : ", ") + fmt::format("\\fB{}\\fR", roff(name));
  if (!flag.value.empty()) head += (head.empty() ? "" : " ") + fmt::format("\\fI{}\\fR", roff(flag.value));
  std::string text = ".TP\n" + head + "\n" + roff(flag.what);
  if (!flag.preset.empty()) text += roff(" (" + flag.preset + " where it is not given)");
  return text + "\n";
}

std::string verb_text(const VerbManual& verb) {
  std::string usage = "\\fBkgate " + roff(verb.name) + "\\fR";
  for (const auto& one : verb.positionals) usage += " [\\fI" + roff(one.value) + "\\fR]";
  std::string text = fmt::format(".SS {} [\\fIOPTIONS\\fR]\n", usage);
  const VerbHelp* help = help_of(verb.name);
  text += roff(help != nullptr ? help->about : verb.help) + "\n";
  for (const auto& one : verb.positionals) text += option_text(one);
  for (const auto& one : verb.flags) {
    if (one.names.front() != "-h") text += option_text(one);
  }
  return text;
}

constexpr const char* kEnvironment[][2] = {
    {"KGATE_KEY, KGATE_KEY_FILE", "the private key to sign with, as PEM text or as a file, where there is no --key"},
    {"KGATE_KEY_PASSPHRASE", "its passphrase, where there is no --passphrase-file"},
    {"CUDA_HOME, CUDA_PATH", "the CUDA toolkit's folder, where there is no --cuda"},
    {"CXX", "the host backend's compiler"},
    {"XDG_CACHE_HOME, HOME", "where compiled code is kept: kgate below it"},
    {"NO_COLOR", "no colours on a terminal"},
    {"GITHUB_*, CI_*, GITLAB_*", "in a CI job: which commit is the base"},
};

}  // namespace

std::string man_page(const CLI::App& app) {
  std::string text = fmt::format(".TH KGATE 1 \"\" \"kgate {}\" \"kgate\"\n", roff(kVersion));
  text +=
      ".SH NAME\nkgate \\- a regression gate for CUDA kernels\n"
      ".SH SYNOPSIS\n\\fBkgate\\fR \\fIVERB\\fR [\\fIOPTIONS\\fR] [\\fINAMES\\fR]\n"
      ".SH DESCRIPTION\nReruns kernels against reference cases, times a changed version beside the base commit's and "
      "the accepted one, "
      "interleaved on the same GPU, and answers with one verdict that can block a merge or a release.\n"
      ".SH VERBS\n";
  for (const auto& verb : manual_of(app)) text += verb_text(verb);
  text += ".SH EXIT STATUS\n";
  for (const auto& one : exit_meanings()) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}{}\n", static_cast<int>(one.code),
                        *one.verdicts != '\0' ? roff(one.verdicts) + ": " : "", roff(one.meaning));
  }
  text += ".SH ENVIRONMENT\n";
  for (const auto& [names, what] : kEnvironment) text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(names), roff(what));
  text +=
      ".SH FILES\n.TP\n\\fB.kgate/policy.toml\\fR\nwhat is allowed: thresholds, keys, budgets; read from the base "
      "commit\n"
      ".TP\n\\fBkernel.toml, cases.toml, cases.toml.dsse\\fR\nof each kernel: the candidate, what is right, its "
      "signature\n"
      ".TP\n\\fBkgate\\-out/\\fR\nresult.json and the reports of the last run\n"
      ".TP\n\\fBkgate/ledger, kgate/history\\fR\nbranches: what was accepted, and nightly figures\n"
      ".SH EXAMPLES\n";
  for (const auto& verb : verb_help()) {
    for (const auto& [command, what] : verb.examples)
      text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(command), roff(what));
  }
  return text;
}

}  // namespace kgate::cli
