#include <sstream>

#include "gate/verdict/result/result.h"
#include "tests/attacks/attack.h"
#include "tests/attacks/rows.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// "{*}" stands for any text.
bool matches(const std::string& text, const std::string& pattern) {
  const auto star = pattern.find("{*}");
  if (star == std::string::npos) return text == pattern;
  if (text.compare(0, star, pattern, 0, star) != 0) return false;
  const std::string rest = pattern.substr(star + 3);
  for (std::size_t at = star; at <= text.size(); ++at) {
    if (matches(text.substr(at), rest)) return true;
  }
  return false;
}

// Why: of the kernel that the verdict is about, else of the run.
std::string reason_of(const verdict::Result& result) {
  for (const auto& kernel : result.kernels) {
    const bool decides = kernel.verdict == result.verdict || verdict::passes(result.verdict);
    if (decides && !kernel.reason.empty()) return kernel.reason;
  }
  return result.reason;
}

std::string all_warnings(const verdict::Result& result) {
  std::string all;
  for (const auto& line : result.warnings) all += line + "\n";
  for (const auto& kernel : result.kernels) {
    for (const auto& line : kernel.warnings) all += line + "\n";
  }
  return all;
}

// As a line of its own, whatever stands before it: the program's name, or the kernel's.
bool says(const std::string& output, const std::string& message) {
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (matches(line, "{*}: " + message)) return true;
  }
  return false;
}

void check_run(const Attack& attack, const Scene& scene, const Scene::Answer& answer, const std::string& expected) {
  REQUIRE(answer.result.is_object());
  // What reads it elsewhere reads it here: every key has its type, every verdict is known.
  const auto result = verdict::result_from_json(answer.result, "result.json");
  CHECK(result.exit_code == attack.asked.code);
  INFO(reason_of(result) << "\nis not\n" << expected);
  CHECK(matches(reason_of(result), expected));
  CHECK(contains(all_warnings(result), scene.fill(attack.asked.note)));
  if (attack.asked.code != kUntrusted) return;
  CHECK(result.verdict == verdict::Verdict::untrusted);
  // The answer is about the kernel, or about the whole run, which then ends with it.
  if (result.kernels.empty()) CHECK(says(answer.output, expected));
  CHECK_FALSE(scene.compiled_something());
  CHECK_FALSE(scene.traced());
}

const std::vector<Attack>& rows() {
  static const std::vector<Attack> all = [] {
    std::vector<Attack> collected;
    for (const auto& chapter : chapters()) {
      for (auto& attack : chapter.attacks()) collected.push_back(std::move(attack));
    }
    return collected;
  }();
  return all;
}

}  // namespace

std::size_t row_count() {
  return rows().size();
}

const std::string& row_name(std::size_t row) {
  return rows().at(row).name;
}

void play_row(std::size_t row) {
  const Attack& attack = rows().at(row);
  Scene scene;
  const bool runs = attack.asked.command.rfind("run ", 0) == 0;
  if (runs && attack.asked.code == kUntrusted) scene.plant_trace();
  attack.act(scene);
  // At a desk it lies in the working tree; a CI job gets commits, and so does the ledger.
  if (!runs || attack.asked.place != Place::desk) scene.commit();
  const auto answer = scene.kgate(attack.asked.command, attack.asked.place, attack.asked.meanwhile);
  const std::string expected = scene.fill(attack.answer);
  INFO(answer.output);
  CHECK(answer.code == attack.asked.code);
  if (runs) return check_run(attack, scene, answer, expected);
  if (!expected.empty()) CHECK(says(answer.output, expected));
  if (attack.asked.code != kUntrusted) return;
  CHECK_FALSE(scene.compiled_something());
}
