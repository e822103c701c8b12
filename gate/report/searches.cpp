#include "gate/report/searches.h"

#include <fmt/format.h>

#include "gate/report/format.h"
#include "gate/report/html.h"
#include "gate/report/markdown_text.h"
#include "gate/report/page/markup.h"

namespace kgate::report {
namespace {

constexpr std::size_t kHeadline = 300, kFolder = 100;  // columns
constexpr std::size_t kPatchLines = 200;

using verdict::SearchFound;

// Whether there is a patch that a person should look at; one that the gate does not confirm is in the folder alone.
bool has_patch(const SearchFound& one) {
  return one.better && !one.patch.empty();
}

}  // namespace

std::string searches_text(const verdict::Result& result, std::size_t width) {
  std::string text;
  for (const SearchFound& one : result.searches) {
    text += wrap(fmt::format("search: {}: {}", short_name(one.kernel), short_line(one.headline, kHeadline)), width, 0) +
            "\n";
    if (one.better)
      text +=
          wrap(fmt::format("to take it: git apply {}/best.patch", short_line(one.folder, kFolder)), width, 2) + "\n";
  }
  return text;
}

std::string searches_markdown(const verdict::Result& result, bool patches) {
  std::string text;
  for (const SearchFound& one : result.searches) {
    text +=
        fmt::format("### A search for a better {}\n\n{}. More: {} among the artifacts.\n\n", markdown::code(one.kernel),
                    markdown::prose(one.headline, kHeadline), markdown::code(one.folder + "/report.html"));
    if (patches && has_patch(one))
      text += "<details><summary>The patch, for <code>git apply</code>: nothing was pushed</summary>\n\n" +
              markdown::block(one.patch, "diff", kPatchLines) + "\n</details>\n\n";
  }
  return text;
}

std::string searches_html(const verdict::Result& result) {
  std::string text;
  for (const SearchFound& one : result.searches) {
    text += fmt::format("<h3>{}</h3>\n<p>{}. More: <code>{}</code>.</p>\n", escaped(one.kernel, kFolder),
                        escaped(one.headline, kHeadline), escaped(one.folder + "/report.html", kFolder));
    if (has_patch(one)) text += fold("The patch, for <code>git apply</code>", block_of(one.patch, Block::diff));
  }
  return text.empty() ? "" : "<section>\n<h2>Searches for better versions</h2>\n" + text + "</section>\n";
}

}  // namespace kgate::report
