#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>

#include "gate/verdict/result/progress.h"

namespace kgate::cli {

struct ProgressStyle {
  enum class Mode {
    bar,    // a terminal: one line that is redrawn, and a line that stays for each kernel
    plain,  // a CI log or a file: a line a phase and a line a kernel, nothing is redrawn
    quiet,  // warnings alone
  };
  Mode mode = Mode::plain;
  bool color = false;  // verdicts in colour; the caller has looked at the terminal, --no-color and NO_COLOR
  int width = 80;      // columns
};

// Progress for a person, on stderr. A bar that is being shown is wiped by the destructor, so that whatever follows
// starts on a clean line.
class TerminalProgress : public verdict::Progress {
 public:
  TerminalProgress(std::ostream& stream, const ProgressStyle& style);
  ~TerminalProgress() override;
  TerminalProgress(const TerminalProgress&) = delete;
  TerminalProgress& operator=(const TerminalProgress&) = delete;

  void phase(const std::string& what, int total) override;
  void step(const std::string& what) override;
  void slow(const std::string& what, double limit_s) override;
  void done(const verdict::KernelResult& kernel) override;
  void note(const std::string& line) override;
  void wait(const std::string& line) override;

 private:
  void print(const std::string& line);
  void draw();
  void wipe();

  std::ostream& stream_;
  ProgressStyle style_;
  std::string phase_, step_;
  int total_ = 0;
  int begun_ = 0;
  bool drawn_ = false;
};

}  // namespace kgate::cli
