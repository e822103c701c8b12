#include "gate/trust/git_program.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <poll.h>

#include "base/error.h"
#include "base/process.h"
#include "gate/trust/push_remedy.h"

// git as a program, for the network. Three things make it fit for a gate: what it is told is a list of arguments and
// never a line for a shell; nothing of the repository's own runs along (hooks, garbage collection, submodules, signing
// of pushes); and every call ends, by itself or by a time limit. What a push came to is asked of the remote again where
// git only says that it failed: a connection that broke after the branch moved must not make a second record.
namespace kgate::trust {
namespace {

using std::chrono::seconds;

constexpr seconds kAskLimit{60}, kMoveLimit{600};
constexpr int kFetches = 5;
constexpr std::chrono::milliseconds kFetchPause{50};
constexpr std::uint64_t kMostOutput = 1u << 20;
constexpr std::size_t kSha1Digits = 40, kSha256Digits = 64;

// What points git to another repository than the one it is started in; set where kgate runs inside a hook.
constexpr std::array kElsewhere = {"GIT_DIR",          "GIT_WORK_TREE",  "GIT_INDEX_FILE",
                                   "GIT_COMMON_DIR",   "GIT_NAMESPACE",  "GIT_OBJECT_DIRECTORY",
                                   "GIT_SHALLOW_FILE", "GIT_GRAFT_FILE", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                                   "GIT_PREFIX"};

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    if (!line.empty()) lines.push_back(std::move(line));
    begin = end + 1;
  }
  return lines;
}

bool starts_with(const std::string& text, std::string_view beginning) {
  return text.compare(0, beginning.size(), beginning) == 0;
}

// "https://user:secret@host/x" -> "https://host/x": git leaves secrets out of most of its messages, not of all.
std::string without_credentials(std::string text) {
  for (std::size_t at = text.find("://"); at != std::string::npos; at = text.find("://", at + 3)) {
    const std::size_t end = text.find_first_of("/ '\"", at + 3);
    const std::size_t sign = text.rfind('@', end);
    if (sign != std::string::npos && sign > at) text.erase(at + 3, sign - at - 2);
  }
  return text;
}

// The line of git's output that says why: the first that it calls fatal or an error. What ssh says stands before git's
// own "could not read", which says less.
std::string reason_in(const std::string& output) {
  const std::vector<std::string> lines = lines_of(output);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::string_view mark : {"fatal: ", "error: "}) {
      if (!starts_with(lines[i], mark)) continue;
      const bool vague = lines[i] == "fatal: Could not read from remote repository." && i > 0;
      return without_credentials(vague ? lines[i - 1] : lines[i].substr(mark.size()));
    }
  }
  return lines.empty() ? "it says nothing" : without_credentials(lines.back());
}

// A name that git would take for an option, or for more than a name.
void require_name(const std::string& what, const std::string& name) {
  if (name.empty() || name.front() == '-' || name.find_first_of(" \t\r\n:+*?[\\^~") != std::string::npos) {
    throw Error(ErrorKind::usage, what + " \"" + name + "\"", "is no name that git can have",
                "name it without ':', '*', spaces and the like, and with no '-' in front");
  }
}

std::string tracking_ref(const std::string& remote, const std::string& branch) {
  return "refs/remotes/" + remote + "/" + branch;
}

// How the remote answered a push of one ref, from the line that --porcelain prints for it: "FLAG\tFROM:TO\tSUMMARY".
struct Answer {
  bool accepted = false;
  bool refused = false;  // neither: no such line, the push never came that far
  std::string summary;   // "[remote rejected] (failed to update ref)"
};
Answer answer_in(const std::string& output, const std::string& target) {
  for (const std::string& line : lines_of(output)) {
    const std::size_t to = line.find(":" + target + "\t");
    if (to == std::string::npos || line.size() < 2 || line[1] != '\t') continue;
    const bool refused = line[0] == '!';
    return {!refused, refused, line.substr(to + target.size() + 2)};
  }
  return {};
}

// The words of a server about a push: its own lines begin with "remote: ".
std::string words_of_server(const std::string& output) {
  for (const std::string& line : lines_of(output)) {
    for (const std::string_view mark : {"remote: error: ", "remote: fatal: ", "remote: "}) {
      if (starts_with(line, mark) && line.size() > mark.size()) return line.substr(mark.size());
    }
  }
  return {};
}

class Command {
 public:
  Command(const std::filesystem::path& repository, const std::map<std::string, std::string>& environment,
          const Interrupt* interrupt) {
    options_.folder = repository;
    options_.environment = environment;
    for (const char* name : kElsewhere) options_.environment.erase(name);
    options_.environment["GIT_TERMINAL_PROMPT"] = "0";
    options_.environment["LC_ALL"] = "C";
    options_.environment.erase("LANGUAGE");
    if (const auto path = environment.find("PATH"); path != environment.end()) options_.search_path = path->second;
    options_.command = {"git",
                        "-c",
                        "core.hooksPath=/dev/null",
                        "-c",
                        "gc.auto=0",
                        "-c",
                        "maintenance.auto=false",
                        "-c",
                        "core.filesRefLockTimeout=5000"};
    limits_.max_output = kMostOutput;
    limits_.interrupt = interrupt;
  }

  // Runs git; a call that overruns its time is an error, any other end is the caller's to judge.
  CommandResult run(const std::vector<std::string>& arguments, const std::string& what, seconds limit) {
    ProcessOptions options = options_;
    options.command.insert(options.command.end(), arguments.begin(), arguments.end());
    limits_.deadline = limit;
    CommandResult result = run_command(options, limits_);
    if (result.timed_out) {
      throw Error(ErrorKind::environment, what, fmt::format("did not end within {} s", limit.count()),
                  "see that it ends when you run it here, with the same user and without a terminal");
    }
    return result;
  }

 private:
  ProcessOptions options_;
  CommandLimits limits_;
};

}  // namespace

GitProgram::GitProgram(std::filesystem::path repository, std::map<std::string, std::string> environment,
                       const Interrupt* interrupt)
    : repository_(std::move(repository)), environment_(std::move(environment)), interrupt_(interrupt) {}

bool GitProgram::has_remote(const std::string& remote) const {
  require_name("remote", remote);
  Command git(repository_, environment_, interrupt_);
  const auto result = git.run({"config", "--get-all", "remote." + remote + ".url"}, "git config", kAskLimit);
  // 1: no such key. Anything else is a configuration or a repository that git does not read.
  if (result.status.ok()) return true;
  if (result.status.code == 1 && result.status.signal == 0) return false;
  throw Error(ErrorKind::environment, "git config remote." + remote + ".url", reason_in(result.output),
              "see that git works in " + repository_.string());
}

std::optional<std::string> GitProgram::remote_head(const std::string& remote, const std::string& branch) const {
  require_name("remote", remote);
  require_name("branch", branch);
  const std::string what = "git ls-remote " + remote;
  const std::string ref = "refs/heads/" + branch;
  Command git(repository_, environment_, interrupt_);
  const auto result = git.run({"ls-remote", "--refs", "--quiet", remote, ref}, what, kAskLimit);
  if (!result.status.ok()) {
    throw Error(ErrorKind::environment, what, reason_in(result.output),
                "see that git fetch " + remote + " works here, with the same user and credentials");
  }
  // A pattern finds every ref that ends in it, and warnings stand between the answers.
  for (const std::string& line : lines_of(result.output)) {
    const std::size_t tab = line.find('\t');
    if (tab == std::string::npos || line.substr(tab + 1) != ref) continue;
    const std::string commit = line.substr(0, tab);
    if (commit.find_first_not_of("0123456789abcdef") != std::string::npos) continue;
    if (commit.size() == kSha1Digits) return commit;
    if (commit.size() == kSha256Digits) {
      throw Error(ErrorKind::environment, what,
                  "the repository there has the object format sha256, which libgit2, by which kgate reads, cannot",
                  "keep it in a repository of the format sha1 (git init --object-format=sha1): records have SHA-256 "
                  "digests and signatures of their own");
    }
  }
  return std::nullopt;
}

void GitProgram::fetch(const std::string& remote, const std::string& branch) const {
  require_name("remote", remote);
  require_name("branch", branch);
  const std::string what = "git fetch " + remote + " " + branch;
  Command git(repository_, environment_, interrupt_);
  // A partial clone's filter would leave the records themselves out.
  const auto result = git.run({"fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-recurse-submodules",
                               "--no-filter", remote, "+refs/heads/" + branch + ":" + tracking_ref(remote, branch)},
                              what, kMoveLimit);
  if (result.status.ok()) return;
  const std::string reason = reason_in(result.output);
  const bool held = reason.find("cannot lock ref") != std::string::npos;
  throw Error(
      ErrorKind::environment, what, reason,
      held ? push_remedy(reason, branch, remote) : "see that it works here, with the same user and credentials");
}

GitProgram::Pushed GitProgram::push(const std::string& remote, const std::string& branch, const std::string& commit,
                                    const std::string& expected) const {
  require_name("remote", remote);
  require_name("branch", branch);
  const std::string what = "git push " + remote + " " + branch;
  const std::string target = "refs/heads/" + branch;
  Command git(repository_, environment_, interrupt_);
  const auto result = git.run({"push", "--porcelain", "--no-follow-tags", "--no-recurse-submodules", "--no-signed",
                               "--force-with-lease=" + target + ":" + expected, remote, commit + ":" + target},
                              what, kMoveLimit);
  const Answer answer = answer_in(result.output, target);
  // Where pushes go may not be where the branch is looked up. ssh for the ones and https for the others is common, so
  // only the branch itself tells.
  const std::string from = url_of(remote, false), to = url_of(remote, true);
  const auto elsewhere = [&](const std::string& fact) {
    return Error(
        ErrorKind::environment, what, fact,
        fmt::format("fetches of {0} come from {1} and pushes go to {2}: let both be one repository (git config "
                    "--unset-all remote.{0}.pushurl)",
                    remote, without_credentials(from), without_credentials(to)));
  };
  if (result.status.ok() && answer.accepted) {
    if (from != to && remote_head(remote, branch).value_or("") == expected)
      throw elsewhere("went to another repository");
    return Pushed::yes;
  }

  // Two pushes at the same moment: the server lets both begin and one end, and words it by its version. The branch
  // itself says which it was.
  const std::optional<std::string> now = remote_head(remote, branch);
  if (now == commit) return Pushed::yes;
  if (now.value_or("") != expected) return Pushed::moved;
  const std::string server = words_of_server(result.output);
  std::string fact = answer.refused ? answer.summary : reason_in(result.output);
  if (answer.refused && !server.empty()) fact += ": " + without_credentials(server);
  if (from != to && fact.find("(stale info)") != std::string::npos) throw elsewhere(fact);
  for (const std::string_view busy :
       {"cannot lock ref", "failed to update ref", "incorrect old value", "(stale info)"}) {
    if (fact.find(busy) != std::string::npos && fact.find("cannot create '") == std::string::npos) {
      return {Pushed::held, fact};
    }
  }
  throw Error(ErrorKind::environment, what, fact, push_remedy(fact, branch, remote));
}

std::string GitProgram::url_of(const std::string& remote, bool push) const {
  Command git(repository_, environment_, interrupt_);
  std::vector<std::string> arguments{"remote", "get-url", "--all"};
  if (push) arguments.emplace_back("--push");
  arguments.push_back(remote);
  const auto result = git.run(arguments, "git remote get-url " + remote, kAskLimit);
  return result.status.ok() ? result.output.substr(0, result.output.find('\n')) : std::string();
}

// By git and not by libgit2, whose compare and swap does not cover a ref that is not there yet: two that begin a branch
// at one moment would both succeed.
GitProgram::Pushed GitProgram::move(const std::string& ref, const std::string& commit,
                                    const std::string& expected) const {
  require_name("ref", ref);
  const std::string what = "git update-ref " + ref;
  const std::string none(commit.size(), '0');
  Command git(repository_, environment_, interrupt_);
  const auto result =
      git.run({"update-ref", "-m", "kgate", ref, commit, expected.empty() ? none : expected}, what, kAskLimit);
  if (result.status.ok()) return Pushed::yes;
  const std::string reason = reason_in(result.output);
  if (reason.find("cannot lock ref") != std::string::npos) {
    const auto now = git.run({"rev-parse", "--quiet", "--verify", ref}, what, kAskLimit);
    const std::vector<std::string> lines = lines_of(now.output);
    const bool same = (now.status.ok() && !lines.empty() ? lines.front() : "") == expected;
    if (!same) return Pushed::moved;
    if (reason.find("File exists") != std::string::npos) return {Pushed::held, reason};
    throw Error(ErrorKind::environment, what, reason, push_remedy(reason, ref, "this clone"));
  }
  throw Error(ErrorKind::environment, what, reason, "see that the repository's folder can be written");
}

void GitProgram::pause(std::chrono::milliseconds time) const {
  if (interrupt_ == nullptr) {
    std::this_thread::sleep_for(time);
    return;
  }
  pollfd watched{interrupt_->fd(), POLLIN, 0};
  ::poll(&watched, 1, static_cast<int>(time.count()));
  interrupt_->check();
}

}  // namespace kgate::trust
