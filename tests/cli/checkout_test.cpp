// The gate on checkouts that hold other files, or other bytes, than the commit: docs/git.md.
#include "base/digest.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

const std::vector<std::string> kCheck{"check", "--policy-ref", "main"};

std::string text_at(const CliFixture& cli, const std::string& path) {
  return std::string(kgate::text_of(kgate::read_file(cli.root() / path, 1 << 20)));
}

// A second kernel like the first, under another name.
void add_kernel(const CliFixture& cli, const std::string& name) {
  for (const char* file : {"kernel.toml", "scale.cu", "reference.cu", "cases.toml"}) {
    cli.write("kernels/" + name + "/" + file, text_at(cli, std::string("kernels/scale/") + file));
  }
  cli.replace("kernels/" + name + "/cases.toml", "kernel = \"scale\"", "kernel = \"" + name + "\"");
}

std::string sparse_reason(const CliFixture& cli) {
  return "is left out of this working tree by a sparse checkout; git -C " +
         std::filesystem::canonical(cli.root()).string() + " sparse-checkout disable";
}

std::string short_head(const CliFixture& cli) {
  return cli.git({"rev-parse", "HEAD"}).output.substr(0, 10);
}

}  // namespace

TEST_CASE("a kernel that a sparse checkout leaves out is missing for that reason, and the others are judged") {
  const CliFixture cli;
  add_kernel(cli, "other");
  cli.commit();
  cli.git({"sparse-checkout", "set", "kernels/scale"});
  const auto answer = cli.kgate(kCheck);
  INFO(answer.output);
  const Json result = cli.result();
  REQUIRE(result["kernels"].size() == 2);
  CHECK(result["kernels"][0]["name"] == "scale");
  CHECK(result["kernels"][0]["verdict"] == "unchanged");
  CHECK(result["kernels"][1]["name"] == "other");
  CHECK(result["kernels"][1]["verdict"] == "missing");
  CHECK(result["kernels"][1]["reason"] ==
        "the base " + short_head(cli) + " (main) has it, and its kernel.toml " + sparse_reason(cli));
  CHECK(result["source"]["dirty"] == false);
  CHECK(answer.output.find("policy.toml differ") == std::string::npos);  // left out too, and not a change

  CHECK(cli.kgate({"check", "scale", "--policy-ref", "main"}).code == 0);
  CHECK(cli.result()["verdict"] == "pass");
  cli.git({"sparse-checkout", "disable"});
  CHECK(cli.kgate(kCheck).code == 0);
  CHECK(cli.result()["kernels"][1]["verdict"] == "unchanged");
}

TEST_CASE("a new kernel that a sparse checkout leaves out is told") {
  const CliFixture cli;
  cli.git({"branch", "base"});
  add_kernel(cli, "other");
  cli.commit();
  cli.git({"sparse-checkout", "set", "kernels/scale"});
  const auto answer = cli.kgate({"check", "--policy-ref", "base"});
  CHECK(answer.code == 0);
  CHECK(answer.output.find("kernels/other/kernel.toml is left out of this working tree by a sparse checkout and is not "
                           "judged; git -C ") != std::string::npos);
}

TEST_CASE("a kernel whose header a sparse checkout leaves out stops with the reason, not with a compiler's message") {
  const CliFixture cli;
  cli.write("kernels/common/two.cuh", "constexpr float kTwo = 2.0f;\n");
  cli.replace("kernels/scale/scale.cu", "__global__", "#include \"../common/two.cuh\"\n__global__");
  cli.replace("kernels/scale/scale.cu", "2.0f * x", "kTwo * x");
  cli.replace("kernels/scale/kernel.toml", "[[launch]]", "headers = [\"../common/*.cuh\"]\n[[launch]]");
  cli.commit();
  CHECK(cli.kgate(kCheck).code == 0);
  cli.git({"sparse-checkout", "set", "kernels/scale"});
  const auto answer = cli.kgate(kCheck);
  CHECK(answer.code == 64);
  CHECK(
      answer.output.find("kgate: kernels/scale/kernel.toml: headers \"kernels/common/*.cuh\": kernels/common/two.cuh " +
                         sparse_reason(cli)) != std::string::npos);
}

TEST_CASE("a checkout with CRLF is unchanged, its cases are the base's, and nothing is said to differ") {
  const CliFixture cli;
  cli.write(".gitattributes", "* text eol=crlf\n");
  cli.commit();
  cli.git({"rm", "-q", "-r", "--cached", "."});
  cli.git({"reset", "-q", "--hard"});
  REQUIRE(text_at(cli, "kernels/scale/cases.toml").find("\r\n") != std::string::npos);
  REQUIRE(text_at(cli, ".kgate/policy.toml").find("\r\n") != std::string::npos);
  const auto answer = cli.kgate(kCheck);
  INFO(answer.output);
  CHECK(answer.code == 0);
  const Json result = cli.result();
  CHECK(result["kernels"][0]["verdict"] == "unchanged");
  CHECK(result["kernels"][0]["code"] == "unchanged");
  CHECK(result["source"]["dirty"] == false);
  CHECK(answer.output.find("differ") == std::string::npos);
}

TEST_CASE("headers in a submodule are the base's by its pin and the candidate's as checked out") {
  CliFixture cli;
  cli.environment["GIT_CONFIG_COUNT"] = "1";
  cli.environment["GIT_CONFIG_KEY_0"] = "protocol.file.allow";
  cli.environment["GIT_CONFIG_VALUE_0"] = "always";
  const std::string library = cli.out().string() + "-library";
  const auto in_library = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"-C", library});
    return cli.git(arguments).output;
  };
  cli.git({"init", "-q", "-b", "main", library});
  const auto release = [&](const std::string& text) {
    kgate::write_file_atomic(std::filesystem::path(library) / "include/two.cuh", std::string_view(text));
    in_library({"add", "-A"});
    in_library({"commit", "-q", "-m", "release"});
  };
  release("constexpr float kTwo = 2.0f;\n");
  cli.git({"submodule", "--quiet", "add", library, "third"});
  cli.replace("kernels/scale/scale.cu", "__global__", "#include \"two.cuh\"\n__global__");
  cli.replace("kernels/scale/scale.cu", "2.0f * x", "kTwo * x");
  cli.replace("kernels/scale/kernel.toml", "[[launch]]",
              "headers = [\"../../third/include/**/*.cuh\"]\ninclude_dirs = [\"../../third/include\"]\n[[launch]]");
  cli.commit();
  const auto first = cli.kgate(kCheck);
  INFO(first.output);
  CHECK(first.code == 0);
  CHECK(cli.result()["kernels"][0]["verdict"] == "unchanged");

  // A change of the pin alone is a change of the kernel.
  release("constexpr float kTwo = 3.0f;\n");
  cli.git({"-C", "third", "pull", "-q", "origin", "main"});
  CHECK(cli.kgate(kCheck).code == 2);
  CHECK(cli.result()["kernels"][0]["verdict"] == "wrong");
  CHECK(cli.result()["source"]["dirty"] == true);

  cli.git({"submodule", "--quiet", "deinit", "-f", "third"});
  const auto without = cli.kgate(kCheck);
  CHECK(without.code == 64);
  CHECK(without.output.find("lies in the submodule third, which is not checked out; git -C " +
                            std::filesystem::canonical(cli.root()).string() + " submodule update --init third") !=
        std::string::npos);
}

TEST_CASE("kernels in a submodule that the policy's pattern stops before are told") {
  CliFixture cli;
  cli.environment["GIT_CONFIG_COUNT"] = "1";
  cli.environment["GIT_CONFIG_KEY_0"] = "protocol.file.allow";
  cli.environment["GIT_CONFIG_VALUE_0"] = "always";
  const std::string library = cli.out().string() + "-library";
  cli.git({"clone", "-q", cli.root().string(), library});
  cli.git({"submodule", "--quiet", "add", library, "kernels/third"});
  cli.commit();
  const auto answer = cli.kgate(kCheck);
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.result()["kernels"].size() == 1);
  CHECK(answer.output.find("kernels/third/kernels/scale/kernel.toml lies in kernels/third, a repository of its own and "
                           "is not judged; a pattern that begins with kernels/third/ reads it") != std::string::npos);
}

TEST_CASE("a reference that Git LFS keeps is read from the store, and else told with the fetch that brings it") {
  const CliFixture cli;
  const std::string reference = text_at(cli, "kernels/scale/reference.cu"), digest = kgate::sha256_hex(reference);
  cli.write(".gitattributes", "reference.cu filter=lfs\n");
  cli.write("kernels/scale/reference.cu", "version https://git-lfs.github.com/spec/v1\noid sha256:" + digest +
                                              "\nsize " + std::to_string(reference.size()) + "\n");
  cli.commit();
  cli.write("kernels/scale/reference.cu", reference);  // as git-lfs checks it out
  const auto answer = cli.kgate(kCheck);
  CHECK(answer.code == 64);
  const std::string head = cli.git({"rev-parse", "HEAD"}).output.substr(0, 40);
  CHECK(answer.output.find(
            "kgate: kernels/scale/cases.toml: \"kernels/scale/reference.cu\" is kept by Git LFS, and its "
            "content in commit " +
            head.substr(0, 10) + " is not in this clone; git -C " + std::filesystem::canonical(cli.root()).string() +
            " lfs fetch origin " + head) != std::string::npos);
  cli.write(".git/lfs/objects/" + digest.substr(0, 2) + "/" + digest.substr(2, 2) + "/" + digest, reference);
  CHECK(cli.kgate(kCheck).code == 0);
  CHECK(cli.result()["kernels"][0]["verdict"] == "unchanged");
}
