// Problem: the gate says that a release is slower, and a thousand commits lie behind it. Choice: a measurement is a run
// of the gate itself, the old version of a commit beside that of the good end, by today's policy and cases, so that it
// has the gate's statistics and no commit is judged by cases of its own. Machine code is compared before anything is
// measured. Rejected: to compare each commit with the one before it (a slow creep passes everywhere, and two
// measurements are needed for each), and to compare times of different processes (the drift of a GPU is larger than
// what is looked for).
#include "gate/verdict/bisect/bisect.h"

#include <algorithm>
#include <ctime>
#include <map>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/verdict/bisect/versions.h"
#include "gate/verdict/preparation.h"

namespace kgate::verdict {
namespace {

std::string short_of(const std::string& commit) {
  return commit.substr(0, 10);
}

class Bisector {
 public:
  Bisector(const BisectOptions& options, Progress& progress, Bisection& found)
      : options_(options), progress_(progress), found_(found), ready_(options.judge, progress, setting_) {}

  void run() {
    ready_.read_policy();
    read_way();
    if (versions_->kind(0) == versions_->kind(last()))
      return nothing("both commits have the same version of it; whether that is right was not asked");
    ready_.read_setting();
    ready_.watch.reset();  // every measurement has its own
    ready_.leave_device();  // and queues for the device: nobody waits for a whole bisection
    describe_setting();
    for (const std::size_t end : {std::size_t{0}, last()}) compile_end(end);
    if (versions_->kind(0) == versions_->kind(last()))
      return nothing("its machine code is the same in both commits; whether that is right was not asked");
    known_[versions_->kind(0)] = {{}, commit_of(0).id, ""};  // against itself
    measure_bad_end();
    if (found_.wanted.trouble == Trouble::none || found_.wanted.trouble == Trouble::unknown) {
      found_.finished = true;
      return;
    }
    search();
  }

 private:
  struct Known {
    Standing standing;
    std::string commit, result;
  };

  std::size_t last() const { return versions_->count() - 1; }
  const trust::Repository& repository() const { return *ready_.authority.repository; }
  std::string kernel() const { return options_.judge.selection.front(); }
  trust::CommitInfo commit_of(std::size_t version) const {
    return trust::read_commit(repository(), versions_->commits(version).front());
  }

  std::string resolved(const std::string& revision) const {
    if (auto commit = repository().resolve(revision)) return *commit;
    throw Error(ErrorKind::usage, fmt::format("revision \"{}\"", revision), "names no commit of this clone",
                repository().shallow() ? "fetch its history: git fetch --unshallow"
                                       : "give a branch, a tag or a commit that is here, or fetch it first");
  }

  void read_way() {
    found_.kernel = kernel();
    const auto& base = ready_.authority.base;
    found_.policy_commit = base.commit;
    found_.policy_ref = base.ref;
    good_ = resolved(options_.good);
    const std::string bad = resolved(options_.bad);
    if (good_ != bad && repository().merge_base(good_, bad) == bad) {
      throw Error(
          ErrorKind::usage, fmt::format("GOOD \"{}\"", options_.good),
          fmt::format("is newer than BAD \"{}\", which comes before it", options_.bad),
          fmt::format("give the older one first: kgate bisect {} {} {}", options_.bad, options_.good, kernel()));
    }
    const auto way = trust::first_parents(repository(), good_, bad);
    found_.good = trust::read_commit(repository(), good_);
    found_.bad = trust::read_commit(repository(), bad);
    found_.commits = way.size() - 1;
    const Subject today = read_today(ready_.authority, *ready_.ledger, kernel(), utc_day(std::time(nullptr)));
    found_.path = today.path;
    versions_.emplace(ready_.authority, today, way);
    found_.changes = versions_->changes();
    found_.unjudged = versions_->unjudged();
    for (const std::size_t end : {std::size_t{0}, last()}) {
      if (!versions_->past(end).version) throw no_end(end, versions_->past(end).why_not);
    }
  }

  Error no_end(std::size_t end, const std::string& fact) const {
    const std::string& commit = end == 0 ? found_.good.id : found_.bad.id;
    return {ErrorKind::usage, fmt::format("kernel \"{}\" in {}", kernel(), short_of(commit)), fact,
            end == 0 ? "give a later commit as the good one" : "give an earlier commit as the bad one"};
  }

  void describe_setting() {
    const Result& result = setting_.result;
    found_.backend = result.backend;
    found_.device_name = result.device_name;
    found_.device_class = result.device_class;
    found_.seed = result.seed;
    found_.tool_version = result.tool_version;
    found_.tool_commit = result.tool_commit;
    found_.warnings = result.warnings;
  }

  const runner::Compiled& compile(std::size_t version) {
    const auto& code = versions_->compile(version, ready_.compiler_options());
    found_.compiled = versions_->compiled();
    return code;
  }

  void compile_end(std::size_t end) {
    progress_.phase("compile", 1);
    progress_.step(short_of(commit_of(end).id));
    const auto& code = compile(end);
    if (code.status == runner::Compiled::Status::ok) return;
    if (code.status == runner::Compiled::Status::unsupported) {
      throw Error(ErrorKind::environment, fmt::format("kernel \"{}\" in {}", kernel(), short_of(commit_of(end).id)),
                  "cannot be compiled for this backend: " + code.log, "run kgate bisect where kgate run can judge it");
    }
    if (end == 0) throw no_end(end, "does not compile: " + code.log);
  }

  void nothing(const std::string& why) {
    found_.end.reason = why;
    found_.finished = true;
  }

  // ---- what is known of versions

  // Before anything of the bad end is known every case may be the slower one: its own run says which are.
  void measure_bad_end() {
    Visit look{commit_of(last()), Side::bad, {}, false, "", ""};
    if (const auto known = without_measuring(last())) {
      look.standing = *known;
    } else {
      const KernelResult kernel = measure(last(), false);
      found_.cases = slower_cases(kernel);
      look.standing = standing_of(kernel, found_.cases);
      look.measured = true;
      look.result = kept_;
    }
    found_.end = look.standing;
    found_.wanted = {look.standing.trouble, look.standing.trouble == Trouble::regressed && look.standing.ratio};
    if (found_.wanted.by_time) known_[versions_->kind(0)].standing.ratio = Ratio{};
    // Wrong outputs and limits are of a version alone: the good one may have them too.
    if (good_may_have_it()) known_.erase(versions_->kind(0));
    known_[versions_->kind(last())] = {look.standing, look.commit.id, look.result};
    if (look.standing.trouble == Trouble::none) look.side = Side::good;
    if (look.standing.trouble == Trouble::unknown) look.side = Side::unknown;
    tell(look);
  }

  bool good_may_have_it() const {
    const auto& wanted = found_.wanted;
    return wanted.trouble == Trouble::wrong || (wanted.trouble == Trouble::regressed && !wanted.by_time);
  }

  // What compiling says, or what was found of another version of its kind.
  std::optional<Standing> without_measuring(std::size_t version) {
    const auto& past = versions_->past(version);
    if (!past.version) return Standing{Trouble::unknown, Verdict::missing, past.why_not, std::nullopt};
    const auto& code = compile(version);
    if (code.status == runner::Compiled::Status::failed)
      return Standing{Trouble::uncompiled, Verdict::wrong, "does not compile", std::nullopt};
    if (code.status == runner::Compiled::Status::unsupported)
      return Standing{Trouble::unknown, Verdict::environment, code.log, std::nullopt};
    const auto known = known_.find(versions_->kind(version));
    return known == known_.end() ? std::nullopt : std::optional(known->second.standing);
  }

  KernelResult measure(std::size_t version, bool check_only) {
    const auto commit = commit_of(version);
    JudgeOptions one = options_.judge;
    // From now on by the commit that was found, whatever is fetched or committed meanwhile.
    one.base = {found_.policy_commit, good_, {}, {}, {}};
    one.fetch_ledger = false;
    one.candidate = commit.id;
    one.compare = {"base"};
    one.check_only = check_only;
    Judgement judgement;
    ++found_.measurements;
    judge(one, progress_, judgement);
    seal(judgement, nullptr, 0);
    kept_ = options_.on_measured ? options_.on_measured(commit, judgement) : "";
    return judgement.result.kernels.at(0);
  }

  Visit look_at(std::size_t version) {
    Visit look{commit_of(version), Side::unknown, {}, false, "", ""};
    progress_.phase("compile", 1);
    progress_.step(short_of(look.commit.id));
    if (const auto known = without_measuring(version)) {
      look.standing = *known;
      const auto place = known_.find(versions_->kind(version));
      if (place != known_.end() && look.standing.trouble != Trouble::uncompiled) {
        look.same_as = place->second.commit;
        look.result = place->second.result;
      }
      return look;
    }
    // Where outputs or limits are what is looked for, times say nothing.
    look.standing = standing_of(measure(version, good_may_have_it()), found_.cases);
    look.measured = true;
    look.result = kept_;
    known_[versions_->kind(version)] = {look.standing, look.commit.id, look.result};
    return look;
  }

  void tell(const Visit& look) {
    found_.looks.push_back(look);
    if (options_.on_visit) options_.on_visit(look);
  }

  // ---- the search

  void search() {
    Search search(versions_->count(), !good_may_have_it());
    std::map<std::size_t, Visit> looks{{last(), found_.looks.front()}};
    if (!good_may_have_it()) looks[0] = {found_.good, Side::good, known_[versions_->kind(0)].standing, false, "", ""};
    sum_up(search, looks);
    while (const auto version = search.next()) {
      if (options_.judge.interrupt != nullptr) options_.judge.interrupt->check();
      Visit look = look_at(*version);
      const Standing good = search.good() ? looks.at(*search.good()).standing : Standing{};
      look.side = side_of(look.standing, found_.wanted, good, looks.at(search.bad()).standing);
      search.put(*version, look.side);
      looks[*version] = look;
      sum_up(search, looks);
      tell(look);
    }
    if (search.bad() == 0) {
      found_.suspects.clear();
      throw Error(ErrorKind::usage, fmt::format("kernel \"{}\" in {}", kernel(), short_of(good_)),
                  fmt::format("is {} too: {}", name_of(looks.at(0).standing.verdict), looks.at(0).standing.reason),
                  "give an earlier commit as the good one");
    }
    found_.finished = true;
  }

  // What is known by now.
  void sum_up(const Search& search, const std::map<std::size_t, Visit>& looks) {
    const auto good = search.good();
    found_.suspects.clear();
    for (std::size_t i = good ? *good + 1 : 0; i <= search.bad(); ++i) {
      const auto commits = versions_->commits(i);
      // Nothing is known of the changes within a run of commits that cannot be judged.
      const std::size_t count = versions_->past(i).version ? 1 : commits.size();
      for (std::size_t n = 0; n < count; ++n) found_.suspects.push_back(trust::read_commit(repository(), commits[n]));
    }
    found_.before.reset();
    if (good) found_.before = looks.at(*good);
    found_.after = looks.at(search.bad());
    look_inside();
    if (found_.wanted.by_time && good) compare_stretches(*good, search.bad(), looks);
  }

  // What a merge brought is one step on this way; its own commits are another way.
  void look_inside() {
    found_.inside_from.clear();
    found_.inside_to.clear();
    if (found_.suspects.size() != 1 || found_.suspects.front().parents.size() < 2) return;
    const auto& parents = found_.suspects.front().parents;
    if (const auto fork = repository().merge_base(parents[0], parents[1])) {
      found_.inside_from = *fork;
      found_.inside_to = parents[1];
    }
  }

  // A slowdown of several steps: how large the one that was found is, and where the rest lies.
  void compare_stretches(std::size_t good, std::size_t bad, const std::map<std::size_t, Visit>& looks) {
    found_.step = rise(*looks.at(good).standing.ratio, *looks.at(bad).standing.ratio);
    found_.others.clear();
    const Visit* before = nullptr;
    for (const auto& [version, look] : looks) {
      if (!look.standing.ratio) continue;
      if (before != nullptr && version != bad) {
        const Ratio slower = rise(*before->standing.ratio, *look.standing.ratio);
        if (slower.low > 1) found_.others.push_back({before->commit, look.commit, slower});
      }
      before = &look;
    }
  }

  const BisectOptions& options_;
  Progress& progress_;
  Bisection& found_;
  Judgement setting_;
  Preparation ready_;
  std::string good_;
  std::optional<Versions> versions_;
  std::map<std::size_t, Known> known_;  // by kind
  std::string kept_;                    // where the last measurement lies
};

}  // namespace

void bisect(const BisectOptions& options, Progress& progress, Bisection& found) {
  Bisector(options, progress, found).run();
  conclude(found);
}

}  // namespace kgate::verdict
