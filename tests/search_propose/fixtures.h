#pragma once

#include <string>
#include <vector>

#include "gate/search/propose/briefing.h"
#include "gate/search/propose/clock.h"
#include "gate/search/propose/http_proposer.h"
#include "tests/search_propose/scripted_model.h"

namespace kgate::test {

inline const std::string kBest = std::string(64, 'b');
inline const std::string kSource = "__global__ void f(float* y) {\n  y[0] = 1;\n  y[1] = 1;\n}\n";

// Of a small kernel after two tries.
inline search::Briefing briefing() {
  search::Briefing one;
  one.kernel = "softmax";
  one.contract = {{"params", Json::array({{{"name", "y"}, {"kind", "out"}}})}};
  search::VisibleCase wide;
  wide.name = "wide";
  wide.role = "performance";
  wide.sizes = {{"rows", 8192}, {"cols", 4096}};
  wide.baseline_us = 120.5;
  wide.best_us = 100.25;
  wide.tolerance = {{"y", {{"rtol", 1e-5}}}};
  search::VisibleCase odd;
  odd.name = "odd";
  odd.role = "correctness";
  odd.sizes = {{"rows", 31}, {"cols", 37}};
  one.cases = {wide, odd};
  one.best = kBest;
  one.sources = {{"k/f.cu", kSource}, {"k/kernel.toml", "schema = \"kgate.kernel/1\"\n"}};
  one.tunables = {{"BLOCK", {"64", "128", "256"}}};
  one.parameters = {{"BLOCK", "128"}};
  one.bottleneck = "bandwidth bound (from times and bytes)";
  one.hardware = {"NVIDIA H200", "sm_90", {{"registers_per_block", 65536}}, {"a trap"}};
  one.rules = {"asm is forbidden"};
  one.closed_directions = {"caching between launches: closed, one version was suspect"};
  search::Tried first;
  first.digest = std::string(64, 'a');
  first.proposer = "tuner";
  first.direction = "tuning";
  first.hypotheses = {"BLOCK 64 -> 128"};
  first.parameters = {{"BLOCK", "128"}};
  first.outcome = search::Outcome::better;
  first.score = 0.9;
  first.case_us = {{"wide", 100.25}};
  search::Tried second = first;
  second.digest = std::string(64, 'c');
  second.parent = first.digest;
  second.outcome = search::Outcome::does_not_compile;
  second.reason = "expected a ';'";
  second.score = 0;
  second.case_us.clear();
  one.tried = {first, second};
  one.repairs_left = 3;
  return one;
}

// A proposal that can be carried out on briefing().
inline const std::string kProposal = R"({
  "direction": "vector loads",
  "parts": [{
    "name": "both at once", "hypothesis": "one store instead of two", "expected_gain": 0.08, "risk": "alignment",
    "edits": [{"file": "k/f.cu", "find": "  y[0] = 1;\n", "replace": ""}],
    "parameters": {"BLOCK": "256"}
  }]
})";

// Time that passes in sleeps alone.
class FakeClock : public search::Clock {
 public:
  double now() const override { return now_; }
  void sleep(double seconds) override {
    slept.push_back(seconds);
    now_ += seconds;
  }
  std::vector<double> slept;

 private:
  double now_ = 1000;
};

inline const std::string kKey = "sk-test-0123456789abcdef/+SECRET";

inline search::HttpOptions options_for(const ScriptedModel& model, FakeClock& clock) {
  search::HttpOptions options;
  options.server.url = model.url();
  options.server.key = kKey;
  options.server.clock = &clock;
  options.model = "big-model";
  return options;
}

}  // namespace kgate::test
