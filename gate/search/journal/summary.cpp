#include "gate/search/journal/summary.h"

#include <utility>

namespace kgate::search::journal {
namespace {

Json json_of(const std::vector<CaseFigure>& cases) {
  Json list = Json::array();
  for (const CaseFigure& one : cases) {
    Json json{{"name", one.name},   {"weight", one.weight}, {"us", one.us},    {"baseline_us", one.baseline_us},
              {"ratio", one.ratio}, {"low", one.low},       {"high", one.high}};
    if (one.floor_us > 0) json["floor_us"] = one.floor_us;
    list.push_back(std::move(json));
  }
  return list;
}

Json json_of(const Row& row) {
  return {{"number", row.number},
          {"iteration", row.iteration},
          {"repair_of", row.repair_of},
          {"ablation_of", row.ablation_of},
          {"candidate", row.candidate},
          {"parent", row.parent},
          {"proposer", row.proposer},
          {"model", row.model},
          {"direction", row.direction},
          {"hypotheses", row.hypotheses},
          {"parameters", row.parameters},
          {"outcome", row.outcome},
          {"reason", row.reason},
          {"quick", row.quick},
          {"score", row.score},
          {"low", row.low},
          {"high", row.high},
          {"cases", json_of(row.cases)},
          {"tokens", row.tokens},
          {"cost_usd", row.cost_usd},
          {"compile_s", row.compile_s},
          {"gpu_s", row.gpu_s},
          {"wall_s", row.wall_s}};
}

Json json_of(const Costs& costs) {
  Json proposers = Json::object();
  for (const auto& [name, one] : costs.proposers) {
    proposers[name] = {{"proposals", one.proposals},   {"unanswered", one.unanswered}, {"tokens_in", one.tokens_in},
                       {"tokens_out", one.tokens_out}, {"cost_usd", one.cost_usd},     {"seconds", one.seconds}};
  }
  return {{"proposers", std::move(proposers)}, {"tokens", costs.tokens}, {"cost_usd", costs.cost_usd},
          {"compile_s", costs.compile_s},      {"gpu_s", costs.gpu_s},   {"wall_s", costs.wall_s}};
}

Json json_of(const PayBack& pay_back) {
  Json json{{"usd_per_gpu_hour", pay_back.usd_per_gpu_hour}, {"usd", pay_back.usd}, {"saved_us", pay_back.saved_us}};
  json["launches_a_month"] = pay_back.launches_a_month ? Json(*pay_back.launches_a_month) : Json(nullptr);
  return json;
}

Json json_of(const Confirmation& one) {
  return {{"better", one.better}, {"verdict", one.verdict}, {"reason", one.reason},  {"ratio", one.ratio},
          {"low", one.low},       {"high", one.high},       {"seconds", one.seconds}};
}

}  // namespace

Json to_json(const Summary& summary) {
  Json rows = Json::array();
  for (const Row& row : summary.rows) rows.push_back(json_of(row));
  Json search = to_json(Line(summary.header));
  search.erase("schema");
  search.erase("kind");
  Json json{{"schema", kSummarySchema},
            {"search", std::move(search)},
            {"best", summary.best},
            {"gain", 1 - summary.winner().score},
            {"tried", std::move(rows)},
            {"costs", json_of(summary.costs)},
            {"pay_back", json_of(summary.pay_back)},
            {"stopped", nullptr},
            {"confirmation", nullptr}};
  // A candidate's bounds are those of its time: the least gain is at the upper one.
  json["gain_low"] = 1 - summary.winner().high;
  json["gain_high"] = 1 - summary.winner().low;
  if (summary.winner().score <= 0) json["gain"] = json["gain_low"] = json["gain_high"] = 0;
  if (summary.stopped) json["stopped"] = {{"why", summary.stopped->why}, {"reason", summary.stopped->reason}};
  if (summary.confirmation) json["confirmation"] = json_of(*summary.confirmation);
  for (const PassedOver& one : summary.passed_over)
    json["passed_over"].push_back({{"number", one.number}, {"verdict", one.verdict}, {"reason", one.reason}});
  return json;
}

}  // namespace kgate::search::journal
