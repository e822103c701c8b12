#include "tests/attacks/honest_repository.h"

#include <fstream>

#include "base/digest.h"
#include "base/file.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/repository.h"
#include "gate/verdict/subject/subject.h"
#include "tests/attacks/git.h"
#include "tests/attacks/honest_files.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

Keyring approvers() {
  return Keyring({{key_of(Who::approver).public_key(), "keys/approver.pub.pem", {"accept"}, {}, {}},
                  {key_of(Who::former_approver).public_key(), "keys/former_approver.pub.pem", {"accept"}, {}, {}}},
                 {});
}

void fill(const Folder& repo) {
  for (const auto& [path, content] : honest_files()) repo.write(path, content);
  sign_cases(repo, "kernels/scale");
  sign_cases(repo, "kernels/wide");
}

void accept_all(const Folder& repo) {
  const auto accept = [&](const char* kernel, const char* time, Who who, std::vector<std::string> classes,
                          const std::string& release = "") {
    Draft draft = draft_of(repo, kernel, time, classes);
    draft.record.release = release;
    append_record(repo.root(), draft, who, false);
  };
  repo.write("kernels/scale/scale.cu", kCoarseScale);
  accept("kernels/scale", "2020-01-01T00:00:00Z", Who::former_approver, {"class A"});
  accept("kernels/wide", "2020-02-01T00:00:00Z", Who::former_approver, {"class A"});
  repo.write("kernels/scale/scale.cu", kScale);
  accept("kernels/scale", "2021-01-01T00:00:00Z", Who::approver, {"class A"});
  accept("kernels/wide", "2021-02-01T00:00:00Z", Who::approver, {"class B"});
  accept("kernels/scale", "2021-03-01T00:00:00Z", Who::approver, {"class A", "class B"}, "v1.0");
}

// The clone and its origin as git would make them, with few processes: this is done for every test.
TemporaryFolder make() {
  TemporaryFolder folder("kgate-attacks");
  const Folder all(folder.path()), repo(folder.path() / "work");
  std::filesystem::create_directories(repo.root());
  run_git(repo.root(), {"init", "-q", "-b", "main", "--template="});
  fill(repo);
  run_git(repo.root(), {"add", "-A"});
  run_git(repo.root(), {"commit", "-q", "-m", "honest"});
  accept_all(repo);
  copy_git_folder(repo.at(".git"), all.at("origin.git"));
  all.replace("origin.git/config", "bare = false", "bare = true");
  // The address holds in a copy of both.
  repo.write(".git/config", repo.read(".git/config") +
                                "[remote \"origin\"]\n\turl = ../origin.git\n\tfetch = "
                                "+refs/heads/*:refs/remotes/origin/*\n");
  repo.move(".git/refs/heads/kgate", ".git/refs/remotes/origin/kgate");
  repo.copy(".git/refs/heads/main", ".git/refs/remotes/origin/main");
  repo.copy(".git/refs/heads/main", ".git/refs/heads/change");
  repo.write(".git/HEAD", "ref: refs/heads/change\n");
  return folder;
}

}  // namespace

void copy_git_folder(const std::filesystem::path& from, const std::filesystem::path& to) {
  namespace fs = std::filesystem;
  fs::create_directories(to / "objects" / "info");
  for (const auto& entry : fs::directory_iterator(from)) {
    if (entry.path().filename() != "objects")
      fs::copy(entry.path(), to / entry.path().filename(), fs::copy_options::recursive);
  }
  std::ofstream(to / "objects" / "info" / "alternates") << (from / "objects").string() << '\n';
}

const std::filesystem::path& honest_repository() {
  static const TemporaryFolder folder = make();
  return folder.path();
}

Draft draft_of(const Folder& repo, const std::string& folder, const std::string& time,
               const std::vector<std::string>& classes) {
  const FolderTree tree(repo.root());
  const std::string path = folder + "/kernel.toml";
  const auto version = verdict::read_version(tree, path);
  Draft draft;
  const auto store = [&](std::string_view text) {
    const std::string digest = digest_of(view_of(text));
    draft.objects[digest] = bytes_of(text);
    return digest;
  };
  Record& record = draft.record;
  const auto cases = statement_of(repo, folder);
  record.kernel = cases.kernel;
  record.time = time;
  record.commit = std::string(40, 'a');
  record.path = path;
  record.content = "sha256:" + version.digest;
  record.files[path] = store(version.toml);
  for (const auto& [name, content] : version.files) record.files[name] = store(text_of(content));
  record.cases_digest = "sha256:" + cases.files.at("cases.toml");
  record.cases_revision = cases.revision;
  record.reason = "it is right";
  for (const auto& name : classes) {
    Measurement one;
    one.device_class = name;
    one.backend = "cuda";
    one.device_name = "a GPU of " + name;
    one.architecture = "sm_90";
    one.toolkit = "13.0";
    one.code = store("machine code of " + version.digest);
    one.fingerprint = store("{}\n");
    one.cases["timed"] = {10, 24, 2, 30, "graph", store("times on " + name)};
    record.measurements.push_back(one);
  }
  return draft;
}

LedgerEntry append_record(const std::filesystem::path& repository, const Draft& draft, Who who, bool push) {
  AppendOptions options;
  options.push = push;
  return append(Repository::open(repository.string()), GitProgram(repository, git_environment()), approvers(), options,
                draft, [&](Envelope& envelope) { add_signature(envelope, key_of(who)); });
}
