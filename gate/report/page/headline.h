#pragma once

#include <string>
#include <vector>

#include "gate/report/page/measured.h"

namespace kgate::report {

// The page's beginning: the verdict in one sentence, what blocks and why, what to do, the command that repeats it.
class Headline {
 public:
  Headline(const verdict::Result& result, const std::vector<Entry>& kernels, const std::vector<Row>& rows)
      : result_(result), kernels_(kernels), rows_(rows) {}

  std::string title() const;  // of the document; markup, as all of it
  std::string sentence() const;
  std::string what_blocks() const;
  std::string what_else() const;
  std::string again() const;

 private:
  std::string words() const;
  const Row* worst_of(const Entry& entry) const;
  std::string finding(const Entry& entry) const;
  std::string short_finding(const Entry& entry) const;
  std::string elsewhere() const;
  std::string warnings() const;

  const verdict::Result& result_;
  const std::vector<Entry>& kernels_;
  const std::vector<Row>& rows_;
};

}  // namespace kgate::report
