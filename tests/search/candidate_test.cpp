#include "gate/search/candidate.h"

#include "gate/search/defines.h"
#include "tests/search/kernels.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::search;

namespace {

Candidate baseline() {
  return make_candidate(test::search_files(), test::kSearchPath);
}

Proposal proposal_of(Part part) {
  Proposal proposal;
  part.name = "p";
  proposal.parts = {std::move(part)};
  return proposal;
}

Proposal with_file(const std::string& path, const std::string& content) {
  Part part;
  part.files[path] = content;
  return proposal_of(part);
}

Proposal with_edit(const std::string& path, const std::string& find, const std::string& replace) {
  Part part;
  part.edits = {{path, find, replace}};
  return proposal_of(part);
}

Proposal with_parameter(const std::string& name, const std::string& value) {
  Part part;
  part.parameters[name] = value;
  return proposal_of(part);
}

std::string fault_of(const Proposal& proposal) {
  return apply(proposal, baseline()).fault;
}

std::string replaced(std::string text, const std::string& find, const std::string& by) {
  const auto at = text.find(find);
  REQUIRE(at != std::string::npos);
  return text.replace(at, find.size(), by);
}

}  // namespace

TEST_CASE("a version is known by its files and by the values of its tunables") {
  const Candidate one = baseline();
  CHECK(one.digest.size() == 64);
  CHECK(one.parameters == std::map<std::string, std::string>{{"BLOCK", "256"}, {"MODE", "fast"}});
  auto files = test::search_files();
  CHECK(make_candidate(files, test::kSearchPath).digest == one.digest);
  files["kernels/scale/scale.cu"] += " ";
  CHECK(make_candidate(files, test::kSearchPath).digest != one.digest);
}

TEST_CASE("a parameter changes its define in kernel.toml, and not another character") {
  const auto applied = apply(with_parameter("BLOCK", "512"), baseline());
  REQUIRE(applied.candidate);
  CHECK(applied.candidate->parameters.at("BLOCK") == "512");
  CHECK(applied.candidate->files.at(test::kSearchPath) ==
        replaced(test::kSearchKernel, "BLOCK = 256,", "BLOCK = 512,"));
  const auto text = apply(with_parameter("MODE", "exact"), baseline());
  REQUIRE(text.candidate);
  CHECK(text.candidate->files.at(test::kSearchPath) == replaced(test::kSearchKernel, "\"fast\" }", "\"exact\" }"));
}

TEST_CASE("defines are found in whichever of TOML's ways they are written") {
  const std::string head = "# \xc3\xa9 defines = { N = 1 }\nschema = \"kgate.kernel/1\"\r\nsources = [\"a.cu\"]\n";
  const std::string tail =
      "[[launch]]\nentry = \"a\"\ngrid = [1]\nblock = [1]\n[tunables]\nN = [1, 0x10, \"two, }\"]\n";
  const auto changed = [&](const std::string& defines, const std::string& value) {
    return with_defines(head + defines + tail, "k/kernel.toml", {{"N", value}});
  };
  CHECK(changed("defines = { T = \"\xc3\xa9\", N = 1 }\n", "16") ==
        head + "defines = { T = \"\xc3\xa9\", N = 0x10 }\n" + tail);
  CHECK(changed("defines.N=1# one\n", "two, }") == head + "defines.N=\"two, }\"# one\n" + tail);
  CHECK(changed("[defines]\n\"N\" = 1\n", "16") == head + "[defines]\n\"N\" = 0x10\n" + tail);
  CHECK(changed("[defines]\nN = '''two, }'''\n", "1") == head + "[defines]\nN = 1\n" + tail);
  CHECK(changed("[defines]\nN = \"\"\"\ntwo, }\"\"\"\n", "16") == head + "[defines]\nN = 0x10\n" + tail);
  CHECK(changed("defines.N = 1\n", "1") == head + "defines.N = 1\n" + tail);
}

TEST_CASE("a parameter outside of the list is refused, and so is one that is no tunable") {
  CHECK(fault_of(with_parameter("BLOCK", "96")) ==
        "kernels/scale/kernel.toml: \"96\" is not one of the values of \"BLOCK\"; known values: 64, 128, 256, 512");
  CHECK(fault_of(with_parameter("BLOK", "64")) ==
        "kernels/scale/kernel.toml: \"BLOK\" is not one of its tunables; did you mean \"BLOCK\"?");
  CHECK(fault_of(with_parameter("MODE", "fast")) == "");
}

TEST_CASE("an edit finds its place exactly once, or the proposal is refused") {
  const std::string source = "kernels/scale/scale.cu";
  const auto applied = apply(with_edit(source, "factor() * x[i]", "2.0f * x[i]"), baseline());
  REQUIRE(applied.candidate);
  CHECK(applied.candidate->files.at(source) == replaced(test::kSearchSource, "factor() * x[i]", "2.0f * x[i]"));
  CHECK(fault_of(with_edit(source, "z[i]", "")) ==
        "part \"p\": \"kernels/scale/scale.cu\" has no \"z[i]\", which is to be replaced");
  CHECK(fault_of(with_edit(source, "x[i]", "")) == "");
  CHECK(fault_of(with_edit(source, "[i]", "")) ==
        "part \"p\": \"kernels/scale/scale.cu\" has \"[i]\", which is to be replaced, more than once");
  CHECK(fault_of(with_edit(source, "", "x")) ==
        "part \"p\": \"kernels/scale/scale.cu\" has no \"\", which is to be replaced");
  CHECK(fault_of(with_edit("kernels/scale/more.cuh", "a", "b")) ==
        "part \"p\": the file \"kernels/scale/more.cuh\" is to be edited and is not there");
}

TEST_CASE("edits follow each other, and see what the files of their part brought") {
  Part part;
  part.files["kernels/scale/scale.cuh"] = "one two\n";
  part.edits = {{"kernels/scale/scale.cuh", "one", "two"}, {"kernels/scale/scale.cuh", "two two", "three"}};
  const auto applied = apply(proposal_of(part), baseline());
  REQUIRE(applied.candidate);
  CHECK(applied.candidate->files.at("kernels/scale/scale.cuh") == "three\n");
}

TEST_CASE("only kernel.toml and what it declares may be touched, by its plain name") {
  CHECK(fault_of(with_file("kernels/scale/extra.cuh", "x")) == "");
  CHECK(fault_of(with_file("kernels/scale/cases.toml", "x")) ==
        "part \"p\": the file \"kernels/scale/cases.toml\" is neither kernel.toml nor one that it declares");
  CHECK(fault_of(with_file(".kgate/policy.toml", "x")) ==
        "part \"p\": the file \".kgate/policy.toml\" is neither kernel.toml nor one that it declares");
  CHECK(fault_of(with_file("../scale.cu", "x")) == "part \"p\": the file \"../scale.cu\" leaves the repository");
  CHECK(fault_of(with_file("/etc/passwd", "x")) == "part \"p\": the file \"/etc/passwd\" is an absolute path");
  CHECK(fault_of(with_file("kernels/scale/../scale/scale.cu", "x")) ==
        "part \"p\": the file \"kernels/scale/../scale/scale.cu\" has to be named plainly, from the repository's root");
  CHECK(fault_of(with_file("kernels/scale/a\n.cuh", "x")) ==
        "part \"p\": the file \"kernels/scale/a\\x0a.cuh\" has to be named plainly, from the repository's root");
  CHECK(fault_of(with_file("kernels/scale/scale.cu", std::string((4 << 20) + 1, ' '))) ==
        "part \"p\": the file \"kernels/scale/scale.cu\" becomes larger than 4 MiB");
}

TEST_CASE("kernel.toml may be rewritten, but not to be another kernel") {
  const auto rewritten = [](const std::string& find, const std::string& by) {
    return fault_of(with_file(test::kSearchPath, replaced(test::kSearchKernel, find, by)));
  };
  CHECK(rewritten("block = [\"BLOCK\"]", "block = [\"2 * BLOCK\"]") == "");
  CHECK(rewritten("[\"scale.cu\"]", "[\"other.cu\"]") == "changes \"sources\" in kernel.toml, which a search may not");
  CHECK(rewritten("[\"*.cuh\"]", "[\"../**/*\"]") == "changes \"headers\" in kernel.toml, which a search may not");
  CHECK(rewritten("headers", "include_dirs = [\"..\"]\nheaders") ==
        "changes \"include_dirs\" in kernel.toml, which a search may not");
  CHECK(rewritten("headers = [\"*.cuh\"]", "kind = \"ptx\"") ==
        "changes \"kind\" in kernel.toml, which a search may not");
  CHECK(rewritten("entry", "entyr") ==
        "kernels/scale/kernel.toml:8: launch[0].entyr: is not a key that kgate knows; did you mean \"entry\"?");
}

TEST_CASE("versions that differ in comments and blanks alone are alike, others are not") {
  const std::string source = "kernels/scale/scale.cu";
  const std::string one = likeness_of(baseline());
  const auto other = [&](const std::string& find, const std::string& by) {
    return likeness_of(*apply(with_edit(source, find, by), baseline()).candidate);
  };
  CHECK(other("// scales", "/* multiplies */") == one);
  CHECK(other("int i = blockIdx.x * N", "int  i=blockIdx.x*N") == one);
  CHECK(other("int i = blockIdx.x * N", "inti = blockIdx.x * N") != one);
  CHECK(other("y[i] =", "y[i] +=") != one);
  CHECK(other("\n// scales", " // scales\n") == one);
  const auto like = [&](const std::string& text) {
    auto files = test::search_files();
    files[source] = text;
    return likeness_of(make_candidate(files, test::kSearchPath));
  };
  CHECK(like("asm(\"add.f32 // a\");") != like("asm(\"add.f32 // b\");"));
  CHECK(like("a + +b") != like("a ++ b"));
  CHECK(like("#define A b\nc") != like("#define A b c"));
  CHECK(like("#define F(x) x\n") != like("#define F (x) x\n"));
  CHECK(like("#define A\\\n b\nc") == like("#define A b\n\n  c // d\n"));
  auto files = test::search_files();
  files[test::kSearchPath] += "# more\n\n";
  CHECK(likeness_of(make_candidate(files, test::kSearchPath)) == one);
}
