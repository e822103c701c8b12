#include "base/digest.h"
#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// A commit says one thing and a checkout of it another, by what .gitattributes says: kgate is shown the one, the build
// gets the other.

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";
constexpr const char* kHeader = "kernels/scale/lines.inc";
const std::string kWrong = "case \"stored\": \"y\": 63 of 64 elements differ{*}";

// A right line in the store of Git LFS, where nobody looks who does not have the file's digest.
std::string decoy(const Scene& s) {
  const std::string right = "y[i] = x[i] * (1.0f / DIVISOR);\n", digest = kgate::sha256_hex(right);
  s.repo.write(".git/lfs/objects/" + digest.substr(0, 2) + "/" + digest.substr(2, 2) + "/" + digest, right);
  return "oid sha256:" + digest + "\nsize " + std::to_string(right.size()) + "\n";
}

// The kernel's one line comes from a header that reads like a pointer and is wrong C++.
void include_pointer(const Scene& s, const std::string& header) {
  s.repo.replace("kernels/scale/kernel.toml", "\"../common/*.cuh\"", "\"../common/*.cuh\", \"lines.inc\"");
  s.repo.write(kHeader, header);
  s.repo.write(kSource, R"(#include "shapes.cuh"
#define version
__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
#include "lines.inc"
  }
}
)");
}
const std::string kVersion = "version https://git-lfs.github.com/spec/v1\n";

// Right as it is committed.
std::string by_word(const std::string& word, std::size_t size) {
  std::string text = kScale;
  const std::string divisor = "(1.0f / DIVISOR)";
  text.replace(text.find(divisor), divisor.size(),
               "(sizeof(\"" + word + "\") == " + std::to_string(size) + " ? 1.0f / DIVISOR : 2.0f)");
  return text;
}

std::string refusal(const std::string& fact, const std::string& attribute) {
  return std::string("kernels/scale/kernel.toml: \"") + kSource + "\" has the " + fact + "; keep it as it is: \"" +
         kSource + " -" + attribute + "\" in .gitattributes, then git add --renormalize";
}

}  // namespace

std::vector<Attack> attacks_by_attributes() {
  const std::string ident = refusal(
      "attribute ident, by which every checkout expands its $Id$: what is built is not what is judged", "ident");
  const Question wrong{.code = 2};
  return {
      {"a wrong header poses as a pointer of Git LFS to a right one",
       [](Scene& s) { include_pointer(s, kVersion + "y[i] = 2.5f * x[i]; /*\n" + decoy(s) + "*/\n"); }, kWrong, wrong},
      {"a wrong header poses as a pointer of Git LFS, with a pattern that libgit2 reads otherwise than git",
       [](Scene& s) {
         include_pointer(s, kVersion + "y[i] = 2.5f * x[i]; /*\n" + decoy(s) + "*/\n");
         s.repo.write(".gitattributes", "!nothing filter=lfs\n");
       },
       kWrong, wrong},
      {"a wrong header that Git LFS is to keep is a pointer to git-lfs alone, and not by its specification",
       [](Scene& s) {
         include_pointer(s, kVersion + decoy(s) + "\n");
         s.repo.write(".gitattributes", "*.inc filter=lfs\n");
       },
       std::string("kernels/scale/kernel.toml: \"") + kHeader +
           "\" has the attribute filter=lfs and reads almost like a pointer of Git LFS; what a checkout makes of it "
           "depends on the version of git-lfs; let git-lfs write it: git add --renormalize " +
           kHeader},
      {"a kernel is right as long as no checkout has expanded its $Id$",
       [](Scene& s) {
         s.repo.write(kSource, by_word("$Id$", 5));
         s.repo.write(".gitattributes", "scale.cu ident\n");
       },
       ident},
      {"a kernel is right as long as no checkout has expanded its $Id$, in a CI job that has",
       [](Scene& s) {
         s.repo.write(kSource, by_word("$Id$", 5));
         s.repo.write("kernels/.gitattributes", "[attr]plain text\nscale/scale.* ident\n");
         s.commit();
         s.repo.remove(kSource);
         s.git({"checkout", "-q", "--", kSource});
       },
       ident,
       {.place = Place::github_pull_request}},
      {"a kernel is right as long as no archive has expanded its $Format$",
       [](Scene& s) {
         s.repo.write(kSource, by_word("$Format:%H$", 12));
         s.repo.write(".gitattributes", "scale.cu export-subst\n");
       },
       refusal(
           "attribute export-subst, by which every archive expands its $Format$: what is built from one is not what "
           "is judged",
           "export-subst")},
      {"a kernel goes through a filter that only the builders' machines have",
       [](Scene& s) { s.repo.write(".gitattributes", "scale.cu filter=expand\n"); },
       refusal("filter \"expand\" (.gitattributes), a program, which kgate does not run", "filter")},
      {"a kernel's checkout has another encoding",
       [](Scene& s) { s.repo.write(".gitattributes", "scale.cu working-tree-encoding=UTF-7\n"); },
       refusal("working-tree-encoding \"UTF-7\" (.gitattributes), which kgate does not convert",
               "working-tree-encoding")},
      {"what attributes say depends on the version of git",
       [](Scene& s) { s.repo.write(".gitattributes", "*.cu filter=lfs" + std::string(2048, ' ') + "\n"); },
       ".gitattributes:1: is so long a line that only some versions of git read it; "
       "write "
       "it plainly, for kgate and git alike"},
  };
}
