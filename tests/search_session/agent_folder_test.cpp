#include "gate/search/session/agent_folder.h"

#include <filesystem>

#include "base/file.h"
#include "base/memory_tree.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
namespace fs = std::filesystem;

TEST_CASE("an agent works where the policy's commit's .kgate is, and nothing else of the repository") {
  const MemoryTree base({{".kgate/policy.toml", bytes_of("schema")},
                         {".kgate/agents/agent.sh", bytes_of("#!/bin/sh\necho hello\n")},
                         {"kernels/softmax/cases.toml", bytes_of("held back")},
                         {"README.md", bytes_of("text")}},
                        "a commit");
  fs::path place;
  {
    const AgentFolder folder(base);
    place = folder.path();
    CHECK(text_of(read_file(place / ".kgate/agents/agent.sh", 100)) == "#!/bin/sh\necho hello\n");
    CHECK((fs::status(place / ".kgate/agents/agent.sh").permissions() & fs::perms::all) == fs::perms::owner_all);
    CHECK(fs::exists(place / ".kgate/policy.toml"));
    CHECK_FALSE(fs::exists(place / "kernels"));
    CHECK_FALSE(fs::exists(place / "README.md"));
    CHECK((fs::status(place).permissions() & fs::perms::all) == fs::perms::owner_all);
  }
  CHECK_FALSE(fs::exists(place));
}
