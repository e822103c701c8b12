#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/unique_fd.h"
#include "gate/search/journal/entry.h"

namespace kgate::search::journal {

// The lines after the header, in order.
struct Recorded {
  Header header;
  std::vector<Line> lines;
  std::uint64_t bytes = 0;  // of whole lines; what follows them was cut off while it was written
  bool empty() const { return bytes == 0; }
};

// Reads a journal's text. A last line without its end is dropped: whoever wrote it was killed meanwhile. Throws
// Error(usage, "SUBJECT:LINE", ...) for anything else that does not hold: a line that is none, a journal without
// header, a proposal out of its order, a judgement of what was not proposed or was judged before.
Recorded read_journal(std::string_view text, const std::string& subject);

// The same from a file, of at most 256 MiB.
Recorded read_journal(const std::filesystem::path& path);

// A journal that is being written, by this process alone. A line is on the disk when append() returns.
class Journal {
 public:
  // FOLDER/journal.jsonl: a new one with this header, or what another process left behind there, less a torn last line.
  // Throws Error(usage) where the journal is of another search (kernel, baseline, policy, proposers or prompts; the
  // seed is the journal's) or does not hold, Error(environment) where another process writes it now, or where the disk
  // is full.
  static Journal open(const std::filesystem::path& folder, const Header& header);

  // Throws Error(environment) where another process writes the folder's journal now: before a search waits for a
  // device. Whoever begins in between, open() finds.
  static void check_free(const std::filesystem::path& folder);

  const Header& header() const { return recorded_.header; }
  // What was there when it was opened.
  const std::vector<Line>& recorded() const { return recorded_.lines; }
  const std::filesystem::path& path() const { return path_; }

  // Throws Error: the line is there whole, or not at all.
  void append(const Line& line);

 private:
  Journal() = default;

  std::filesystem::path path_;
  UniqueFd fd_;
  Recorded recorded_;
  std::uint64_t bytes_ = 0;
};

}  // namespace kgate::search::journal
