#include <fmt/format.h>

#include "tests/adversarial/outcome.h"

namespace {

std::string cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) text.insert(at, "\\");
  return text;
}

const char* place_name(Place place) {
  switch (place) {
    case Place::both:
      return "both";
    case Place::host:
      return "host";
    case Place::gpu:
      return "GPU";
  }
  return "";
}

std::string expectation(const Cheat& cheat) {
  const char* note = cheat.known == Known::today ? "" : " (not yet)";
  const std::string verdicts = cheat.expected == passes()       ? "passes"
                               : cheat.expected == not_faster() ? "not faster"
                                                                : words_of(cheat.expected);
  return verdicts + note;
}

}  // namespace

std::string adversarial_table() {
  std::string text =
      "# Kernels that cheat\n"
      "\n"
      "Made by `test_adversarial --table` from the tests in `tests/adversarial/`; a test checks that it is up to date. "
      "Each row is a kernel whose\n"
      "version on main is honest and a change that is not; `kgate run` judges all of them, on the host backend in "
      "every "
      "test run and on a GPU in\n"
      "`scripts/device-tests.sh`. The last chapter are honest kernels with similar traits, which must not be blocked. "
      "What stands behind the rows:\n"
      "[threat-model.md](threat-model.md), [sandbox.md](sandbox.md).\n"
      "\n"
      "\"Not yet\": nothing in kgate sees it for certain; the verdict is the one that it should get.\n"
      "`suspect` and `wrong` block under every profile; where a case's budget leaves no room for samples on fresh "
      "inputs it is `inconclusive`, which\nblocks where the policy says so.\n";
  int number = 0;
  for (const auto& [title, note, cheats] : chapters()) {
    const bool honest = cheats == honest_kernels;
    text += fmt::format("\n## {}\n\n{}| | kernel | {} | where | verdict |{}\n|---|---|---|---|---|{}\n", title,
                        note.empty() ? "" : note + "\n\n", honest ? "what it does" : "what it tries",
                        honest ? "" : " what catches it |", honest ? "" : "---|");
    for (const auto& cheat : cheats()) {
      text += fmt::format("| {} | `{}` | {} | {} | {} |", ++number, cheat.name, cell(cheat.tries),
                          place_name(cheat.place), expectation(cheat));
      text += honest ? "\n" : fmt::format(" {} |\n", cell(cheat.caught_by));
    }
  }
  return text;
}
