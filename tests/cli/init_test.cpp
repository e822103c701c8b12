#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;

namespace {

constexpr const char* kScale = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 3.0f * x[i];
}
)";

// A repository that knows nothing of kgate yet.
class Bare : public CliFixture {
 public:
  Bare() {
    git({"rm", "-rqf", "."});
    write("README", "a project\n");
    commit("bare");
  }
  Answer init(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), {"init", "--repo", root().string()});
    return kgate(arguments);
  }
  bool has(const std::string& path) const { return fs::exists(root() / path); }
};

bool says(const CliFixture::Answer& answer, const std::string& text) {
  return answer.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("init makes a repository in which check and run work as they stand") {
  const Bare cli;
  cli.git({"remote", "add", "origin", "git@github.com:team/project.git"});
  const auto answer = cli.init({});
  INFO(answer.output);
  CHECK(answer.code == 0);
  for (const char* path :
       {".kgate/policy.toml", ".gitignore", "kernels/saxpy/cases.toml", ".github/workflows/kgate.yml"}) {
    INFO(path);
    CHECK(cli.has(path));
    CHECK(says(answer, path));
  }
  cli.commit("kgate");
  const auto check = cli.kgate({"check"});
  INFO(check.output);
  CHECK(check.code == 0);
  cli.replace("kernels/saxpy/saxpy.cu", "a * x[i] + y[i]", "a * x[i] - y[i]");
  CHECK(cli.kgate({"run"}).code == 2);
}

TEST_CASE("a kernel that is there gets its files, and is checked once the reference is written") {
  const Bare cli;
  cli.write("src/scale.cu", kScale);
  const auto answer = cli.init({(cli.root() / "src/scale.cu").string()});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "no CI host was recognised: kgate init --ci github, or gitlab, writes its file"));
  CHECK(!cli.has(".github"));
  cli.commit("kgate");
  auto check = cli.kgate({"check"});
  CHECK(check.code == 5);
  CHECK(says(check, "write the reference of scale, and take this line out"));
  cli.write("kernels/scale/reference.cu",
            "__global__ void scale_reference(float* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = 3.0f * x[i];\n}\n");
  cli.commit("reference");
  check = cli.kgate({"check"});
  INFO(check.output);
  CHECK(check.code == 0);
}

TEST_CASE("init overwrites nothing, and a second one changes nothing") {
  const Bare cli;
  cli.write({{".kgate/policy.toml", "schema = \"kgate.policy/1\"\n"}, {".gitlab-ci.yml", "stages: [test]\n"}});
  auto answer = cli.init({});
  CHECK(answer.code == 0);
  CHECK(says(answer, "there already, and left as it is:\n  .kgate/policy.toml "));
  CHECK(says(answer, "in .gitlab-ci.yml: include: [{ local: .gitlab/kgate.yml }]"));
  CHECK(cli.has(".gitlab/kgate.yml"));
  cli.commit("kgate");
  answer = cli.init({});
  CHECK(answer.code == 0);
  CHECK(!says(answer, "written:"));
  CHECK(cli.git({"status", "--porcelain"}).output.empty());
}

TEST_CASE("init refuses what it cannot make, and says what to do") {
  const Bare cli;
  cli.write("src/host.cu", "void nothing() {}\n");
  auto answer = cli.init({(cli.root() / "src/host.cu").string()});
  CHECK(answer.code == 64);
  CHECK(
      answer.output ==
      "kgate: src/host.cu: has no __global__ function with a body; name the file that has the kernel; one that a macro "
      "writes needs its files by hand (docs/kernel-toml.md)\n");
  answer = cli.init({"/nowhere.cu"});
  CHECK(answer.output == "kgate: /nowhere.cu: cannot be found; name a CUDA source of this repository\n");
  CHECK(cli.init({"/etc/hostname"}).output.find("lies outside of the repository") != std::string::npos);
  CHECK(!cli.has(".kgate"));
  fs::create_directory_symlink("/", cli.root() / "kernels");
  answer = cli.init({});
  CHECK(answer.code == 64);
  CHECK(says(answer, "lies behind a link; make its folder a folder of this repository"));
}
