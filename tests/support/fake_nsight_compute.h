#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

// A script in the place of NVIDIA Nsight Compute's ncu: it runs the child, as the tool does, and reports what it is
// told to report.
class FakeNsightCompute {
 public:
  explicit FakeNsightCompute(const std::filesystem::path& folder) : program_(folder / "ncu") {
    std::filesystem::create_directories(folder);
    put("", kScript);
  }

  const std::filesystem::path& program() const { return program_; }

  // Its report, for every case.
  void report(const std::string& text) const { put(".report", text); }
  // What the script does once the child has ended, before it writes its report to $log.
  void behave(const std::string& commands) const { put(".do", commands); }
  // In place of everything.
  void behave_at_once(const std::string& commands) const { put("", "#!/bin/sh\n" + commands); }

  // A line for each run: the child's exit code, "own" where working, home and temporary folder are that of the report,
  // and --cache-control.
  std::vector<std::string> starts() const {
    const std::string text(kgate::text_of(kgate::read_file(program_.string() + ".log", 1 << 20)));
    std::vector<std::string> lines;
    for (std::size_t at = 0; at < text.size(); at = text.find('\n', at) + 1)
      lines.push_back(text.substr(at, text.find('\n', at) - at));
    return lines;
  }

 private:
  static constexpr const char* kScript = R"sh(#!/bin/sh
case $1 in
  --version) echo 'Version 2025.3.1.0 (build 1) (public-release)'; exit ;;
esac
while :; do
  case $1 in
    --csv) shift ;;
    --log-file) log=$2; shift 2 ;;
    --cache-control) cache=$2; shift 2 ;;
    --*) shift 2 ;;
    *) break ;;
  esac
done
echo "a word of the program's own"
"$@"
code=$?
same=other
[ "$PWD" = "$(dirname "$log")" ] && [ "$HOME" = "$PWD" ] && [ "$TMPDIR" = "$PWD" ] && same=own
echo "$code $same $cache" >> "$0.log"
if [ -f "$0.do" ]; then . "$0.do"; fi
if [ -f "$0.report" ]; then cat "$0.report" > "$log"; fi
)sh";

  void put(const std::string& suffix, const std::string& text) const {
    kgate::write_file_atomic(program_.string() + suffix, std::string_view(text));
    if (suffix.empty()) std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }

  std::filesystem::path program_;
};
