#include "gate/report/bisection.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"

namespace kgate::report {
namespace {

using verdict::Bisection;
using verdict::Ratio;
using verdict::Side;
using verdict::Trouble;
using verdict::Visit;

constexpr std::size_t kShownSuspects = 30;

std::string short_of(const std::string& commit) {
  return commit.substr(0, 10);
}

std::string change_of(const Ratio& ratio) {
  return change(ratio.value, ratio.low, ratio.high);
}

// "slower", "wrong": what is said of the bad end.
std::string what(const Bisection& found) {
  switch (found.wanted.trouble) {
    case Trouble::regressed:
      return found.wanted.by_time ? "is slower" : "is over a limit";
    case Trouble::suspect:
      return "is suspect";
    case Trouble::wrong:
      return "is wrong";
    case Trouble::refused:
      return "is refused by the policy";
    case Trouble::uncompiled:
      return "does not compile";
    case Trouble::none:
    case Trouble::unknown:
      break;
  }
  return "";
}

// What a look found, in a few words.
std::string found_by(const Visit& look) {
  const auto& standing = look.standing;
  std::string text = standing.trouble == Trouble::uncompiled ? "does not compile" : verdict::name_of(standing.verdict);
  if (standing.ratio) text += "  " + change_of(*standing.ratio);
  if (!look.same_as.empty()) text += ", the machine code of " + short_of(look.same_as);
  const bool told = standing.reason.empty() || (standing.ratio && look.side != Side::unknown);
  if (!told && standing.reason != text) text += ": " + standing.reason;
  return one_line(text);
}

class Writer {
 public:
  Writer(const Bisection& found, const TextStyle& style) : found_(found), style_(style) {}

  std::string write() {
    headline();
    if (style_.quiet) return text_;
    if (found_.suspects.size() == 1) {
      culprit(found_.suspects.front());
    } else if (!found_.suspects.empty()) {
      suspects();
    }
    if (!found_.suspects.empty()) sides();
    results();
    elsewhere();
    remedy();
    std::string way = fmt::format("{} on the way, of which {} changed the kernel's files",
                                  count(found_.commits, "commit"), found_.changes);
    if (found_.unjudged != 0) way += fmt::format("; in {} of them it cannot be judged", found_.unjudged);
    line(fmt::format("{}; {} compiled, {}", way, count(found_.compiled, "version"),
                     count(found_.measurements, "measurement")));
    return text_;
  }

 private:
  void line(const std::string& text) { text_ += one_line(text) + "\n"; }
  std::string kernel() const { return one_line(found_.kernel); }
  std::string ends() const { return fmt::format("in {} beside {}", short_of(found_.bad.id), short_of(found_.good.id)); }

  void headline() {
    const auto verdict = found_.end.verdict;
    const auto tone = found_.finished ? tone_of(verdict) : Tone::doubtful;
    const std::string code = fmt::format(" (exit code {})", found_.exit_code);
    const auto head = [&](const std::string& word, const std::string& rest) {
      text_ += "kgate bisect: " + painted(word, tone, style_.color) + code + ": " + one_line(rest) + "\n";
    };
    if (!found_.finished) {
      head("not finished", found_.trouble);
      if (!what(found_).empty()) line(fmt::format("{} {} {}", kernel(), what(found_), ends()));
      return;
    }
    if (what(found_).empty()) {
      std::string rest = fmt::format("{} is neither slower nor wrong {}", kernel(), ends());
      if (found_.wanted.trouble == Trouble::unknown)
        rest = fmt::format("{} {} could not be measured: {}", kernel(), ends(), found_.end.reason);
      else if (!found_.end.reason.empty())
        rest += ": " + found_.end.reason;
      return head(found_.wanted.trouble == Trouble::none ? "nothing found" : verdict::name_of(verdict), rest);
    }
    head(verdict::name_of(verdict),
         fmt::format("{} {} since {}", kernel(), what(found_),
                     found_.suspects.size() == 1 ? short_of(found_.suspects.front().id)
                                                 : fmt::format("one of {}", count(found_.suspects.size(), "commit"))));
  }

  void culprit(const trust::CommitInfo& commit) {
    text_ += "\n";
    line("commit " + commit.id);
    line(fmt::format("author {}, {}", commit.author, commit.date));
    line("       " + commit.subject);
    text_ += "\n";
  }

  // All that is left, the oldest first, with why one could not be told.
  void suspects() {
    text_ += "\n";
    std::size_t shown = 0;
    for (const auto& commit : found_.suspects) {
      if (++shown > kShownSuspects) {
        line(fmt::format("  and {} more", found_.suspects.size() - kShownSuspects));
        break;
      }
      line(fmt::format("  {}  {}  {}", short_of(commit.id), commit.date.substr(0, 10), commit.subject));
      for (const auto& look : found_.looks) {
        if (look.commit.id == commit.id && look.side == Side::unknown) line("              " + found_by(look));
      }
    }
    text_ += "\n";
  }

  void sides() {
    const auto side = [&](const char* name, const std::optional<Visit>& look) {
      if (look) line(fmt::format("{:<7}{}  {}", name, short_of(look->commit.id), found_by(*look)));
    };
    side("before", found_.before);
    side("after", found_.after);
    if (!found_.step || !found_.after || !found_.after->standing.ratio) return;
    line(fmt::format("step   {:<10}  {}", "", change_of(*found_.step)));
    line(fmt::format("against {}, in {} {}", short_of(found_.good.id), found_.cases.size() == 1 ? "case" : "cases",
                     list(found_.cases)));
  }

  void elsewhere() {
    const auto command = [&](const std::string& from, const std::string& to) {
      return fmt::format("kgate bisect {} {} {}", short_of(from), short_of(to), word(found_.kernel));
    };
    if (!found_.inside_to.empty()) {
      line(fmt::format("it is a merge; to look inside of it: {}", command(found_.inside_from, found_.inside_to)));
    }
    for (const auto& other : found_.others) {
      line(fmt::format("it became slower elsewhere too, by {}: {}", change_of(other.slower),
                       command(other.from.id, other.to.id)));
    }
    if (found_.finished && found_.suspects.size() > 1)
      line("they cannot be told apart: those between could not be measured");
  }

  // Whole results, of those that there are; several commits may be known by one.
  void results() {
    std::vector<std::string> shown;
    const auto show = [&](const Visit& look) {
      if (look.result.empty() || std::find(shown.begin(), shown.end(), look.result) != shown.end()) return;
      shown.push_back(look.result);
      line(fmt::format("whole result of {}: kgate report {}",
                       short_of(look.same_as.empty() ? look.commit.id : look.same_as), word(look.result)));
    };
    if (found_.after) show(*found_.after);
    if (found_.before) show(*found_.before);
    if (!found_.after && !found_.looks.empty()) show(found_.looks.front());
  }

  // What there is to do where it did not come to one commit.
  void remedy() {
    const bool undecided = found_.exit_code == static_cast<int>(ExitCode::inconclusive);
    if (undecided)
      line(
          "the times are too noisy here: keep other work off the machine, raise [budget] seconds_per_case in the "
          "policy, or widen [zone]; kgate doctor --noise tells how small a slowdown can be seen");
    if (!found_.after || (found_.finished && !undecided)) return;
    const std::string from = found_.before ? found_.before->commit.id : found_.good.id;
    line(fmt::format("to go on: kgate bisect {} {} {}", short_of(from), short_of(found_.after->commit.id),
                     word(found_.kernel)));
  }

  const Bisection& found_;
  const TextStyle& style_;
  std::string text_;
};

}  // namespace

std::string write_visit(const Visit& look, std::size_t measurements) {
  const char* const side = look.side == Side::good ? "good" : look.side == Side::bad ? "bad" : "unknown";
  return fmt::format("{:>2}  {:<7}  {}  {}  ({})", look.measured ? fmt::format("{}", measurements) : "-", side,
                     short_of(look.commit.id), found_by(look), one_line(look.commit.subject));
}

std::string write_bisection(const Bisection& found, const TextStyle& style) {
  return Writer(found, style).write();
}

}  // namespace kgate::report
