#include "gate/search/session/agent_folder.h"

#include <system_error>

#include "base/error.h"

namespace kgate::search {
namespace {

constexpr std::uint64_t kMostBytes = 64u << 20;  // of one file

}  // namespace

AgentFolder::AgentFolder(const FileTree& base) {
  namespace fs = std::filesystem;
  for (const std::string& path : base.list(".kgate")) {
    const auto content = base.read(path, kMostBytes);
    if (!content) continue;
    const fs::path place = folder_.path() / path;
    std::error_code failed;
    fs::create_directories(place.parent_path(), failed);
    if (failed) throw system_error(place.parent_path().string(), "cannot be made", failed.value());
    write_file_atomic(place, text_of(*content));
    // Which files are programs is not known here; the folder is for this user alone.
    fs::permissions(place, fs::perms::owner_all, failed);
    if (failed) throw system_error(place.string(), "cannot be made executable", failed.value());
  }
}

}  // namespace kgate::search
