#include "gate/trust/rewritten.h"

#include <string_view>

#include <fmt/format.h>

#include "base/error.h"

// A source that says `sizeof("$Id$") == 5 ? 3 : 2` is one program in the commit and another in each checkout. kgate
// reads the commit's form, a build the checkout's, so where a file has such a word under such an attribute neither can
// stand for the other. Rejected: to judge the checkout's form (it holds the digest of the commit's, no signature could
// cover it), and to refuse the attribute wherever it stands ("* ident" with no such word in a file changes nothing).
namespace kgate::trust {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& fact, const std::string& attribute) {
  throw Error(
      ErrorKind::untrusted, path, fact,
      fmt::format("keep it as it is: \"{} -{}\" in .gitattributes, then git add --renormalize", path, attribute));
}

bool is_utf8(const std::string& encoding) {
  std::string lower;
  for (const char c : encoding) {
    if (c != '-') lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return lower == "utf8";
}

std::string with_plain_ends(ByteView content) {
  std::string text(text_of(content));
  std::size_t kept = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\r' && at + 1 < text.size() && text[at + 1] == '\n') continue;
    text[kept++] = text[at];
  }
  text.resize(kept);
  return text;
}

}  // namespace

void refuse_rewritten(const std::string& path, ByteView content, const Attributes& attributes) {
  const auto value = [&](const char* name) {
    const auto found = attributes.find(name);
    return found == attributes.end() || found->second == "false" ? std::string() : found->second;
  };
  const auto has = [&](std::string_view word) { return text_of(content).find(word) != std::string_view::npos; };
  // Also one that is not configured here: it may be where the change is built.
  if (const std::string filter = value("filter"); !filter.empty() && filter != "true" && filter != "lfs") {
    refuse(path, fmt::format("has the filter \"{}\" (.gitattributes), a program, which kgate does not run", filter),
           "filter");
  }
  const std::string encoding = value("working-tree-encoding");
  if (!encoding.empty() && encoding != "true" && !is_utf8(encoding)) {
    refuse(path,
           fmt::format("has the working-tree-encoding \"{}\" (.gitattributes), which kgate does not convert", encoding),
           "working-tree-encoding");
  }
  if (!value("ident").empty() && has("$Id")) {
    refuse(path,
           "has the attribute ident, by which every checkout expands its $Id$: what is built is not what is judged",
           "ident");
  }
  if (!value("export-subst").empty() && has("$Format:")) {
    refuse(path,
           "has the attribute export-subst, by which every archive expands its $Format$: what is built from one is not "
           "what is judged",
           "export-subst");
  }
}

void refuse_unlike(const std::string& path, ByteView content, ByteView made) {
  if (content.size() == made.size() && text_of(content) == text_of(made)) return;
  if (with_plain_ends(content) == with_plain_ends(made)) return;
  throw Error(ErrorKind::untrusted, path,
              "would be committed as other bytes than those on disk, and not by its line ends alone",
              fmt::format("see git check-attr -a {}, and take out what rewrites it", path));
}

}  // namespace kgate::trust
