#pragma once

#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/search_propose/scripted_model.h"

// A repository whose kernel counts to STEPS for each element before it answers: how long a version takes is what its
// source says, and versions lie so far apart that no noise of the machine changes their order.
class SearchFixture : public CliFixture {
 public:
  static constexpr const char* kSource = "kernels/scale/scale.cu";
  static constexpr const char* kKernel = "kernels/scale/kernel.toml";
  static constexpr const char* kHidden = "kept_in_the_cellar";  // its hold-out case

  SearchFixture();

  // The policy's [search], committed; `more`: whole tables.
  void allow(const std::string& search, const std::string& more = "") const;
  // kgate search scale, with these arguments beside.
  Answer search(std::vector<std::string> arguments = {}) const;
  kgate::ProcessOptions search_command(std::vector<std::string> arguments = {}) const;

  std::filesystem::path folder() const { return out() / "search"; }
  bool has(const std::string& name) const { return std::filesystem::exists(folder() / name); }
  std::string file(const std::string& name) const;
  kgate::Json summary() const { return kgate::parse_json(file("summary.json"), "summary.json"); }
  std::vector<kgate::Json> journal() const;
  // "OUTCOME: REASON" of each version that was tried, the baseline first; of those that were timed the outcome alone.
  std::vector<std::string> tried() const;
  std::string stopped() const { return summary()["stopped"]["why"]; }
};

// [search] for a model that costs nothing: a proposer on the loopback interface, never tried twice.
std::string model_lines(const kgate::test::ScriptedModel& model);

// The source of a version that counts to `steps`; `body` comes before anything else in it.
std::string counting_to(const std::string& steps, const std::string& body = "");

// A proposal of one part. Its files are whole new ones.
std::string proposes(const std::string& direction, const std::map<std::string, std::string>& files);
std::string proposes(const std::string& direction, const std::string& source);

// What a model was asked.
struct Asked {
  explicit Asked(const kgate::test::ModelRequest& request);
  bool repairs() const { return whole.contains("failed"); }
  std::size_t tried() const { return whole["briefing"]["tried"].size(); }  // the baseline is the first

  kgate::Json whole;
};
