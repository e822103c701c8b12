#include "base/file_tree.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/read_descriptor.h"

// What lies in the tree is the author's of the change, so every name in it may be an attack: a link to a key, a FIFO
// that never answers, a path that climbs out. Checking a name first and opening it afterwards would leave a gap between
// the two. So the kernel resolves the whole path under the rules (openat2); where it is too old for that, each segment
// is opened by itself without following links.
namespace kgate {
namespace {

std::vector<std::string> split(const std::string& path) {
  std::vector<std::string> segments(1);
  for (const char c : path) {
    if (c == '/') {
      segments.emplace_back();
    } else {
      segments.back() += c;
    }
  }
  return segments;
}

// `path` is normal (join_beneath); "" is the root itself. An empty descriptor leaves errno.
UniqueFd open_by_segments(int root, const std::string& path, int flags) {
  const std::vector<std::string> segments = split(path);
  UniqueFd folder;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const int at = folder ? folder.get() : root;
    const bool last = i + 1 == segments.size();
    const int how = last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC;
    UniqueFd next(::openat(at, segments[i].empty() ? "." : segments[i].c_str(), how | O_NOFOLLOW));
    if (!next && errno == ENOTDIR) {
      // With O_DIRECTORY a link is told apart from a file only by looking at it.
      struct stat status {};
      const bool link =
          ::fstatat(at, segments[i].c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(status.st_mode);
      errno = link ? ELOOP : ENOTDIR;
    }
    if (!next) return next;
    folder = std::move(next);
  }
  return folder;
}

UniqueFd open_beneath(int root, const std::string& path, int flags) {
  open_how how{};
  how.flags = static_cast<std::uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS;
  // EAGAIN: something was renamed meanwhile, so that the kernel cannot be sure.
  for (int attempt = 0; attempt < 64; ++attempt) {
    const long fd = ::syscall(SYS_openat2, root, path.empty() ? "." : path.c_str(), &how, sizeof(how));
    if (fd >= 0) return UniqueFd(static_cast<int>(fd));
    if (errno == ENOSYS || errno == EPERM)
      return open_by_segments(root, path, flags);  // an old kernel, or an old container's filter
    if (errno != EAGAIN && errno != EINTR) break;
  }
  return {};
}

[[noreturn]] void cannot_open(const std::string& path, int why) {
  if (why == ELOOP) {
    throw Error(ErrorKind::untrusted, path, "is a symbolic link, or lies behind one", "put the file itself there");
  }
  if (why == ENXIO) throw Error(ErrorKind::usage, path, "is no regular file");  // a socket
  throw system_error(path, "cannot be opened", why);
}

// No file has a name that is too long to be asked for.
bool absent(int why) {
  return why == ENOENT || why == ENOTDIR || why == ENAMETOOLONG;
}

unsigned char type_of(int folder, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat status {};
  if (::fstatat(folder, entry.d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  if (S_ISREG(status.st_mode)) return DT_REG;
  return S_ISDIR(status.st_mode) ? DT_DIR : DT_UNKNOWN;
}

struct Listing {
  std::vector<std::string> files, folders;
};

Listing list_one(UniqueFd fd, const std::string& folder) {
  const std::string subject = folder.empty() ? "." : folder;
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(fd.get()), ::closedir);
  if (!stream) throw system_error(subject, "cannot be listed", errno);
  fd.release();  // the stream's now
  Listing found;
  while (true) {
    errno = 0;
    const dirent* entry = ::readdir(stream.get());
    if (entry == nullptr && errno != 0) throw system_error(subject, "cannot be listed", errno);
    if (entry == nullptr) return found;
    const std::string path = folder.empty() ? entry->d_name : folder + "/" + entry->d_name;
    const unsigned char type = type_of(::dirfd(stream.get()), *entry);
    if (type == DT_REG) found.files.push_back(path);
    if (type == DT_DIR && entry->d_name[0] != '.') found.folders.push_back(path);
  }
}

// '*' and '?' within one segment: on a mismatch only the last star needs to give way, so the time is the product of the
// lengths.
bool segment_match(const std::string& pattern, const std::string& text) {
  std::size_t p = 0, t = 0, star = std::string::npos, taken = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      taken = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string::npos) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace

std::vector<FileTree::LeftOut> FileTree::left_out(const std::string&) const {
  return {};
}

FolderTree::FolderTree(const std::filesystem::path& root)
    : root_(root), folder_(::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC)) {
  if (!folder_) throw system_error(root.string(), "cannot be opened as a folder", errno);
}

std::optional<Bytes> FolderTree::read(const std::string& path, std::uint64_t max_bytes) const {
  const UniqueFd fd = open_beneath(folder_.get(), join_beneath("", path), open_flags_for_reading());
  if (!fd && absent(errno)) return std::nullopt;
  if (!fd) cannot_open(path, errno);
  return read_descriptor(fd.get(), path, max_bytes);
}

std::vector<std::string> FolderTree::list(const std::string& folder) const {
  // A worklist, not a recursion: a deep tree holds neither stack nor descriptors.
  std::vector<std::string> files, pending{folder.empty() ? "" : join_beneath("", folder)};
  while (!pending.empty()) {
    const std::string next = std::move(pending.back());
    pending.pop_back();
    UniqueFd fd = open_beneath(folder_.get(), next, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (!fd && absent(errno)) continue;
    if (!fd) cannot_open(next.empty() ? root_.string() : next, errno);
    Listing found = list_one(std::move(fd), next);
    files.insert(files.end(), found.files.begin(), found.files.end());
    pending.insert(pending.end(), found.folders.begin(), found.folders.end());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string FolderTree::description() const {
  return "working tree " + root_.string();
}

std::string join_beneath(const std::string& folder, const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::usage, "path", "is empty", "name a file");
  if (path.front() == '/')
    throw Error(ErrorKind::usage, path, "is an absolute path", "name it relative to the file that uses it");
  if (path.find('\0') != std::string::npos) {
    throw Error(ErrorKind::usage, path.substr(0, path.find('\0')),
                "is followed by a zero byte, which no path may hold");
  }
  std::vector<std::string> kept;
  for (const std::string& segment : split(fmt::format("{}/{}", folder, path))) {
    if (segment.empty() || segment == ".") continue;
    if (segment != "..") {
      kept.push_back(segment);
      continue;
    }
    if (kept.empty())
      throw Error(ErrorKind::usage, path, "leaves the repository", "keep what a kernel needs inside it");
    kept.pop_back();
  }
  std::string joined;
  for (const std::string& segment : kept) joined += joined.empty() ? segment : "/" + segment;
  return joined;
}

std::string parent_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

bool glob_match(const std::string& pattern, const std::string& path) {
  const std::vector<std::string> patterns = split(pattern), segments = split(path);
  std::size_t p = 0, s = 0, stars = std::string::npos, taken = 0;
  while (s < segments.size()) {
    if (p < patterns.size() && patterns[p] == "**") {
      stars = p++;
      taken = s;
    } else if (p < patterns.size() && segment_match(patterns[p], segments[s])) {
      ++p;
      ++s;
    } else if (stars != std::string::npos) {
      p = stars + 1;
      s = ++taken;
    } else {
      return false;
    }
  }
  while (p < patterns.size() && patterns[p] == "**") ++p;
  return p == patterns.size();
}

}  // namespace kgate
