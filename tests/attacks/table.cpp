#include <fmt/format.h>

#include "tests/attacks/attack.h"
#include "tests/attacks/rows.h"

namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

const char* place_name(Place place) {
  switch (place) {
    case Place::desk:
      return "";
    case Place::desk_without_ref:
      return " (without a ref)";
    case Place::github_pull_request:
      return " (GitHub, pull request)";
    case Place::github_push:
      return " (GitHub, push of a branch)";
    case Place::gitlab_merge_request:
      return " (GitLab, merge request)";
    case Place::other_ci:
      return " (CI without variables)";
  }
  return "";
}

}  // namespace

std::string attack_table() {
  std::string text =
      "# The table of attacks\n"
      "\n"
      "Made by `test_attacks --table` from the tests in `tests/attacks/`; a test checks that it is up to date. Each "
      "row "
      "is a test: in a copy of a\n"
      "repository with signed cases, keys and a ledger somebody does what the row says, and kgate answers with that "
      "exit code and exactly that\n"
      "message. Where the code is 4, result.json says `untrusted`, and nothing of the change was compiled or run. "
      "`{main}` is the target branch's\n"
      "commit, `{day}` today, `{root}` the repository's folder, `{*}` a figure or a digest. Commands end in "
      "`--policy-ref origin/main`\n"
      "unless a CI job is named. What stands behind the rows: [threat-model.md](threat-model.md).\n";
  int number = 0;
  for (const auto& [title, attacks] : chapters()) {
    text += fmt::format("\n## {}\n\n| | what somebody does | asked | code | answer |\n|---|---|---|---|---|\n", title);
    for (const auto& attack : attacks()) {
      text += fmt::format("| {} | {} | `kgate {}`{} | {} | {} |\n", ++number, cell(attack.name), attack.asked.command,
                          place_name(attack.asked.place), attack.asked.code, cell(attack.answer));
    }
  }
  return text;
}
