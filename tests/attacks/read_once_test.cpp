#include <map>

#include "base/digest.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "gate/cases/sources.h"
#include "gate/verdict/subject/counted_cases.h"
#include "tests/attacks/honest_files.h"
#include "tests/attacks/signing.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

// The race without the race: a tree whose files are good when they are read for the first time, and bad ever after.

using namespace kgate;

namespace {

class Fickle : public FileTree {
 public:
  explicit Fickle(const Folder& folder) : folder_(folder.root()) {}

  std::optional<Bytes> read(const std::string& path, std::uint64_t max_bytes) const override {
    if (++reads[path] > 1) return bytes_of("swapped after the check");
    return folder_.read(path, max_bytes);
  }
  std::vector<std::string> list(const std::string& folder) const override { return folder_.list(folder); }
  std::string description() const override { return folder_.description(); }

  mutable std::map<std::string, int> reads;

 private:
  FolderTree folder_;
};

// kernels/scale, signed by the reviewer, on disk.
struct Signed {
  TemporaryFolder folder{"kgate-fickle"};
  Folder repo{folder.path()};
  trust::Keyring keys{{{key_of(Who::reviewer).public_key(), "keys/reviewer.pub.pem", {"cases"}, {}, {}}}, {}};

  Signed() {
    for (const auto& [path, content] : honest_files()) repo.write(path, content);
    sign_cases(repo, "kernels/scale");
  }
};

}  // namespace

TEST_CASE("what was checked is what is used: the files that a signature covers are read once") {
  const Signed honest;
  const auto tree = std::make_shared<const Fickle>(honest.repo);
  const auto found = trust::read_signed_cases(*tree, "kernels/scale/cases.toml", honest.keys, "2026-01-01");
  REQUIRE(found);
  const auto& files = *found->files;
  for (const auto& path : files.list("")) {
    INFO(path);
    CHECK(tree->reads.at(path) == 1);
    CHECK(text_of(*files.read(path, 1 << 20)) == honest.repo.read(path));
  }
  // Whatever is asked for later comes from memory.
  const auto spec =
      cases::parse_cases(text_of(*files.read("kernels/scale/cases.toml", 1 << 20)), "kernels/scale/cases.toml");
  const auto sources = cases::read_sources(spec.reference->sources, files, spec.path);
  CHECK(text_of(sources.at("kernels/scale/reference.cu")) == honest.repo.read("kernels/scale/reference.cu"));
  CHECK(tree->reads.at("kernels/scale/reference.cu") == 1);
}

TEST_CASE("cases.toml that is another one when its signature is checked is untrusted") {
  const Signed honest;
  const auto tree = std::make_shared<const Fickle>(honest.repo);
  // Found under one name, verified under another: whose override would it get?
  const std::string text = honest.repo.read("kernels/scale/cases.toml");
  verdict::CasesFile mine{cases::parse_cases(text, "kernels/scale/cases.toml"), sha256_hex("what was there before")};
  verdict::CasesQuestion question;
  question.working = tree;
  question.mine = &mine;
  question.keyring = &honest.keys;
  question.day = "2026-01-01";
  CHECK(
      error_of([&] { verdict::count_cases(question); }) ==
      "untrusted: kernels/scale/cases.toml: was changed while it was read; run kgate again where nothing else writes");
}
