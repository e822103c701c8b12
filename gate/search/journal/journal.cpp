#include "gate/search/journal/journal.h"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"

namespace kgate::search::journal {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy = "give the search a folder of its own, or remove this one";

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
  return text.empty() ? "none" : text;
}

// A search goes on only where it was: with other proposers, or from another version, its figures would mean nothing.
void check_same(const Header& found, const Header& asked, const std::string& subject) {
  const auto differs = [&](const std::string& what, const std::string& then, const std::string& now) {
    throw Error(ErrorKind::usage, subject,
                fmt::format("is the journal of another search: {} {}, not {}", what, then, now), kRemedy);
  };
  if (found.kernel != asked.kernel) differs("of the kernel", kgate::quoted(found.kernel), kgate::quoted(asked.kernel));
  if (found.baseline != asked.baseline)
    differs("it began with the version", found.baseline.substr(0, 12), asked.baseline.substr(0, 12));
  if (found.policy != asked.policy)
    differs("under the policy and cases", found.policy.substr(0, 12), asked.policy.substr(0, 12));
  if (found.proposers != asked.proposers)
    differs("its proposers are", listed(found.proposers), listed(asked.proposers));
  if (found.prompts != asked.prompts)
    throw Error(ErrorKind::usage, subject, "is the journal of another search: its prompts are others", kRemedy);
}

UniqueFd open_alone(const fs::path& path) {
  UniqueFd fd(::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0644));
  if (!fd) throw system_error(path.string(), "cannot be opened for writing", errno);
  if (::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) return fd;
  if (errno != EWOULDBLOCK) throw system_error(path.string(), "cannot be locked", errno);
  throw Error(ErrorKind::environment, path.string(), "is being written by another search",
              "wait until it has ended, or give this one a folder of its own");
}

}  // namespace

Journal Journal::open(const fs::path& folder, const Header& header) {
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (failed) throw system_error(folder.string(), "cannot be made a folder", failed.value());
  Journal journal;
  journal.path_ = folder / "journal.jsonl";
  journal.fd_ = open_alone(journal.path_);
  journal.recorded_ = read_journal(journal.path_);
  journal.bytes_ = journal.recorded_.bytes;
  if (!journal.recorded_.empty()) check_same(journal.recorded_.header, header, journal.path_.string());
  if (::ftruncate(journal.fd_.get(), static_cast<off_t>(journal.bytes_)) != 0)
    throw system_error(journal.path_.string(), "cannot be cut to its whole lines", errno);
  if (journal.recorded_.empty()) {
    journal.append(header);
    journal.recorded_.header = header;
    // After a power cut its name must be there too; file systems that cannot promise it say so, and that is no failure.
    const UniqueFd opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (opened) ::fsync(opened.get());
  }
  return journal;
}

void Journal::check_free(const fs::path& folder) {
  std::error_code failed;
  const fs::path path = folder / "journal.jsonl";
  if (fs::symlink_status(path, failed).type() != fs::file_type::not_found) open_alone(path);
}

void Journal::append(const Line& line) {
  const std::string text = canonical_json(to_json(line)) + "\n";
  const auto give_up = [&](int why) {
    // What is there of the line would be torn in the middle once another one follows it.
    [[maybe_unused]] const int ignored = ::ftruncate(fd_.get(), static_cast<off_t>(bytes_));
    throw system_error(path_.string(), "cannot be written", why);
  };
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t written =
        ::pwrite(fd_.get(), text.data() + done, text.size() - done, static_cast<off_t>(bytes_ + done));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) give_up(errno);
    done += static_cast<std::size_t>(written);
  }
  if (::fsync(fd_.get()) != 0) give_up(errno);
  bytes_ += text.size();
}

}  // namespace kgate::search::journal
