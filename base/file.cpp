#include "base/file.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/philox.h"
#include "base/read_descriptor.h"
#include "base/unique_fd.h"

namespace kgate {
namespace fs = std::filesystem;

namespace {

[[noreturn]] void not_regular(const std::string& subject) {
  throw Error(ErrorKind::usage, subject, "is no regular file");
}

// Writes and closes.
void write_all(UniqueFd& fd, ByteView content, const std::string& subject) {
  while (!content.empty()) {
    const ssize_t written = ::write(fd.get(), content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_error(subject, "cannot be written", errno);
    content = content.subspan(static_cast<std::size_t>(written));
  }
  // Some file systems find out only now that the disk is full.
  if (::fsync(fd.get()) != 0) throw system_error(subject, "cannot be written", errno);
  if (::close(fd.release()) != 0 && errno != EINTR) throw system_error(subject, "cannot be written", errno);
}

// A file under construction beside its destination; gone again unless it was renamed.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const fs::path& destination)
      : subject_(destination.string()),
        path_(destination.parent_path() / fmt::format(".{}.{:016x}", destination.filename().string(), fresh_seed())),
        fd_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666)) {
    if (!fd_) throw system_error(subject_, "cannot be created", errno);
  }
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;
  ~UnfinishedFile() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(ByteView content) { write_all(fd_, content, subject_); }

  void rename_to(const fs::path& destination) {
    if (::rename(path_.c_str(), destination.c_str()) != 0) throw system_error(subject_, "cannot be replaced", errno);
    path_.clear();
  }

 private:
  std::string subject_;
  fs::path path_;
  UniqueFd fd_;
};

// After a power cut the new name must be there too. File systems that cannot do it for a folder say so; that is no
// failure of ours.
void sync_folder(const fs::path& folder) {
  const UniqueFd fd(::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (fd) ::fsync(fd.get());
}

// Folders that were made read-only (staged sources) cannot be emptied before they are writable again.
void make_removable(const fs::path& folder) {
  std::error_code ignored;
  fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow, ignored);
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    std::error_code unknown;
    if (fs::is_directory(entry->symlink_status(unknown))) make_removable(entry->path());
  }
}

}  // namespace

int open_flags_for_reading() {
  return O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;
}

Bytes read_descriptor(int fd, const std::string& subject, std::uint64_t max_bytes) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw system_error(subject, "cannot be read", errno);
  if (!S_ISREG(status.st_mode)) not_regular(subject);
  const auto too_large = [&](std::uint64_t size, const char* more) {
    return Error(ErrorKind::usage, subject,
                 fmt::format("has {} bytes{}; at most {} are allowed", size, more, max_bytes));
  };
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size > max_bytes) throw too_large(size, "");
  // The size is a guess: the file may grow meanwhile, and files in /proc say 0. One byte more than it shows the end
  // without another read.
  Bytes content(size + 1);
  std::size_t filled = 0;
  while (true) {
    if (filled == content.size()) content.resize(content.size() * 2);
    const ssize_t got = ::read(fd, content.data() + filled, content.size() - filled);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw system_error(subject, "cannot be read", errno);
    if (got == 0) break;
    filled += static_cast<std::size_t>(got);
    if (filled > max_bytes) throw too_large(filled, " or more");
  }
  content.resize(filled);
  return content;
}

Bytes read_file(const fs::path& path, std::uint64_t max_bytes) {
  const UniqueFd fd(::open(path.c_str(), open_flags_for_reading()));
  if (!fd && errno == ENXIO) not_regular(path.string());  // a socket
  if (!fd) throw system_error(path.string(), "cannot be opened", errno);
  return read_descriptor(fd.get(), path.string(), max_bytes);
}

void write_file_atomic(const fs::path& path, ByteView content) {
  const std::string subject = path.string();
  std::error_code failed;
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  if (failed) throw system_error(path.parent_path().string(), "cannot be made a folder", failed.value());
  // Neither followed nor replaced: a link that a change planted could lead anywhere, and renaming over /dev/null breaks
  // a machine.
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) {
    throw Error(ErrorKind::usage, subject,
                S_ISLNK(status.st_mode) ? "is a symbolic link" : "is there and is no regular file",
                "remove it, or choose another path");
  }
  UnfinishedFile file(path);
  file.write(content);
  file.rename_to(path);
  sync_folder(path.parent_path());
}

void create_file(const fs::path& path, std::string_view content, unsigned mode) {
  const std::string subject = path.string();
  UniqueFd fd(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, static_cast<mode_t>(mode)));
  if (!fd && errno == EEXIST)
    throw Error(ErrorKind::usage, subject, "is there already", "it is never replaced: choose another name");
  if (!fd) throw system_error(subject, "cannot be created", errno);
  try {
    write_all(fd, view_of(content), subject);
  } catch (...) {
    ::unlink(path.c_str());
    throw;
  }
  sync_folder(path.parent_path());
}

TemporaryFolder::TemporaryFolder(const std::string& prefix, const fs::path& parent) {
  std::error_code failed;
  const fs::path folder = parent.empty() ? fs::temp_directory_path(failed) : parent;
  if (failed) {
    throw Error(ErrorKind::environment, "folder for temporary files", "is not there: " + failed.message(),
                "set TMPDIR to a folder that is");
  }
  fs::create_directories(folder, failed);
  if (failed) throw system_error(folder.string(), "cannot be made a folder", failed.value());
  std::string name = (fs::absolute(folder) / (prefix + ".XXXXXX")).string();
  if (::mkdtemp(name.data()) == nullptr) {
    const int why = errno;
    throw system_error(folder.string(), "no temporary folder can be made in it", why);
  }
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  if (path_.empty()) return;
  std::error_code failed;
  fs::remove_all(path_, failed);
  if (!failed) return;
  make_removable(path_);
  fs::remove_all(path_, failed);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

}  // namespace kgate
