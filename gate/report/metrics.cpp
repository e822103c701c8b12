#include "gate/report/metrics.h"

#include <array>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/meaning.h"
#include "gate/report/unique_names.h"

namespace kgate::report {
namespace {

using verdict::CaseResult;
using verdict::KernelResult;
using verdict::Result;
using verdict::Verdict;

constexpr std::array kVerdicts{Verdict::pass,      Verdict::faster,       Verdict::unchanged,   Verdict::preapproved,
                               Verdict::fresh,     Verdict::inconclusive, Verdict::environment, Verdict::missing,
                               Verdict::regressed, Verdict::suspect,      Verdict::wrong,       Verdict::untrusted};

using Labels = std::vector<std::pair<const char*, std::string>>;

std::string label_value(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '\\' || c == '"') result += '\\';
    result += c;
  }
  return result;
}

std::string number(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

class Writer {
 public:
  explicit Writer(const Result& result) : result_(result) {
    UniqueNames kernels;
    for (const KernelResult& kernel : result.kernels) {
      Named& named = kernels_.emplace_back(Named{&kernel, kernels.add(kernel.name), {}});
      UniqueNames cases;
      for (const CaseResult& one : kernel.cases) named.cases.emplace_back(&one, cases.add(one.name));
    }
  }

  std::string write() {
    run();
    kernels();
    cases();
    return text_ + "# EOF\n";
  }

 private:
  struct Named {
    const KernelResult* kernel;
    std::string name;
    std::vector<std::pair<const CaseResult*, std::string>> cases;
  };

  void family(const std::string& name, const char* type, const char* unit, const char* help) {
    text_ += fmt::format("# TYPE {} {}\n", name, type);
    if (*unit != '\0') text_ += fmt::format("# UNIT {} {}\n", name, unit);
    text_ += fmt::format("# HELP {} {}\n", name, help);
  }

  void sample(const std::string& name, const Labels& labels, double value) {
    text_ += name;
    for (std::size_t i = 0; i < labels.size(); ++i)
      text_ += fmt::format("{}{}=\"{}\"", i == 0 ? "{" : ",", labels[i].first, label_value(labels[i].second));
    text_ += (labels.empty() ? " " : "} ") + number(value) + "\n";
  }

  void states(const std::string& name, const Labels& labels, Verdict verdict) {
    for (const Verdict one : kVerdicts) {
      Labels all = labels;
      all.emplace_back(name.c_str(), verdict::name_of(one));
      sample(name, all, one == verdict ? 1 : 0);
    }
  }

  void run() {
    family("kgate_build", "info", "", "The kgate that wrote this, and where it ran.");
    sample("kgate_build_info",
           {{"version", short_name(result_.tool_version)},
            {"commit", short_name(result_.tool_commit)},
            {"backend", short_name(result_.backend)},
            {"device", short_name(result_.device_name)},
            {"profile", short_name(result_.profile)}},
           1);
    family("kgate_exit_code", "gauge", "", "Exit code of the run: 0 where nothing blocks.");
    sample("kgate_exit_code", {}, result_.exit_code);
    family("kgate_run_verdict", "stateset", "", "Verdict of the run.");
    states("kgate_run_verdict", {}, result_.verdict);
    family("kgate_phase_seconds", "gauge", "seconds", "What each part of the run took.");
    for (const auto& [phase, seconds] : {std::pair("compile", result_.compile_s), std::pair("check", result_.check_s),
                                         std::pair("time", result_.time_s), std::pair("wait", result_.wait_s)}) {
      sample("kgate_phase_seconds", {{"phase", phase}}, seconds);
    }
    family("kgate_run_seconds", "gauge", "seconds", "What the run took.");
    sample("kgate_run_seconds", {}, result_.total_s);
  }

  void kernels() {
    family("kgate_kernel_verdict", "stateset", "", "Verdict of each kernel.");
    for (const Named& one : kernels_) states("kgate_kernel_verdict", {{"kernel", one.name}}, one.kernel->verdict);
    family("kgate_kernel_blocks", "gauge", "", "1 where the kernel is a reason for the exit code.");
    for (const Named& one : kernels_) {
      const bool blocking = !verdict::passes(one.kernel->verdict) && blocks(*one.kernel, result_);
      sample("kgate_kernel_blocks", {{"kernel", one.name}}, blocking ? 1 : 0);
    }
    comparison("kgate_kernel_ratio", "Candidate over earlier time, weighted geometric mean over the kernel's cases.",
               &verdict::Comparison::ratio);
    comparison("kgate_kernel_low_ratio", "Lower bound of kgate_kernel_ratio.", &verdict::Comparison::low);
    comparison("kgate_kernel_high_ratio", "Upper bound of kgate_kernel_ratio.", &verdict::Comparison::high);
  }

  void comparison(const char* name, const char* help, double verdict::Comparison::*member) {
    family(name, "gauge", "ratio", help);
    for (const Named& one : kernels_) {
      UniqueNames versions;
      for (const verdict::Comparison& other : one.kernel->comparisons) {
        const std::string against = versions.add(other.against);
        if (other.timed()) sample(name, {{"kernel", one.name}, {"against", against}}, other.*member);
      }
    }
  }

  void cases() {
    family("kgate_case_verdict", "gauge", "", "1, with the verdict of the case as a label.");
    for_each_case([&](const CaseResult& one, const Labels& labels) {
      Labels all = labels;
      all.emplace_back("verdict", verdict::name_of(one.verdict));
      sample("kgate_case_verdict", all, 1);
    });
    timing("kgate_case_ratio", "ratio", "Candidate over earlier time of the case; 1.02 is 2 % slower.",
           &verdict::Timing::ratio, 1);
    timing("kgate_case_low_ratio", "ratio", "Lower bound of kgate_case_ratio.", &verdict::Timing::low, 1);
    timing("kgate_case_high_ratio", "ratio", "Upper bound of kgate_case_ratio.", &verdict::Timing::high, 1);
    timing("kgate_case_candidate_seconds", "seconds", "Time of the candidate.", &verdict::Timing::candidate_us, 1e-6);
    timing("kgate_case_base_seconds", "seconds", "Time of the version that it is compared with.",
           &verdict::Timing::base_us, 1e-6);
  }

  void timing(const char* name, const char* unit, const char* help, double verdict::Timing::*member, double factor) {
    family(name, "gauge", unit, help);
    for_each_case([&](const CaseResult& one, const Labels& labels) {
      if (one.time) sample(name, labels, (*one.time).*member * factor);
    });
  }

  template <typename Use>
  void for_each_case(Use&& use) {
    for (const Named& kernel : kernels_) {
      for (const auto& [one, name] : kernel.cases) use(*one, Labels{{"kernel", kernel.name}, {"case", name}});
    }
  }

  const Result& result_;
  std::vector<Named> kernels_;
  std::string text_;
};

}  // namespace

std::string write_metrics(const Result& result) {
  return Writer(result).write();
}

}  // namespace kgate::report
