#pragma once

#include <cstddef>
#include <string>

// Foreign text for Markdown as GitHub and GitLab read it: nothing in it is markup, HTML, a link, a mention of somebody
// or a reference to an issue. All are neutral (report.h) and fit into a table's cell.
namespace kgate::report::markdown {

// Words between others: on one line, cut at `width` columns.
std::string prose(const std::string& text, std::size_t width = 600);
// A name, as code.
std::string code(const std::string& text, std::size_t width = 100);
// The same between HTML's tags, where Markdown is not read.
std::string code_in_html(const std::string& text, std::size_t width = 100);
// A command on a line of its own, to be copied whole. Empty for none.
std::string command(const std::string& text);
// Lines as they are, between fences that nothing in them closes; the first `lines` of them, each cut. Empty for no
// text.
std::string block(const std::string& text, const std::string& language, std::size_t lines = 60);

}  // namespace kgate::report::markdown
