#include "gate/report/page/headline.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/report/attribution_text.h"
#include "gate/report/differences.h"
#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/meaning.h"
#include "gate/report/page/markup.h"
#include "gate/report/reproduce.h"

namespace kgate::report {
namespace {

using verdict::KernelResult;
using verdict::Verdict;

constexpr std::size_t kMostFindings = 8, kMostLines = 8, kMostWarnings = 20;
constexpr std::size_t kReasonColumns = 400, kLongestCommand = 8000;

std::string item(const std::string& markup) {
  return "<li>" + markup + "</li>\n";
}

// Of a remedy: lines that begin with blanks are commands.
std::string with_commands(const std::string& text) {
  std::string words, markup;
  const auto flush = [&] {
    if (!words.empty()) markup += "<p>" + escaped(words, 1000) + "</p>\n";
    words.clear();
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("  ")) {
      flush();
      markup += "<pre class=\"command\">" + escaped(line.substr(2), 1000) + "</pre>\n";
    } else {
      words += (words.empty() ? "" : " ") + line;
    }
  }
  flush();
  return markup;
}

std::string slower_by(const Row& row) {
  const auto& time = *row.time;
  return fmt::format("{} since {}, {} → {}\u00a0µs", change(time.ratio, time.low, time.high),
                     escaped(since(*row.kernel->kernel, time.against)), microseconds(time.before_us),
                     microseconds(time.candidate_us));
}

// Whose verdict is a matter of the time that the row shows: not of what the toolkit or the machine did to both sides.
bool told_by_time(const Row& row) {
  const KernelResult& kernel = *row.kernel->kernel;
  const auto is_ours = [](const std::string& cause) { return cause == "change" || cause == "creep"; };
  const bool ours = kernel.causes.empty() || std::any_of(kernel.causes.begin(), kernel.causes.end(), is_ours);
  return row.time && ((kernel.verdict == Verdict::regressed && ours) || kernel.verdict == Verdict::suspect ||
                      kernel.verdict == Verdict::inconclusive);
}

// The beginning of what the compiler said; the whole of it is in the kernel's section.
std::string first_lines(const std::string& log) {
  std::size_t end = 0;
  for (std::size_t line = 0; line < kMostLines && end < log.size(); ++line)
    end = std::min(log.find('\n', end), log.size() - 1) + 1;
  return block_of(log.substr(0, end));
}

}  // namespace

const Row* Headline::worst_of(const Entry& entry) const {
  const auto of_it = [&](const Row& row) { return row.kernel == &entry && row.one != nullptr; };
  const auto bad = std::find_if(rows_.begin(), rows_.end(),
                                [&](const Row& row) { return of_it(row) && row.verdict == entry.kernel->verdict; });
  return bad == rows_.end() ? nullptr : &*bad;
}

std::string Headline::title() const {
  std::string text = fmt::format("kgate: {}", verdict::name_of(decisive(result_)));
  if (!kernels_.empty() && !verdict::passes(kernels_.front().kernel->verdict)) text += ": " + kernels_.front().name;
  return text;
}

// Which kernel, which case, how much, since what.
std::string Headline::short_finding(const Entry& entry) const {
  const KernelResult& kernel = *entry.kernel;
  const Row* const worst = worst_of(entry);
  std::string text = fmt::format("<b>{}</b>", entry.name);
  if (worst == nullptr) return text + ": " + escaped(kernel.reason, kReasonColumns);
  text += fmt::format(", case <b>{}</b>: ", escaped(worst->one->name, 80));
  if (told_by_time(*worst)) return text + slower_by(*worst);
  return text + escaped(worst->one->reason.empty() ? kernel.reason : worst->one->reason, kReasonColumns);
}

std::string Headline::words() const {
  const auto blocking = std::count_if(kernels_.begin(), kernels_.end(), [](const Entry& one) { return one.blocks; });
  if (blocking > 0) {
    std::string text = short_finding(kernels_.front());
    if (blocking > 1)
      text += fmt::format("; and {} more {}", count(static_cast<std::size_t>(blocking - 1), "kernel"),
                          blocking == 2 ? "blocks" : "block");
    return text;
  }
  const bool found = !kernels_.empty() && !verdict::passes(kernels_.front().kernel->verdict);
  if (result_.exit_code == 0 && !verdict::passes(result_.verdict))
    return fmt::format("the profile {} does not block on what was found{}", escaped(result_.profile, 40),
                       found ? ": " + short_finding(kernels_.front()) : "");
  if (result_.exit_code != 0 && !result_.reason.empty()) return escaped(result_.reason, kReasonColumns);
  return escaped(meaning_of(result_, decisive(result_)));
}

std::string Headline::sentence() const {
  const Verdict verdict = decisive(result_);
  // What the profile does not block on is no alarm.
  const bool quiet = result_.exit_code == 0 && tone_of(verdict) == Tone::bad;
  std::string facts = fmt::format("exit code {}: {}", result_.exit_code, escaped(meaning_of(result_, verdict)));
  if (result_.exit_code == 0 && !verdict::passes(result_.verdict)) facts = "exit code 0";
  facts += fmt::format(". {}", count(result_.kernels.size(), "kernel"));
  std::map<Verdict, std::size_t, std::greater<>> counts;
  for (const KernelResult& kernel : result_.kernels) ++counts[kernel.verdict];
  std::vector<std::string> parts;
  for (const auto& [one, number] : counts) parts.push_back(fmt::format("{} {}", number, verdict::name_of(one)));
  if (!parts.empty()) facts += ": " + list(parts);
  facts += fmt::format(". Profile {}", escaped(result_.profile, 40));
  if (!result_.backend.empty()) facts += ", backend " + escaped(result_.backend, 40);
  if (!result_.device_name.empty()) facts += ", " + escaped(result_.device_name, 80);
  if (!result_.source_commit.empty()) {
    facts += ", commit " + short_hash(result_.source_commit);
    if (result_.source_dirty) facts += " with changes that are not committed";
  }
  if (!result_.source_base.empty()) facts += ", compared with " + short_hash(result_.source_base);
  if (result_.shard_total > 1) facts += fmt::format(", shard {} of {}", result_.shard_index, result_.shard_total);
  if (!result_.started.empty()) facts += ", " + escaped(result_.started, 40);
  return fmt::format("<h1 class=\"{}\">{} <span class=\"words\">{}</span></h1>\n<p class=\"dim\">{}.</p>\n",
                     quiet ? "doubtful" : tone_class(verdict), badge(verdict), words(), facts);
}

std::string Headline::finding(const Entry& entry) const {
  const KernelResult& kernel = *entry.kernel;
  std::string text =
      fmt::format("<article>\n<h3>{} <a href=\"#{}\">{}</a></h3>\n<ul>\n", badge(kernel.verdict), entry.id, entry.name);
  const Row* const worst = worst_of(entry);
  if (worst != nullptr) text += item(short_finding(entry));
  const bool told = worst != nullptr && kernel.reason == "case \"" + worst->one->name + "\": " + worst->one->reason;
  // The judge's own words say what is tolerated.
  const std::string& reason = told ? worst->one->reason : kernel.reason;
  if (!reason.empty() && (worst == nullptr || told_by_time(*worst) || !told))
    text += item(escaped(reason, kReasonColumns));
  if (!kernel.causes.empty()) text += item("what did it: <b>" + escaped(list(kernel.causes)) + "</b>");
  for (const verdict::Comparison& one : kernel.comparisons) {
    if (!one.timed()) continue;
    text += item(fmt::format("all timed cases, since {}: {}", escaped(since(kernel, one.against)),
                             change(one.ratio, one.low, one.high)));
  }
  if (kernel.attribution) {
    for (const std::string& line : attribution_lines(*kernel.attribution)) text += item(escaped(line, 600));
  }
  if (kernel.verdict == Verdict::regressed || kernel.verdict == Verdict::suspect) {
    const auto lines = differences_of(kernel);
    for (std::size_t i = 0; i < std::min(lines.size(), kMostLines); ++i) text += item(escaped(lines[i], 300));
    if (lines.size() > kMostLines)
      text += item(fmt::format("<a href=\"#{}\">{} more</a>", entry.id, lines.size() - kMostLines));
  }
  text += "</ul>\n";
  if (kernel.code.empty() && kernel.reason.find(kernel.compiler_log) == std::string::npos)
    text += first_lines(kernel.compiler_log);
  const std::string remedy = is_interrupted(result_) ? "" : with_commands(remedy_of(kernel, result_));
  if (!remedy.empty()) text += "<div class=\"remedy\"><h4>What to do</h4>\n" + remedy + "</div>\n";
  return text + "</article>\n";
}

std::string Headline::what_blocks() const {
  std::string text;
  std::size_t told = 0, blocking = 0;
  for (const Entry& entry : kernels_) {
    if (!entry.blocks) continue;
    ++blocking;
    if (told == kMostFindings) continue;
    ++told;
    text += finding(entry);
  }
  if (blocking == 0) return {};
  if (blocking > told) text += fmt::format("<p>And {} more: below.</p>\n", count(blocking - told, "kernel"));
  return "<section>\n<h2>What blocks, and why</h2>\n" + text + "</section>\n";
}

// What passes, and takes another time than when it was accepted.
std::string Headline::elsewhere() const {
  std::string text;
  std::size_t told = 0;
  for (const Entry& entry : kernels_) {
    const KernelResult& kernel = *entry.kernel;
    if (!verdict::passes(kernel.verdict) || !kernel.attribution || !is_telling(*kernel.attribution)) continue;
    if (told++ == kMostFindings) break;
    text += item(fmt::format("not by this change: <a href=\"#{}\">{}</a>: {}", entry.id, entry.name,
                             escaped(list(attribution_lines(*kernel.attribution)), 600)));
  }
  return text;
}

std::string Headline::warnings() const {
  std::string text;
  std::size_t told = 0;
  const auto warn = [&](const std::string& markup) {
    if (told++ < kMostWarnings) text += item("warning: " + markup);
  };
  for (const std::string& one : result_.warnings) warn(escaped(one, 600));
  for (const Entry& entry : kernels_) {
    for (const std::string& one : entry.kernel->warnings) warn(entry.name + ": " + escaped(one, 600));
  }
  if (told > kMostWarnings) text += item(fmt::format("{} more: result.json", count(told - kMostWarnings, "warning")));
  return text;
}

std::string Headline::what_else() const {
  std::string text;
  std::size_t told = 0, found = 0;
  for (const Entry& entry : kernels_) {
    const KernelResult& kernel = *entry.kernel;
    const bool preapproved = kernel.verdict == Verdict::preapproved;
    if (entry.blocks || (verdict::passes(kernel.verdict) && !preapproved)) continue;
    if (++found > kMostFindings) continue;
    ++told;
    text += item(fmt::format(
        "{} <a href=\"#{}\">more</a>: {}", badge(kernel.verdict), entry.id,
        preapproved ? "<b>" + entry.name + "</b>: " + escaped(kernel.reason, kReasonColumns) : short_finding(entry)));
  }
  if (found > told) text += item(fmt::format("and {} more, below", count(found - told, "kernel")));
  text += elsewhere() + warnings();
  if (text.empty()) return {};
  return "<section>\n<h2>What else was found</h2>\n<ul>\n" + text + "</ul>\n</section>\n";
}

std::string Headline::again() const {
  const std::string command = reproduce(result_);
  if (command.empty()) return {};
  const std::string head = "<section>\n<h2>Run it again, with the same inputs</h2>\n";
  if (command.size() > kLongestCommand)  // half a command is none
    return head +
           "<p>The command is too long for this page; <code>kgate report result.json</code> prints "
           "it.</p>\n</section>\n";
  return head + "<pre class=\"command\" tabindex=\"0\">" + escaped(command, kLongestCommand) + "</pre>\n</section>\n";
}

}  // namespace kgate::report
