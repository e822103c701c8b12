#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"

// A script in the place of NVIDIA's compute-sanitizer: it runs the child, as the tool does, and reports what it is told
// to report, or no error.
class FakeComputeSanitizer {
 public:
  explicit FakeComputeSanitizer(const std::filesystem::path& folder) : program_(folder / "compute-sanitizer") {
    std::filesystem::create_directories(folder);
    write(kScript);
  }

  const std::filesystem::path& program() const { return program_; }

  // What one of its tools reports, for every case.
  void report(const std::string& tool, const std::string& text) const { put("." + tool, text); }
  // What the script does once the child has ended, before it writes its report to $log.
  void behave(const std::string& commands) const { put(".do", commands); }
  // In place of everything.
  void behave_at_once(const std::string& commands) const { write("#!/bin/sh\n" + commands); }

  // A line for each run of a child: the tool, the child's exit code, the beginning of the report's folder.
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
  --help) echo '  --strip-paths arg (=yes)'; exit ;;
esac
while :; do
  case $1 in
    --tool) tool=$2 ;;
    --log-file) log=$2 ;;
    --) echo 'option is ambiguous'; exit 1 ;;
    --*) ;;
    *) break ;;
  esac
  shift 2
done
echo "a word of the program's own"
"$@"
code=$?
if [ -f "$0.do" ]; then . "$0.do"; fi
printf '========= COMPUTE-SANITIZER\n' > "$log"
if [ -f "$0.$tool" ]; then cat "$0.$tool" >> "$log"; else printf '========= ERROR SUMMARY: 0 errors\n' >> "$log"; fi
echo "$tool $code $(basename "$(dirname "$log")" | cut -c1-14)" >> "$0.log"
)sh";

  void put(const std::string& suffix, const std::string& text) const {
    kgate::write_file_atomic(program_.string() + suffix, std::string_view(text));
  }
  void write(const std::string& script) const {
    put("", script);
    std::filesystem::permissions(program_, std::filesystem::perms::owner_all);
  }

  std::filesystem::path program_;
};
