#include "bench/table.h"

#include <algorithm>
#include <cstdio>

#include <fmt/format.h>

#include "gate/stats/decision.h"

namespace kgate::bench {
namespace {

// The rules in the order in which they first come.
std::vector<std::string> rules_of(const std::vector<Cell>& cells) {
  std::vector<std::string> rules;
  for (const auto& cell : cells) {
    if (std::find(rules.begin(), rules.end(), cell.rule) == rules.end()) rules.push_back(cell.rule);
  }
  return rules;
}

std::vector<double> effects_of(const std::vector<Cell>& cells) {
  std::vector<double> effects;
  effects.reserve(cells.size());
  for (const auto& cell : cells) effects.push_back(cell.effect);
  std::sort(effects.begin(), effects.end());
  effects.erase(std::unique(effects.begin(), effects.end()), effects.end());
  return effects;
}

// What a column shows: passes where a pass is an error, else blocks.
std::int64_t shown(const Cell& cell) {
  return is_miss_effect(cell.effect) ? cell.tally.passed : cell.tally.blocked;
}

const char* word_for(double effect) {
  return is_false_alarm_effect(effect) ? "false alarm" : is_miss_effect(effect) ? "missed" : "blocked";
}

// Four digits at most, and never a zero for what is not one.
std::string percent(double share) {
  return share == 0 ? "0" : share < 0.0001 ? fmt::format("{:.1g}", 100 * share) : fmt::format("{:.2f}", 100 * share);
}

void print_head(const std::vector<double>& effects, const char* last) {
  std::string line = fmt::format("  {:32}", "");
  for (const double effect : effects) line += fmt::format(" {:>12}", word_for(effect));
  fmt::print("{}\n", line);
  line = fmt::format("  {:32}", "planted");
  for (const double effect : effects) line += fmt::format(" {:>10.2g} %", 100 * effect);
  fmt::print("{} {}\n", line, last);
}

}  // namespace

bool is_false_alarm_effect(double effect) {
  return effect <= stats::Zone{}.tolerate;
}

bool is_miss_effect(double effect) {
  return effect >= stats::Zone{}.block;
}

void print_model(const NoiseModel& model, const std::vector<Cell>& cells) {
  fmt::print("{}{}: {}\n", model.name, model.stated ? "" : " (beyond the stated models)", model.parameters);
  print_head(effects_of(cells), fmt::format("{:>14} {:>7} {:>6}", "undecided", "median", "p99").c_str());
  for (const auto& rule : rules_of(cells)) {
    std::string line = fmt::format("  {:32}", rule);
    double undecided = 0;
    const Tally* least = nullptr;
    for (const auto& cell : cells) {
      if (cell.rule != rule) continue;
      line += fmt::format(" {:>12}", percent(cell.tally.share(shown(cell))));
      undecided = std::max(undecided, cell.tally.share(cell.tally.undecided));
      if (least == nullptr) least = &cell.tally;
    }
    fmt::print("{} {:>14} {:>7} {:>6}\n", line, percent(least->share(least->undecided)) + "/" + percent(undecided),
               least->samples(0.5), least->samples(0.99));
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void print_summary(const std::string& title, const std::vector<Cell>& cells, bool stated) {
  std::vector<Cell> chosen;
  for (const auto& cell : cells) {
    if (cell.stated == stated) chosen.push_back(cell);
  }
  if (chosen.empty()) return;
  fmt::print("{}: mean over the models / worst model, %\n", title);
  print_head(effects_of(chosen), fmt::format("{:>14}", "undecided").c_str());
  for (const auto& rule : rules_of(chosen)) {
    std::string line = fmt::format("  {:32}", rule);
    double undecided = 0, worst_undecided = 0, all = 0;
    for (const double effect : effects_of(chosen)) {
      double sum = 0, worst = 0, models = 0;
      for (const auto& cell : chosen) {
        if (cell.rule != rule || cell.effect != effect) continue;
        const double share = cell.tally.share(shown(cell)), open = cell.tally.share(cell.tally.undecided);
        sum += share;
        worst = std::max(worst, share);
        undecided += open;
        worst_undecided = std::max(worst_undecided, open);
        models += 1;
      }
      all += models;
      line += fmt::format(" {:>12}", percent(sum / models) + "/" + percent(worst));
    }
    fmt::print("{} {:>14}\n", line, percent(undecided / all) + "/" + percent(worst_undecided));
  }
  fmt::print("\n");
}

std::string csv_of(const std::vector<Cell>& cells) {
  std::string text =
      "rule,model,stated,effect,trials,blocked,passed,undecided,false_alarms,misses,samples_median,samples_p99\n";
  for (const auto& cell : cells) {
    const Tally& tally = cell.tally;
    text += fmt::format("\"{}\",\"{}\",{},{:g},{},{},{},{},{},{},{},{}\n", cell.rule, cell.model, cell.stated ? 1 : 0,
                        cell.effect, tally.trials(), tally.blocked, tally.passed, tally.undecided,
                        is_false_alarm_effect(cell.effect) ? tally.blocked : 0,
                        is_miss_effect(cell.effect) ? tally.passed : 0, tally.samples(0.5), tally.samples(0.99));
  }
  return text;
}

}  // namespace kgate::bench
