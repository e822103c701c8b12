#include "gate/report/meaning.h"

#include <algorithm>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"

namespace kgate::report {

using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

namespace {

bool has_preapproved(const Result& result) {
  return std::any_of(result.kernels.begin(), result.kernels.end(),
                     [](const KernelResult& kernel) { return kernel.verdict == Verdict::preapproved; });
}

}  // namespace

const char* meaning_of(const Result& result, Verdict verdict) {
  switch (static_cast<ExitCode>(result.exit_code)) {
    case ExitCode::pass:
      if (has_preapproved(result)) return "everything is right, and what is slower was accepted beforehand";
      if (result.verb == "bisect") return "it has nothing of what this bisection looks for";
      return result.verb == "check" ? "everything is right; a check times nothing"
                                    : "everything is right, and nothing is slower than the policy allows";
    case ExitCode::regressed:
      return "slower than the policy allows, or over a limit on resources or numerics";
    case ExitCode::wrong:
      return verdict == Verdict::suspect
                 ? "faster than the hardware can be, or only where inputs repeat"
                 : "wrong output, a crash, a hang, or code that does not compile or that the policy refuses";
    case ExitCode::inconclusive:
      return "this machine could not measure finely enough within the budget";
    case ExitCode::untrusted:
      return "a signature, a key, the policy or a record does not hold";
    case ExitCode::environment:
      return "this machine, or the state it is in, allows no verdict";
    case ExitCode::missing:
      if (result.kernels.empty()) return "nothing was selected";
      return verdict == Verdict::fresh ? "right, but neither the base nor the ledger knows it"
                                       : "a kernel or a case vanished";
    case ExitCode::usage:
      return "the command line or a file does not hold; nothing was decided";
    case ExitCode::internal:
      return "a defect of kgate's own; nothing was decided";
    case ExitCode::interrupted:
    case ExitCode::terminated:
      return "interrupted; what follows is incomplete";
  }
  return "not a code of kgate's";
}

bool is_interrupted(const Result& result) {
  const auto code = static_cast<ExitCode>(result.exit_code);
  return code == ExitCode::interrupted || code == ExitCode::terminated;
}

std::string word(const std::string& text) {
  const bool plain = !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == '/';
  });
  if (plain) return text;
  std::string quoted = "'";
  for (const char c : one_line(text)) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

namespace {

// The one kernel with this verdict; `otherwise` where there are several or none.
std::string only(const Result& result, Verdict verdict, const std::string& otherwise) {
  const auto is = [&](const KernelResult& kernel) { return kernel.verdict == verdict; };
  const auto& all = result.kernels;
  if (std::count_if(all.begin(), all.end(), is) != 1) return otherwise;
  return word(std::find_if(all.begin(), all.end(), is)->name);
}

bool caused_by(const KernelResult& kernel, const char* cause) {
  return std::find(kernel.causes.begin(), kernel.causes.end(), cause) != kernel.causes.end();
}

// One kernel went and another came.
std::string rename_remedy(const Result& result, const std::string& now, const std::string& before) {
  const auto any = [&](Verdict verdict) {
    return std::any_of(result.kernels.begin(), result.kernels.end(),
                       [&](const KernelResult& kernel) { return kernel.verdict == verdict; });
  };
  if (!any(Verdict::missing) || !any(Verdict::fresh)) return {};
  return fmt::format("\nor, if it was renamed:\n  kgate accept {} --renamed-from {} --reason TEXT", now, before);
}

}  // namespace

std::string remedy_of(const KernelResult& kernel, const Result& result) {
  const std::string name = word(kernel.name);
  switch (kernel.verdict) {
    case Verdict::wrong:
      if (kernel.reason.rfind("the policy refuses", 0) == 0) return "";  // and says what to do
      return kernel.code.empty() ? "make it compile"
                                 : "correct the kernel, or the cases if they ask for the wrong thing";
    case Verdict::suspect:
      return "find out where the time goes: what is faster only where inputs repeat remembers them; what beats the "
             "hardware does less than it should";
    case Verdict::regressed:
      if (!kernel.causes.empty() && !caused_by(kernel, "change") && !caused_by(kernel, "creep")) {
        return fmt::format(
            "nothing in the sources did it: {}; if that has to be lived with, an approver accepts it:\n  kgate accept "
            "{} --slower REASON",
            caused_by(kernel, "toolkit") ? "go back to the toolkit that it was accepted with, or find out what the new "
                                           "one does differently"
                                         : "look at the machine, with kgate doctor and kgate fingerprint",
            name);
      }
      return fmt::format(
          "make it as fast as before; if the cost is meant, an approver accepts it:\n  kgate accept {} --slower REASON",
          name);
    case Verdict::missing:
      if (kernel.reason.rfind("it was planned", 0) == 0) return "run its shard again, and merge the results of all";
      return fmt::format(
          "bring it back; if it is meant to go, an approver retires it:\n  kgate accept {} --retire --reason TEXT{}",
          name, rename_remedy(result, only(result, Verdict::fresh, "NEW"), name));
    case Verdict::environment:
      return "see kgate doctor for what this machine lacks";
    case Verdict::inconclusive:
      return "use a quieter machine, or raise [budget] in the policy";
    case Verdict::fresh:
      return fmt::format(
          "[baseline] new = \"pass\" lets new kernels in; else an approver accepts its first version:\n  kgate accept "
          "{} "
          "--reason TEXT{}",
          name, rename_remedy(result, name, only(result, Verdict::missing, "OLD")));
    default:  // what is untrusted says itself what to do
      return "";
  }
}

bool blocks(const KernelResult& kernel, const Result& result) {
  const auto& all = result.kernels;
  if (std::any_of(all.begin(), all.end(), [](const KernelResult& one) { return one.blocks; })) return kernel.blocks;
  // A run that ended early, or a result of an earlier kgate: the exit code tells.
  const ExitCode code = verdict::exit_code_of(kernel.verdict);
  if (code == ExitCode::wrong || code == ExitCode::untrusted) return true;  // whatever the profile says
  return code != ExitCode::pass && static_cast<int>(code) == result.exit_code;
}

Verdict decisive(const Result& result) {
  std::vector<Verdict> blocking;
  for (const KernelResult& kernel : result.kernels) {
    if (kernel.blocks) blocking.push_back(kernel.verdict);
  }
  return blocking.empty() ? result.verdict : verdict::worst(blocking);
}

}  // namespace kgate::report
