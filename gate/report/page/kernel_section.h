#pragma once

#include <map>
#include <string>
#include <utility>

#include "gate/report/page/markup.h"
#include "gate/report/page/measured.h"
#include "gate/verdict/judge.h"

namespace kgate::report {

// The raw times by kernel and case.
using SampleIndex = std::map<std::pair<std::string, std::string>, const verdict::CaseSamples*>;

// All of them together may be so long. Every kernel has its cases before any has plots, diffs and logs.
struct SectionRooms {
  Room cases, evidence;
};

// All that the result says of one kernel, to be opened; open where it blocks. Nothing where no room is left.
class KernelSection {
 public:
  KernelSection(const verdict::Result& result, const SampleIndex& samples, SectionRooms& rooms)
      : result_(result), samples_(samples), rooms_(rooms) {}

  // The cases of one: to be asked for all kernels in order, first.
  std::string cases_of(const Entry& entry);
  // The whole section, with what cases_of answered.
  std::string write(const Entry& entry, const std::string& cases);

 private:
  void part(std::string& into, const char* heading, std::string markup);
  std::string head(const Entry& entry) const;
  std::string about(const Entry& entry) const;
  std::string plots(const Entry& entry) const;
  std::string findings(const Entry& entry) const;

  const verdict::Result& result_;
  const SampleIndex& samples_;
  SectionRooms& rooms_;
};

}  // namespace kgate::report
