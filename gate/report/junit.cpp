#include "gate/report/junit.h"

#include <cmath>
#include <vector>

#include <fmt/format.h>

#include "gate/report/differences.h"
#include "gate/report/findings.h"
#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/meaning.h"
#include "gate/report/place.h"
#include "gate/report/reproduce.h"
#include "gate/report/unique_names.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

constexpr std::size_t kWidest = 1000;      // columns of a line
constexpr std::size_t kMostLogLines = 60;  // of the compiler's

enum class Outcome { passed, failure, error, skipped };

struct Test {
  std::string name, type, message;
  Outcome outcome = Outcome::passed;
  double seconds = 0;
  std::vector<std::string> lines;  // beneath the message
};

struct Suite {
  std::string name;
  Place place;
  std::vector<Test> tests;
};

struct Counts {
  std::size_t tests = 0, failures = 0, errors = 0, skipped = 0;
  double seconds = 0;

  void add(const Test& test) {
    ++tests;
    failures += test.outcome == Outcome::failure ? 1 : 0;
    errors += test.outcome == Outcome::error ? 1 : 0;
    skipped += test.outcome == Outcome::skipped ? 1 : 0;
    seconds += test.seconds;
  }
  std::string attributes() const {
    return fmt::format("tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.9f}\"", tests, failures,
                       errors, skipped, seconds);
  }
};

// What a verdict is to a reader of tests.
Outcome outcome_of(Verdict verdict, bool blocks) {
  switch (verdict) {
    case Verdict::wrong:
    case Verdict::suspect:
    case Verdict::regressed:
      return blocks ? Outcome::failure : Outcome::skipped;
    case Verdict::untrusted:
      return Outcome::error;
    case Verdict::missing:
    case Verdict::environment:
    case Verdict::inconclusive:
      return blocks ? Outcome::error : Outcome::skipped;
    case Verdict::fresh:
      return blocks ? Outcome::error : Outcome::passed;
    default:
      return Outcome::passed;
  }
}

class Writer {
 public:
  explicit Writer(const Result& result) : result_(result) {}

  std::string write() {
    std::vector<Suite> suites;
    for (const KernelResult& kernel : result_.kernels) suites.push_back(suite_of(kernel));
    Suite run = run_suite(suites);
    if (!run.tests.empty()) suites.push_back(std::move(run));
    Counts all;
    for (const Suite& suite : suites) {
      for (const Test& test : suite.tests) all.add(test);
    }
    text_ = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    text_ += fmt::format("<testsuites name=\"kgate {}\" {}>\n", escaped(result_.verb), all.attributes());
    for (const Suite& suite : suites) write(suite);
    return text_ + "</testsuites>\n";
  }

 private:
  Suite suite_of(const KernelResult& kernel) {
    Suite suite{kernels_.add(kernel.name), place_of(kernel), {}};
    const bool blocking = blocks(kernel, result_);
    UniqueNames names;
    names.add("kernel");
    for (const CaseResult& one : kernel.cases)
      suite.tests.push_back(test_of(kernel, one, names.add(one.name), blocking));
    // Of a kernel that a case explains there is nothing to add.
    if (!kernel.cases.empty() && (verdict::passes(kernel.verdict) || told_by_case(kernel))) return suite;
    suite.tests.push_back(kernel_test(kernel, blocking));
    return suite;
  }

  Test test_of(const KernelResult& kernel, const CaseResult& one, const std::string& name, bool blocking) const {
    Test test{name, verdict::name_of(one.verdict), "", outcome_of(one.verdict, blocking), 0, {}};
    if (one.time && std::isfinite(one.time->candidate_us) && one.time->candidate_us > 0)
      test.seconds = one.time->candidate_us * 1e-6;
    if (verdict::passes(one.verdict) || one.verdict == Verdict::fresh) {
      // The kernel's own test has what makes a new one block.
      test.outcome = Outcome::passed;
      if (const auto times = beside(kernel, one)) test.lines.push_back(times_line(*times));
      return test;
    }
    // Slower, and accepted beforehand.
    if (verdict::passes(kernel.verdict)) {
      test.outcome = Outcome::passed;
      test.lines = {std::string(verdict::name_of(kernel.verdict)) + ": " + one_line(kernel.reason)};
    }
    test.message = case_message(kernel, one);
    if (const auto times = beside(kernel, one)) test.lines.push_back(times_line(*times));
    for (const std::string& mismatch : mismatch_lines(one)) test.lines.push_back(mismatch);
    if (test.outcome != Outcome::passed) explain(kernel, blocking, test);
    return test;
  }

  static std::string case_message(const KernelResult& kernel, const CaseResult& one) {
    std::string message = verdict::name_of(one.verdict);
    if (const std::string words = change_words(kernel, one); !words.empty()) message += " " + words;
    return one.reason.empty() ? message : message + ": " + one_line(one.reason);
  }

  static std::string times_line(const Beside& times) {
    return fmt::format("{} -> {} µs, {}{}", microseconds(times.before_us), microseconds(times.candidate_us),
                       change(times.ratio, times.low, times.high),
                       times.version.empty() ? "" : " against " + times.version);
  }

  Test kernel_test(const KernelResult& kernel, bool blocking) const {
    Test test{"kernel",
              verdict::name_of(kernel.verdict),
              verdict::name_of(kernel.verdict),
              outcome_of(kernel.verdict, blocking),
              0,
              {}};
    if (!kernel.reason.empty()) test.message += ": " + one_line(kernel.reason);
    if (is_interrupted(result_) && kernel.verdict == Verdict::environment) test.outcome = Outcome::skipped;
    if (test.outcome == Outcome::passed) return test;
    for (const verdict::Comparison& one : kernel.comparisons) {
      if (one.timed())
        test.lines.push_back(fmt::format("against {}: {}", version_words(one), change(one.ratio, one.low, one.high)));
    }
    explain(kernel, blocking, test);
    if (kernel.code.empty()) add_lines(kernel.compiler_log, test.lines);
    return test;
  }

  void explain(const KernelResult& kernel, bool blocking, Test& test) const {
    if (!blocking) test.lines.push_back("the profile " + one_line(result_.profile) + " does not block on it");
    if (kernel.verdict == Verdict::regressed || kernel.verdict == Verdict::suspect) {
      for (const std::string& one : differences_of(kernel)) test.lines.push_back(one);
    }
    if (!is_interrupted(result_)) add_lines("what to do: " + remedy_of(kernel, result_), test.lines);
    const std::string again = reproduce(result_, kernel);
    if (!again.empty()) test.lines.push_back("again: " + again);
  }

  static void add_lines(const std::string& text, std::vector<std::string>& lines) {
    if (text == "what to do: ") return;
    std::size_t left = 0, told = 0;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (told++ < kMostLogLines) {
        lines.push_back(text.substr(at, end - at));
      } else {
        ++left;
      }
      at = end + 1;
    }
    if (left > 0) lines.push_back(fmt::format("and {} more, in result.json", count(left, "line")));
  }

  // A run that ended for a reason that is no kernel's must not look green for want of tests.
  Suite run_suite(const std::vector<Suite>& suites) {
    Suite run{kernels_.add("kgate"), {}, {}};
    bool red = false;
    for (const Suite& suite : suites) {
      for (const Test& test : suite.tests)
        red = red || test.outcome == Outcome::failure || test.outcome == Outcome::error;
    }
    if (result_.exit_code == 0 || red) return run;
    Test test{"run",
              verdict::name_of(decisive(result_)),
              verdict::name_of(decisive(result_)) + after_verdict(result_),
              Outcome::error,
              0,
              {}};
    if (!result_.reason.empty()) test.lines.push_back(one_line(result_.reason));
    run.tests.push_back(std::move(test));
    return run;
  }

  void write(const Suite& suite) {
    Counts counts;
    for (const Test& test : suite.tests) counts.add(test);
    const std::string name = escaped(suite.name);
    text_ += fmt::format("  <testsuite name=\"{}\" {}", name, counts.attributes());
    if (!result_.started.empty()) text_ += fmt::format(" timestamp=\"{}\"", escaped(result_.started));
    text_ += ">\n";
    for (const Test& test : suite.tests) {
      text_ += fmt::format("    <testcase classname=\"{}\" name=\"{}\" time=\"{:.9f}\"", name, escaped(test.name),
                           test.seconds);
      if (!suite.place.file.empty())
        text_ += fmt::format(" file=\"{}\" line=\"{}\"", escaped(suite.place.file), suite.place.line);
      write_outcome(test);
    }
    text_ += "  </testsuite>\n";
  }

  void write_outcome(const Test& test) {
    if (test.outcome == Outcome::passed && test.lines.empty()) {
      text_ += "/>\n";
      return;
    }
    std::string body;
    for (const std::string& line : test.lines) body += (body.empty() ? "" : "\n") + escaped(line, kWidest);
    text_ += ">\n      ";
    if (test.outcome == Outcome::passed) {
      text_ += "<system-out>" + body + "</system-out>";
    } else if (test.outcome == Outcome::skipped) {
      // Readers show a skipped test's message alone.
      text_ += fmt::format("<skipped message=\"{}\"/>", escaped(test.message, kWidest));
      if (!body.empty()) text_ += "\n      <system-out>" + body + "</system-out>";
    } else {
      const char* const tag = test.outcome == Outcome::failure ? "failure" : "error";
      const std::string message = escaped(test.message, kWidest);
      text_ += fmt::format("<{} type=\"{}\" message=\"{}\">{}{}{}</{}>", tag, test.type, message, message,
                           body.empty() ? "" : "\n", body, tag);
    }
    text_ += "\n    </testcase>\n";
  }

  const Result& result_;
  UniqueNames kernels_;
  std::string text_;
};

}  // namespace

std::string write_junit(const Result& result) {
  return Writer(result).write();
}

}  // namespace kgate::report
