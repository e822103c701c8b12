#include "tests/report/validity.h"

#include <set>
#include <sstream>
#include <vector>

#include <pugixml.hpp>

#include "base/error.h"
#include "base/json.h"
#include "base/utf8.h"
#include "gate/verdict/result/result.h"
#include "tests/report/open_metrics.h"

namespace {

bool is_number(const std::string& text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
}

std::string fault_of_suite(const pugi::xml_node& suite, const std::set<std::string>& names) {
  std::set<std::string> cases;
  std::size_t failures = 0, errors = 0, skipped = 0;
  for (const auto& test : suite.children("testcase")) {
    if (!cases.insert(test.attribute("name").value()).second) return "a test twice";
    if (std::string(test.attribute("classname").value()) != suite.attribute("name").value()) return "another class";
    failures += test.child("failure") ? 1 : 0;
    errors += test.child("error") ? 1 : 0;
    skipped += test.child("skipped") ? 1 : 0;
  }
  if (names.contains(suite.attribute("name").value())) return "a suite twice";
  const auto says = [&](const char* name, std::size_t number) {
    return suite.attribute(name).as_uint(99999) == number;
  };
  if (!says("tests", cases.size()) || !says("failures", failures) || !says("errors", errors) ||
      !says("skipped", skipped))
    return "counts that are not so";
  return {};
}

std::string fault_of_junit(const std::string& text) {
  pugi::xml_document document;
  if (const auto read = document.load_string(text.c_str()); !read) return read.description();
  const auto root = document.child("testsuites");
  if (!root) return "no testsuites";
  std::set<std::string> names;
  for (const auto& suite : root.children("testsuite")) {
    if (const std::string fault = fault_of_suite(suite, names); !fault.empty()) return fault;
    names.insert(suite.attribute("name").value());
  }
  return {};
}

std::string fault_of_code_quality(const std::string& text) {
  const kgate::Json entries = kgate::parse_json(text, "codequality.json");
  if (!entries.is_array()) return "no array";
  const std::set<std::string> severities{"info", "minor", "major", "critical", "blocker"};
  std::set<std::string> fingerprints;
  for (const auto& one : entries) {
    if (one.at("description").get<std::string>().empty() || one.at("check_name").get<std::string>().empty())
      return "no words";
    if (!severities.contains(one.at("severity").get<std::string>())) return "a severity";
    if (!fingerprints.insert(one.at("fingerprint").get<std::string>()).second) return "a fingerprint twice";
    const auto path = one.at("location").at("path").get<std::string>();
    if (path.empty() || path.front() == '/' || path.find("..") != std::string::npos) return "a path that leads out";
    if (one.at("location").at("lines").at("begin").get<int>() < 1) return "a line";
  }
  return {};
}

// At most ten annotations, each on a line and with properties as the runner reads them; before them nothing is a
// command.
std::string fault_of_github(const std::string& text) {
  std::istringstream lines(text);
  std::string line, token;
  std::size_t annotations = 0;
  bool first = true, open = false;
  while (std::getline(lines, line)) {
    if (first) {
      if (!line.starts_with("::stop-commands::")) return "commands are not stopped";
      token = "::" + line.substr(17) + "::";
      first = false;
    } else if (!open) {
      open = line == token;
      if (!open && line.find(token.substr(2, 32)) != std::string::npos) return "the token within the text";
    } else {
      if (!line.starts_with("::error ") && !line.starts_with("::warning ") && !line.starts_with("::notice "))
        return "no annotation: " + line;
      const std::size_t end = line.find("::", 2);
      if (end == std::string::npos) return "no message";
      std::istringstream properties(line.substr(line.find(' ') + 1, end - line.find(' ') - 1));
      for (std::string one; std::getline(properties, one, ',');) {
        const std::string name = one.substr(0, one.find('='));
        if (name != "file" && name != "line" && name != "title") return "property " + one;
        if (name == "line" && !is_number(one.substr(5))) return "line " + one;
      }
      ++annotations;
    }
  }
  if (!open) return "commands stay stopped";
  return annotations > 10 ? "more annotations than are shown" : "";
}

// What foreign text must not bring in: HTML, mentions, links, fences that do not close.
std::string fault_of_markdown(const std::string& text) {
  std::istringstream lines(text);
  std::string fence;
  std::size_t details = 0, ends = 0;
  for (std::string line; std::getline(lines, line);) {
    if (!fence.empty()) {
      if (line == fence) fence.clear();
      continue;
    }
    if (line.starts_with("```")) {
      fence = line.substr(0, line.find_first_not_of('`'));
      continue;
    }
    if (line.starts_with("<details>")) ++details;
    if (line.starts_with("</details>")) ++ends;
    bool code = false;
    for (std::size_t at = 0; at < line.size(); ++at) {
      const std::string rest = line.substr(at, 12);
      if (line[at] == '`' && (at == 0 || line[at - 1] != '\\')) code = !code;
      if (code) continue;
      if (line[at] == '<' && !rest.starts_with("<details>") && !rest.starts_with("</details>") &&
          !rest.starts_with("<summary>") && !rest.starts_with("</summary>") && !rest.starts_with("<code>") &&
          !rest.starts_with("</code>"))
        return "a tag: " + rest;
      if (line[at] == '@' && at + 1 < line.size() && std::isalnum(static_cast<unsigned char>(line[at + 1])) != 0)
        return "a mention: " + rest;
      if (rest.starts_with("://") && !rest.starts_with("://&#")) return "a link: " + rest;
      if (rest.starts_with("](") && (at == 0 || line[at - 1] != '\\')) return "a link: " + rest;
    }
    if (code) return "code without an end: " + line.substr(0, 200);
    if (line.starts_with("|")) {
      std::size_t bars = 0;
      for (std::size_t at = 0; at < line.size(); ++at)
        bars += line[at] == '|' && (at == 0 || line[at - 1] != '\\') ? 1 : 0;
      if (bars != 8) return "a row of another width: " + line.substr(0, 300);
    }
  }
  if (!fence.empty()) return "a fence without an end";
  return details == ends ? "" : "details without an end";
}

bool is_clean(const std::string& text, bool escapes) {
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool allowed = escapes && (byte == 0x1b || byte == '\r');
    if ((byte < 0x20 && c != '\n' && c != '\t' && !allowed) || byte == 0x7F) return false;
  }
  return true;
}

}  // namespace

std::string fault_of(const std::string& format, const std::string& text) {
  if (kgate::valid_utf8(text) != text) return "no UTF-8";
  // GitLab's sections and colours are escapes; JSON writes those of others as \u001b.
  if (!is_clean(text, format == "gitlab")) return "a control character";
  if (text.empty() || text.back() != '\n') return "no line break at the end";
  try {
    std::vector<MetricSample> samples;
    if (format == "json") kgate::verdict::result_from_json(kgate::parse_json(text, "result.json"), "result.json");
    if (format == "junit") return fault_of_junit(text);
    if (format == "metrics") return fault_of_metrics(text, samples);
    if (format == "codequality") return fault_of_code_quality(text);
    if (format == "github") return fault_of_github(text);
    if (format == "markdown" || format == "comment") return fault_of_markdown(text);
  } catch (const kgate::Error& error) {
    return error.what();
  } catch (const kgate::Json::exception& error) {
    return error.what();
  }
  return {};
}
