#include "gate/verdict/check/sanitizing.h"

#include <algorithm>
#include <iterator>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/sanitize/command.h"
#include "gate/sanitize/report.h"
#include "gate/verdict/check/observed_run.h"
#include "gate/verdict/subject/case_data.h"

namespace kgate::verdict {
namespace {

constexpr const char* kLineInfo = "-lineinfo";
constexpr std::uint64_t kMostOfReport = 64u << 20;

std::string text_in(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(file, ignored)) return {};
  return std::string(text_of(read_file(file, kMostOfReport)));
}

std::vector<const cases::CaseSpec*> cases_to_sanitize(const Subject& subject, const std::string& backend) {
  auto all = cases_for(subject, backend);
  std::vector<const cases::CaseSpec*> chosen;
  std::copy_if(all.begin(), all.end(), std::back_inserter(chosen),
               [](const auto* one) { return one->role != cases::CaseRole::performance; });
  return chosen.empty() ? all : chosen;
}

std::string place_of(const sanitize::Finding& finding) {
  if (finding.file.empty()) return {};
  return fmt::format("{}:{}: ", finding.file, finding.line);
}

std::string words_of(const sanitize::Finding& finding) {
  return fmt::format("{}: {}{}{}", finding.tool, place_of(finding), finding.what,
                     finding.count > 1 ? fmt::format(" ({} times)", finding.count) : "");
}

class Sanitizer {
 public:
  Sanitizer(const Subject& subject, const Artifact& code, const SanitizeOptions& options)
      : subject_(subject), code_(code), options_(options) {
    for (const auto& [path, content] : subject.candidate.files) files_.push_back(path);
  }

  Sanitized run() {
    for (const std::string& tool : sanitize::tools()) {
      for (const auto* one : cases_to_sanitize(subject_, options_.child.backend)) {
        if (options_.on_case) options_.on_case(fmt::format("{}: {}", tool, one->name));
        if (look(tool, *one)) break;
      }
    }
    return std::move(found_);
  }

 private:
  // True where the tool found an error.
  bool look(const std::string& tool, const cases::CaseSpec& one) {
    const TemporaryFolder folder("kgate-observed-", options_.scratch);
    const auto log = folder.path() / "report";
    std::string fault = execute(tool, one, folder.path(), log);
    sanitize::Report report = sanitize::read_report(text_in(log), tool, files_);
    bool error = false;
    for (auto& finding : report.findings) {
      finding.kernel = subject_.name;
      finding.case_name = one.name;
      error = error || finding.severity == "error";
      found_.findings.push_back(std::move(finding));
    }
    if (error) return true;
    if (!report.trouble.empty()) {
      const std::string printed = first_line(text_in(folder.path() / runner::kObserverOutput));
      fault = report.trouble + (printed.empty() ? "" : "; it printed: " + printed) +
              (fault.empty() ? "" : "; the child: " + fault);
    }
    if (!fault.empty() && found_.trouble.empty())
      found_.trouble = fmt::format("{}: case \"{}\": {}", tool, one.name, fault);
    return false;
  }

  // What went wrong; a fault of the kernel's is one that the tool should have explained.
  std::string execute(const std::string& tool, const cases::CaseSpec& one, const std::filesystem::path& folder,
                      const std::filesystem::path& log) const {
    ObservedRun run{&subject_, &one, code_, options_.child, options_.seed, options_.threads};
    run.child.observer = runner::Observer{sanitize::launcher(options_.program, tool, log), folder};
    run.start_limit_s = options_.start_limit_s;
    run.run_limit_s = options_.run_limit_s;
    run.end_limit_s = options_.end_limit_s;
    return run_observed(run);
  }

  static std::string first_line(const std::string& text) {
    const auto begin = text.find_first_not_of(" \r\n");
    if (begin == std::string::npos) return {};
    return text.substr(begin, text.find('\n', begin) - begin).substr(0, 200);
  }

  const Subject& subject_;
  const Artifact& code_;
  const SanitizeOptions& options_;
  std::vector<std::string> files_;
  Sanitized found_;
};

}  // namespace

std::vector<Artifact> compile_with_lines(const std::vector<const Subject*>& subjects, const CompilerOptions& options) {
  std::vector<cases::SourceSet> sets;
  sets.reserve(subjects.size());
  std::vector<Source> sources;
  for (const Subject* subject : subjects) {
    sets.push_back(subject->candidate.spec.sources);
    auto& own = sets.back().options;
    if (std::find(own.begin(), own.end(), kLineInfo) == own.end()) own.emplace_back(kLineInfo);
    sources.push_back(
        {&sets.back(), &subject->candidate.files, cases::entries_of(cases::version_of(subject->candidate.spec))});
  }
  std::vector<Artifact> artifacts = compile_all(sources, options);
  for (std::size_t i = 0; i < artifacts.size(); ++i) {
    if (sets[i].kind != "cuda" || artifacts[i]->status != runner::Compiled::Status::ok) artifacts[i] = nullptr;
  }
  return artifacts;
}

Sanitized sanitize_kernel(const Subject& subject, const Artifact& code, const SanitizeOptions& options) {
  return Sanitizer(subject, code, options).run();
}

void add_sanitized(KernelResult& kernel, const Sanitized& sanitized) {
  for (const auto& finding : sanitized.findings) {
    if (finding.severity != "error") {
      kernel.warnings.push_back(fmt::format("case \"{}\": {}", finding.case_name, words_of(finding)));
      continue;
    }
    const auto one = std::find_if(kernel.cases.begin(), kernel.cases.end(),
                                  [&](const auto& result) { return result.name == finding.case_name; });
    if (one == kernel.cases.end()) continue;
    if (one->verdict == Verdict::wrong) {
      one->reason += "; " + words_of(finding);
    } else {
      one->verdict = Verdict::wrong;
      one->reason = words_of(finding);
    }
  }
}

}  // namespace kgate::verdict
