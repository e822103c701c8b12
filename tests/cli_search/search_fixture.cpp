#include "tests/cli_search/search_fixture.h"

#include <algorithm>
#include <sstream>

#include <fmt/format.h>

#include "tests/support/catch.h"

using namespace kgate;

namespace {

constexpr const char* kPolicy = R"(schema = "kgate.policy/1"
[trust]
unsigned = "warn"
[budget]
seconds_per_case = 1
rounds = [4, 6]
)";

constexpr const char* kToml = R"(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["scale.cu"]
defines = { STEPS = 6000 }
[[launch]]
entry = "scale"
grid = [1, 1, 1]
block = [1, 1, 1]
[tunables]
STEPS = [100, 6000, 20000]
)";

constexpr const char* kPerformance = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 64 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

}  // namespace

SearchFixture::SearchFixture() {
  environment["TMPDIR"] = (root().parent_path() / "tmp").string();
  std::filesystem::create_directories(environment["TMPDIR"]);
  const std::string hidden = fmt::format(R"(
[[case]]
name = "{}"
role = "holdout"
sizes = {{ n = 77 }}
inputs = {{ x = {{ normal = [0.0, 1.0] }} }}
seed = "fresh"
tolerance = {{ y = {{ rtol = 1e-6 }} }}
)",
                                         kHidden);
  const std::string cases(text_of(read_file(root() / "kernels/scale/cases.toml", 1 << 20)));
  write(
      {{"kernels/scale/cases.toml", cases + kPerformance + hidden}, {kSource, counting_to("STEPS")}, {kKernel, kToml}});
  commit("a kernel to search for");
}

void SearchFixture::allow(const std::string& search, const std::string& more) const {
  write(".kgate/policy.toml", kPolicy + more + "[search]\n" + search);
  commit("policy");
}

ProcessOptions SearchFixture::search_command(std::vector<std::string> arguments) const {
  const auto parent = root().parent_path();
  const auto otherwise = [&](const char* flag, const std::string& value) {
    if (std::find(arguments.begin(), arguments.end(), flag) == arguments.end())
      arguments.insert(arguments.end(), {flag, value});
  };
  otherwise("--backend", "host");
  otherwise("--out", out().string());
  otherwise("--cache", (parent / "cache").string());
  // The first may be a kernel's name.
  arguments.insert(arguments.begin(), "search");
  if (arguments[1].starts_with("-")) arguments.insert(arguments.begin() + 1, "scale");
  return command(std::move(arguments));
}

CliFixture::Answer SearchFixture::search(std::vector<std::string> arguments) const {
  const auto result = run_command(search_command(std::move(arguments)), {});
  return {result.status.signal != 0 ? 128 + result.status.signal : result.status.code, result.output};
}

std::string SearchFixture::file(const std::string& name) const {
  return std::string(text_of(read_file(folder() / name, 64 << 20)));
}

std::vector<Json> SearchFixture::journal() const {
  std::vector<Json> lines;
  std::istringstream text(file("journal.jsonl"));
  for (std::string line; std::getline(text, line);) lines.push_back(Json::parse(line));
  return lines;
}

std::vector<std::string> SearchFixture::tried() const {
  std::vector<std::string> found;
  const Json all = summary();
  for (const Json& row : all["tried"]) {
    const std::string reason = row["reason"];
    found.push_back(row["outcome"].get<std::string>() + (row["score"] > 0 ? "" : ": " + reason));
  }
  return found;
}

std::string model_lines(const test::ScriptedModel& model) {
  return fmt::format(
      "proposer = \"http\"\nurl = \"{}\"\nmodel = \"scripted\"\ntokens = 1000000\ncost_usd = 1\nretries = 0\n",
      model.url());
}

std::string counting_to(const std::string& steps, const std::string& body) {
  return fmt::format(R"(__global__ void scale(float* y, const float* x, int n) {{
{}  for (int i = 0; i < n; ++i) {{
    volatile float v = 0.0f;
    for (int k = 0; k < {}; ++k) v = v + 1.0f;
    y[i] = 2.0f * x[i];
  }}
}}
)",
                     body, steps);
}

std::string proposes(const std::string& direction, const std::map<std::string, std::string>& files) {
  return Json{{"direction", direction}, {"parts", {{{"name", "all"}, {"hypothesis", "why not"}, {"files", files}}}}}
      .dump();
}

std::string proposes(const std::string& direction, const std::string& source) {
  return proposes(direction, std::map<std::string, std::string>{{SearchFixture::kSource, source}});
}

Asked::Asked(const test::ModelRequest& request)
    : whole(Json::parse(Json::parse(request.body)["messages"][1]["content"].get<std::string>())) {}
