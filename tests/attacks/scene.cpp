#include "tests/attacks/scene.h"

#include <chrono>
#include <ctime>
#include <sstream>

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "base/process.h"
#include "base/utc.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/statement.h"
#include "tests/attacks/git.h"
#include "tests/attacks/honest_files.h"
#include "tests/attacks/honest_repository.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

constexpr const char* kLedger = "kgate/ledger";
constexpr std::chrono::seconds kLimit{100};

// What a program prints, until it ends; `on_compile` once it prints that it compiles.
class Watched {
 public:
  explicit Watched(ProcessOptions options) {
    int ends[2];
    REQUIRE(::pipe2(ends, O_CLOEXEC) == 0);
    reading_ = UniqueFd(ends[0]);
    const UniqueFd writing(ends[1]);
    options.descriptors = {{writing.get(), 1}, {writing.get(), 2}};
    process_ = Process::start(options);
  }

  std::string read(const std::function<void()>& on_compile) {
    const auto end = std::chrono::steady_clock::now() + kLimit;
    std::string output;
    bool told = false;
    while (true) {
      pollfd watched{reading_.get(), POLLIN, 0};
      const auto left =
          std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now()).count();
      // A hang is one of the answers that an attacker may hope for.
      REQUIRE(left > 0);
      if (::poll(&watched, 1, static_cast<int>(left)) <= 0) continue;
      char buffer[4096];
      const auto got = ::read(reading_.get(), buffer, sizeof buffer);
      if (got <= 0) return output;
      output.append(buffer, static_cast<std::size_t>(got));
      if (told || output.find("compile: ") == std::string::npos) continue;
      told = true;
      on_compile();
    }
  }

  int code() {
    const auto status = process_.wait(std::chrono::milliseconds(kLimit));
    REQUIRE(status);
    return status->signal != 0 ? 128 + status->signal : status->code;
  }

 private:
  UniqueFd reading_;
  Process process_;
};

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(word);
  return words;
}

std::string replaced(std::string text, const std::string& old_text, const std::string& new_text) {
  for (auto at = text.find(old_text); at != std::string::npos; at = text.find(old_text, at + new_text.size()))
    text.replace(at, old_text.size(), new_text);
  return text;
}

}  // namespace

Scene::Scene() {
  const fs::path& honest = honest_repository();
  fs::create_directories(repo.root());
  for (const auto& entry : fs::directory_iterator(honest / "work")) {
    if (entry.path().filename() != ".git")
      fs::copy(entry.path(), repo.at(entry.path().filename()), fs::copy_options::recursive);
  }
  copy_git_folder(honest / "work" / ".git", repo.at(".git"));
  copy_git_folder(honest / "origin.git", origin.root());
}

std::string Scene::git(const std::vector<std::string>& arguments) const {
  return run_git(repo.root(), arguments);
}

void Scene::commit() const {
  git({"add", "-A"});
  git({"commit", "-q", "--allow-empty", "-m", "change"});
}

void Scene::settle(const std::string& time) const {
  git({"add", "-A"});
  run_git(repo.root(), {"commit", "-q", "--allow-empty", "-m", "merged"}, time);
  git({"push", "-q", "origin", "HEAD:main"});
}

void Scene::main_moves(const std::function<void(const Folder&)>& edit) const {
  const Folder main(folder_.path() / "main");
  git({"worktree", "add", "-q", "--detach", main.root().string(), "origin/main"});
  edit(main);
  run_git(main.root(), {"add", "-A"});
  run_git(main.root(), {"commit", "-q", "-m", "merged"});
  run_git(main.root(), {"push", "-q", "origin", "HEAD:main"});
}

void Scene::ledger(const std::function<void(const Folder&)>& edit, Ledger how) const {
  const Folder branch(folder_.path() / "ledger");
  git({"worktree", "add", "-q", "--detach", branch.root().string(), std::string("origin/") + kLedger});
  edit(branch);
  run_git(branch.root(), {"add", "-A"});
  std::vector<std::string> commit{"commit", "-q", "--allow-empty", "-m", "record"};
  if (how == Ledger::amended) commit.emplace_back("--amend");
  run_git(branch.root(), commit);
  point_ledger_at(run_git(branch.root(), {"rev-parse", "HEAD"}));
  git({"worktree", "remove", "--force", branch.root().string()});
}

void Scene::point_ledger_at(const std::string& revision) const {
  git({"push", "-q", "--force", "origin", revision + ":refs/heads/" + kLedger});
}

Record Scene::record(const Folder& ledger, const std::string& path) const {
  return record_from(unwrap(parse_envelope(ledger.read(path), path), kAcceptedPredicate, path), path);
}

void Scene::put(const Folder& ledger, const Record& record, Who who, const std::string& predicate) const {
  const std::string text = signed_by({who}, to_statement(record, predicate));
  const auto newest = this->record(ledger, kNewestFile).sequence;
  ledger.write(record_path(record.kernel, record.sequence), text);
  if (record.sequence >= newest) ledger.write(kNewestFile, text);
}

void Scene::plant_trace() const {
  repo.write("kernels/scale/scale.cu",
             "extern \"C\" int creat(const char*, unsigned);\n"
             "struct Trace { Trace() { creat(\"" +
                 trace().string() + "\", 0600); } };\nstatic Trace trace;\n" + kScale);
}

bool Scene::compiled_something() const {
  return fs::exists(cache()) && !fs::is_empty(cache());
}

void Scene::give_key(Who who) {
  const auto file = folder_.path() / "secret.pem";
  write_file_atomic(file, key_of(who).pem(""));
  fs::permissions(file, fs::perms::owner_read);
  secrets_["KGATE_KEY_FILE"] = file.string();
}

std::map<std::string, std::string> Scene::environment(Place place) const {
  auto all = git_environment();
  all["HOME"] = folder_.path().string();
  all.insert(secrets_.begin(), secrets_.end());
  if (place == Place::desk || place == Place::desk_without_ref) return all;
  const std::string head = git({"rev-parse", "HEAD"}), main = git({"rev-parse", "origin/main"});
  if (place == Place::github_pull_request || place == Place::github_push) {
    const bool pull = place == Place::github_pull_request;
    const Json event = pull ? Json{{"number", 12}, {"pull_request", {{"base", {{"sha", main}, {"ref", "main"}}}}}}
                            : Json{{"before", std::string(40, '0')}, {"repository", {{"default_branch", "main"}}}};
    const auto file = folder_.path() / "event.json";
    write_file_atomic(file, event.dump());
    all["GITHUB_ACTIONS"] = "true";
    all["GITHUB_EVENT_NAME"] = pull ? "pull_request" : "push";
    all["GITHUB_EVENT_PATH"] = file.string();
    all["GITHUB_REF"] = pull ? "refs/pull/12/merge" : "refs/heads/change";
    all["GITHUB_SHA"] = head;
  }
  if (place == Place::gitlab_merge_request) {
    all["GITLAB_CI"] = "true";
    all["CI_PIPELINE_SOURCE"] = "merge_request_event";
    all["CI_MERGE_REQUEST_IID"] = "7";
    all["CI_MERGE_REQUEST_TARGET_BRANCH_NAME"] = "main";
    all["CI_MERGE_REQUEST_DIFF_BASE_SHA"] = git({"merge-base", head, main});
    all["CI_COMMIT_SHA"] = head;
  }
  if (place == Place::other_ci) all["CI"] = "true";
  return all;
}

Scene::Answer Scene::kgate(const std::string& command, Place place, const std::function<void(Scene&)>& meanwhile) {
  const fs::path out = folder_.path() / "out";
  ProcessOptions options;
  options.command = {KGATE_BINARY};
  const auto words = words_of(command);
  options.command.insert(options.command.end(), words.begin(), words.end());
  const auto add = [&](std::vector<std::string> more) {
    options.command.insert(options.command.end(), more.begin(), more.end());
  };
  if (place == Place::desk) add({"--policy-ref", "origin/main"});
  add({"--out", out.string(), "--backend", "host", "--cache", cache().string()});
  options.environment = environment(place);
  options.folder = repo.root();
  Watched running(options);
  Answer answer;
  answer.output = running.read([&] {
    if (meanwhile) meanwhile(*this);
  });
  answer.code = running.code();
  if (fs::exists(out / "result.json")) answer.result = Json::parse(text_of(read_file(out / "result.json", 64 << 20)));
  return answer;
}

std::string Scene::fill(std::string answer) const {
  answer = replaced(answer, "{root}", repo.root().string());
  answer = replaced(answer, "{day}", utc_day(std::time(nullptr)));
  if (answer.find("{main}") != std::string::npos)
    answer = replaced(answer, "{main}", git({"rev-parse", "origin/main"}).substr(0, 10));
  return answer;
}
