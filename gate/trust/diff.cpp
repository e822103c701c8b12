#include "gate/trust/diff.h"

#include <memory>

#include <git2.h>

#include "base/error.h"

namespace kgate::trust {

std::string unified_diff(const std::string& path, ByteView before, ByteView after) {
  if (text_of(before) == text_of(after)) return {};
  git_libgit2_init();
  const std::shared_ptr<void> library(nullptr, [](void*) { git_libgit2_shutdown(); });
  git_patch* raw = nullptr;
  git_buf text = GIT_BUF_INIT;
  const int made = git_patch_from_buffers(&raw, before.data(), before.size(), path.c_str(), after.data(), after.size(),
                                          path.c_str(), nullptr);
  const std::unique_ptr<git_patch, decltype(&git_patch_free)> patch(raw, git_patch_free);
  if (made != 0 || git_patch_to_buf(&text, patch.get()) != 0) {
    throw Error(ErrorKind::internal, path, "its two versions could not be compared");
  }
  std::string result(text.ptr, text.size);
  git_buf_dispose(&text);
  return result;
}

}  // namespace kgate::trust
