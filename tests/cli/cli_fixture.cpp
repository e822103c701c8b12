#include "tests/cli/cli_fixture.h"

#include <algorithm>

#include "tests/support/catch.h"

using namespace kgate;

namespace {

constexpr const char* kPolicy = "schema = \"kgate.policy/1\"\n[trust]\nunsigned = \"warn\"\n";

constexpr const char* kKernel = R"toml(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["scale.cu"]
[[launch]]
entry = "scale"
grid = ["ceil_div(n, 64)", 1, 1]
block = [64, 1, 1]
)toml";

constexpr const char* kSource = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
)";

constexpr const char* kCases = R"(schema = "kgate.cases/1"
kernel = "scale"
revision = 1

[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[[param]]
name = "n"
kind = "scalar"
dtype = "i32"
value = "n"

[reference]
sources = ["reference.cu"]
entry = "scale_reference"
grid = [1, 1, 1]
block = [1, 1, 1]

[[case]]
name = "small"
role = "correctness"
sizes = { n = 100 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-6 } }
)";

constexpr const char* kReference = R"(__global__ void scale_reference(float* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] + x[i];
}
)";

}  // namespace

CliFixture::CliFixture() {
  environment = {{"PATH", "/usr/local/bin:/usr/bin:/bin"},
                 {"HOME", folder_.path().string()},
                 {"GIT_CONFIG_GLOBAL", "/dev/null"},
                 {"GIT_CONFIG_SYSTEM", "/dev/null"},
                 {"GIT_AUTHOR_NAME", "test"},
                 {"GIT_AUTHOR_EMAIL", "test@example.com"},
                 {"GIT_COMMITTER_NAME", "test"},
                 {"GIT_COMMITTER_EMAIL", "test@example.com"}};
  std::filesystem::create_directories(root());
  write({{".kgate/policy.toml", kPolicy},
         {"kernels/scale/kernel.toml", kKernel},
         {"kernels/scale/scale.cu", kSource},
         {"kernels/scale/cases.toml", kCases},
         {"kernels/scale/reference.cu", kReference}});
  git({"init", "-q", "-b", "main"});
  commit();
}

void CliFixture::write(const std::map<std::string, std::string>& files) const {
  for (const auto& [path, content] : files) write_file_atomic(root() / path, std::string_view(content));
}

void CliFixture::replace(const std::string& path, const std::string& old_text, const std::string& new_text) const {
  std::string content(text_of(read_file(root() / path, 1 << 20)));
  const auto place = content.find(old_text);
  REQUIRE(place != std::string::npos);
  content.replace(place, old_text.size(), new_text);
  write(path, content);
}

CliFixture::Answer CliFixture::git(std::vector<std::string> arguments) const {
  ProcessOptions options;
  options.command = {"git", "-C", root().string()};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  options.environment = environment;
  const auto result = run_command(options, {});
  INFO(result.output);
  REQUIRE(result.status.ok());
  return {result.status.code, result.output};
}

void CliFixture::commit(const std::string& message) const {
  git({"add", "-A"});
  git({"commit", "-q", "-m", message});
}

ProcessOptions CliFixture::command(std::vector<std::string> arguments) const {
  ProcessOptions options;
  options.environment = environment;
  options.folder = root();
  const auto has = [&](const char* flag) {
    return std::find(arguments.begin(), arguments.end(), flag) != arguments.end();
  };
  if (!arguments.empty() && (arguments[0] == "run" || arguments[0] == "check" || arguments[0] == "bisect")) {
    if (!has("--out")) arguments.insert(arguments.end(), {"--out", out().string()});
    // A test that pretends to have a GPU waits for nobody else's.
    if (has("--backend") && !has("--lease-dir"))
      arguments.insert(arguments.end(), {"--lease-dir", (folder_.path() / "queue").string()});
    if (!has("--backend")) arguments.insert(arguments.end(), {"--backend", "host"});
    if (!has("--cache")) arguments.insert(arguments.end(), {"--cache", ""});
  }
  options.command = {KGATE_BINARY};
  options.command.insert(options.command.end(), arguments.begin(), arguments.end());
  return options;
}

CliFixture::Answer CliFixture::kgate(std::vector<std::string> arguments) const {
  const auto result = run_command(command(std::move(arguments)), {});
  return {result.status.signal != 0 ? 128 + result.status.signal : result.status.code, result.output};
}

Json CliFixture::result() const {
  return parse_json(text_of(read_file(out() / "result.json", 64 << 20)), "result.json");
}
