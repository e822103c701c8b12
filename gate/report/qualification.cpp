#include "gate/report/qualification.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {
namespace {

struct Row {
  std::string name, rest;
};

std::string padded(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, columns(text)), ' ');
}

Row row_of(const verdict::CaseTrial& one) {
  const std::string seeds = one.seeds == 0 ? "-" : std::to_string(one.seeds);
  const std::string stops = one.seeds == 0 ? "-" : fmt::format("{} of {}", one.stopped, one.mutants);
  return {one_line(one.name),
          fmt::format("{:>5}  {:>8}  {}", seeds, stops, one_line(fmt::format("{}", fmt::join(one.notes, "; "))))};
}

std::string outcome_of(const verdict::MutantTrial& one) {
  if (one.passes()) return "PASSES; " + one.remedy;
  if (one.cases == 0) return "nowhere: " + (one.why_not.empty() ? "not tried" : one.why_not);
  return fmt::format("case \"{}\"", one.failed_in);
}

}  // namespace

std::string write_qualification(const cases::CasesSpec& cases, const verdict::Qualification& qualification) {
  std::vector<Row> case_rows, mutant_rows;
  std::size_t width = 6, failed = 0, passed = 0;
  for (const auto& one : qualification.cases) case_rows.push_back(row_of(one));
  for (const auto& one : qualification.mutants) {
    mutant_rows.push_back({one_line(fmt::format("{}: {}", one.output, one.mutant)), one_line(outcome_of(one))});
    if (one.passes()) ++passed;
    if (!one.failed_in.empty()) ++failed;
  }
  for (const auto* rows : {&case_rows, &mutant_rows}) {
    for (const auto& row : *rows) width = std::max(width, columns(row.name));
  }
  const auto line = [width](const std::string& name, const std::string& rest) {
    std::string text = "  " + padded(name, width) + "  " + rest;
    text.erase(text.find_last_not_of(' ') + 1);
    return text + "\n";
  };
  std::string text = fmt::format("{}, revision {}, on the {} backend, seed {:016x}\n\n", one_line(cases.kernel),
                                 cases.revision, qualification.backend, qualification.seed);
  text += line("case", "seeds     stops");
  for (const auto& row : case_rows) text += line(row.name, row.rest);
  text += "\n" + line("mutant", "fails");
  for (const auto& row : mutant_rows) text += line(row.name, row.rest);
  text += fmt::format("\n{}: {} failed by a case, {} by none; {} wrong in no case\n",
                      count(mutant_rows.size(), "mutant"), failed, passed, mutant_rows.size() - failed - passed);
  for (const auto& fault : qualification.faults) text += "fault: " + one_line(fault) + "\n";
  return text;
}

Json qualification_json(const cases::CasesSpec& cases, const verdict::Qualification& qualification) {
  Json json{{"kernel", cases.kernel},
            {"revision", cases.revision},
            {"backend", qualification.backend},
            {"seed", fmt::format("{:016x}", qualification.seed)},
            {"faults", qualification.faults}};
  for (const auto* key : {"cases", "mutants", "weaknesses"}) json[key] = Json::array();
  for (const auto& one : qualification.cases) {
    json["cases"].push_back({{"name", one.name},
                             {"seeds", one.seeds},
                             {"mutants", one.mutants},
                             {"stopped", one.stopped},
                             {"notes", one.notes}});
  }
  for (const auto& one : qualification.mutants) {
    json["mutants"].push_back({{"output", one.output},
                               {"mutant", one.mutant},
                               {"cases", one.cases},
                               {"failed_in", one.failed_in},
                               {"remedy", one.remedy},
                               {"why_not", one.why_not}});
  }
  for (const auto& one : qualification.weaknesses) {
    json["weaknesses"].push_back({{"mutant", one.mutant}, {"remedy", one.remedy}});
  }
  return json;
}

}  // namespace kgate::report
