#include "gate/search/propose/fit.h"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file_tree.h"
#include "base/nearest.h"
#include "base/quote.h"
#include "gate/search/propose/reply.h"

// What the loop would refuse later, said while the proposer can still mend it. The loop looks at all of it again: what
// is checked here spares a round, and guards nothing.
namespace kgate::search {
namespace {

using Files = std::map<std::string, std::string>;

[[noreturn]] void refuse(const std::string& where, const std::string& fact, const std::string& hint) {
  throw Error(ErrorKind::usage, where, fact, hint);
}

std::vector<std::string> names_of(const auto& map) {
  std::vector<std::string> names;
  names.reserve(map.size());
  for (const auto& [name, value] : map) names.push_back(name);
  return names;
}

void check_path(const std::string& path, const std::string& where) {
  try {
    if (path.size() <= kMostName && join_beneath("", path) == path && path.find('\\') == std::string::npos) return;
  } catch (const Error&) {
    // Told below.
  }
  refuse(where, fmt::format("{} is no path from the repository's root", kgate::quoted(path)),
         "name files as the briefing's \"sources\" do");
}

// Linear in the text, whatever is looked for (glibc's two-way search), which std::string::find is not.
const char* find_in(const char* begin, const char* end, const std::string& text) {
  return static_cast<const char*>(::memmem(begin, static_cast<std::size_t>(end - begin), text.data(), text.size()));
}

void apply(const Edit& edit, Files& files, const std::string& where) {
  check_path(edit.file, where + ".file");
  const auto file = files.find(edit.file);
  if (file == files.end())
    refuse(where + ".file", fmt::format("{} is none of the sources", kgate::quoted(edit.file)),
           suggestion(edit.file, names_of(files), "files"));
  std::string& content = file->second;
  const char* const end = content.data() + content.size();
  const char* const first = find_in(content.data(), end, edit.find);
  if (first == nullptr)
    refuse(where + ".find", fmt::format("does not occur in {}", kgate::quoted(edit.file)),
           "quote the text as it stands there, white space included");
  if (find_in(first + 1, end, edit.find) != nullptr)
    refuse(where + ".find", fmt::format("occurs more than once in {}", kgate::quoted(edit.file)),
           "quote more of the lines around it");
  content.replace(static_cast<std::size_t>(first - content.data()), edit.find.size(), edit.replace);
  if (content.size() > kMostFile && edit.replace.size() > edit.find.size())
    refuse(where + ".replace", fmt::format("makes {} larger than {} bytes", kgate::quoted(edit.file), kMostFile), "");
}

void check_parameter(const std::string& name, const std::string& value, const Briefing& briefing,
                     const std::string& where) {
  const auto tunable = briefing.tunables.find(name);
  if (tunable == briefing.tunables.end())
    refuse(where, fmt::format("{} is no tunable", kgate::quoted(name)),
           suggestion(name, names_of(briefing.tunables), "tunables"));
  const auto& values = tunable->second;
  if (std::find(values.begin(), values.end(), value) == values.end())
    refuse(where, fmt::format("{} is none of the values of {}", kgate::quoted(value), name),
           fmt::format("write one of {}", fmt::join(values, ", ")));
}

bool is_known(const std::string& parent, const Briefing& briefing) {
  return parent.empty() || parent == briefing.best ||
         std::any_of(briefing.tried.begin(), briefing.tried.end(),
                     [&](const Tried& one) { return one.digest == parent; });
}

}  // namespace

void check_fit(const Proposal& proposal, const Briefing& briefing, const std::string& subject) {
  if (!is_known(proposal.parent, briefing))
    refuse(subject + ": parent", fmt::format("{} is no version that was tried", kgate::quoted(proposal.parent)),
           "leave it out to change the best version");
  // Only the best version's files are in the briefing.
  const bool shown = proposal.parent == briefing.best;
  Files files = briefing.sources;
  for (std::size_t i = 0; i < proposal.parts.size(); ++i) {
    const Part& part = proposal.parts[i];
    const std::string where = fmt::format("{}: parts[{}]", subject, i);
    for (const auto& [path, content] : part.files) {
      check_path(path, where + ".files");
      files[path] = content;
    }
    for (std::size_t k = 0; k < part.edits.size(); ++k) {
      if (shown) apply(part.edits[k], files, fmt::format("{}.edits[{}]", where, k));
    }
    for (const auto& [name, value] : part.parameters) check_parameter(name, value, briefing, where + ".parameters");
  }
}

}  // namespace kgate::search
