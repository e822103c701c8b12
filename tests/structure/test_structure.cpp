#include <string>
#include <vector>

#include "base/file.h"
#include "tests/structure/house.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::structure;

namespace {

using Found = std::vector<std::string>;

// A small house with the files that a test puts there.
class Planted {
 public:
  void write(const std::string& path, const std::string& content) { write_file_atomic(folder_.path() / path, content); }
  Found includes() const { return wrong_includes(FolderTree(folder_.path()), {"gate/cli/version.h"}); }
  Found reads() const { return environment_reads(FolderTree(folder_.path())); }

 private:
  TemporaryFolder folder_{"kgate-test"};
};

}  // namespace

TEST_CASE("every include points to its own folder or to a floor below") {
  const FolderTree tree(KGATE_SOURCE_DIR);
  CHECK(house_files(tree) > 50);
  CHECK(wrong_includes(tree, {"gate/cli/version.h"}) == Found{});
}

TEST_CASE("only the command line reads environment variables") {
  CHECK(environment_reads(FolderTree(KGATE_SOURCE_DIR)) == Found{});
}

TEST_CASE("an include that points up or sideways is found, with its file and line") {
  Planted house;
  house.write("base/error.h", "#pragma once\n");
  house.write("runner/client.h", "#include \"base/error.h\"\n#include <vector>\n");
  house.write("runner/cuda/backend.cpp", "#include \"runner/client.h\"\n");
  house.write("gate/trust/keys.h", "");
  house.write("gate/cases/job.cpp",
              "#include \"runner/client.h\"\n  #  include \"gate/trust/keys.h\"  // same floor\n");
  house.write("gate/cli/main.cpp", "#include \"gate/trust/keys.h\"\n#include \"gate/cli/version.h\"\n");
  house.write("base/json.cpp", "\n#include \"runner/client.h\"\n");
  CHECK(house.includes() ==
        Found{
            "base/json.cpp:2: base (floor 0) includes \"runner/client.h\" (runner, floor 2)",
            "gate/cases/job.cpp:2: gate/cases (floor 3) includes \"gate/trust/keys.h\" (gate/trust, floor 3)",
        });
}

TEST_CASE("an include that names no folder of the house or no file is found") {
  Planted house;
  house.write("base/a.h", "#include \"b.h\"\n#include \"base/none.h\"\n#include \"tests/support/catch.h\"\n");
  house.write("gate/other/x.cpp", "#include \"base/a.h\"\n");
  CHECK(
      house.includes() ==
      Found{
          "base/a.h:1: includes \"b.h\", which names no folder of the house; write its path from the project's root",
          "base/a.h:2: includes \"base/none.h\", which is not there",
          "base/a.h:3: includes \"tests/support/catch.h\", which names no folder of the house; write its path from the "
          "project's root",
          "gate/other/x.cpp:1: lies in no folder of the house",
      });
}

TEST_CASE("a read of an environment variable is found, except in the command line") {
  Planted house;
  house.write("gate/cli/main.cpp", "auto x = std::getenv(\"HOME\");\n");
  house.write("base/a.cpp", "// getenv() is not used\nauto x = ::getenv(\"HOME\");\n");
  house.write("runner/b.cpp", "extern char** environ;\n");
  CHECK(house.reads() == Found{"base/a.cpp:2: auto x = ::getenv(\"HOME\");", "runner/b.cpp:1: extern char** environ;"});
}
