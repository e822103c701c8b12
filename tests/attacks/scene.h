#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "gate/trust/ledger_record.h"
#include "tests/attacks/folder.h"
#include "tests/attacks/signing.h"

// Where kgate runs: at somebody's desk, or in a CI job.
enum class Place { desk, desk_without_ref, github_pull_request, github_push, gitlab_merge_request, other_ci };

// One attack's own copy of the honest repository, and what people do there. It begins on the branch "change", equal to
// main.
class Scene {
  kgate::TemporaryFolder folder_{"kgate-scene"};

 public:
  Scene();

  const Folder repo{folder_.path() / "work"},
      origin{folder_.path() / "origin.git"};  // the clone; the bare repository that it is of

  std::string git(const std::vector<std::string>& arguments) const;
  // What lies in the clone is main's, at origin too; the change begins there.
  void settle(const std::string& time = "2019-01-01T00:00:00Z") const;
  // Somebody else merges into main, in a worktree of its own; the clone's refs follow, the change does not.
  void main_moves(const std::function<void(const Folder& main)>& edit) const;
  void commit() const;  // the change

  // The ledger at origin and as the clone knows it: `edit` works on its files, and its newest commit is replaced, or
  // another one is added.
  enum class Ledger { amended, extended };
  void ledger(const std::function<void(const Folder& ledger)>& edit, Ledger how = Ledger::amended) const;
  void point_ledger_at(const std::string& revision) const;  // another commit altogether
  kgate::trust::Record record(const Folder& ledger, const std::string& path) const;
  // A record as it is, signed; as the newest too, where there is none with a higher number.
  void put(const Folder& ledger, const kgate::trust::Record& record, Who who = Who::approver,
           const std::string& predicate = kgate::trust::kAcceptedPredicate) const;

  // The candidate's source of scale gets a constructor that leaves a file behind when its code is loaded.
  void plant_trace() const;
  bool traced() const { return std::filesystem::exists(trace()); }
  bool compiled_something() const;  // in run(), which keeps what it compiles

  // The private key that kgate gets, as a secret of the job.
  void give_key(Who who);

  struct Answer {
    int code = -1;       // 128 and more: a signal
    std::string output;  // stdout and stderr
    kgate::Json result;  // result.json; null: none
  };
  // "run scale", in the clone. `meanwhile` is done when kgate says that it compiles.
  Answer kgate(const std::string& command, Place place, const std::function<void(Scene&)>& meanwhile = {});

  // {base}, {main}, {day}: what differs from run to run in an answer.
  std::string fill(std::string answer) const;

 private:
  std::filesystem::path trace() const { return folder_.path() / "trace"; }
  std::filesystem::path cache() const { return folder_.path() / "cache"; }
  std::map<std::string, std::string> environment(Place place) const;

  std::map<std::string, std::string> secrets_;
};
