#include "tests/report/open_metrics.h"

#include <regex>
#include <set>
#include <sstream>

namespace {

struct Family {
  std::string name, type, unit;
  bool has_help = false;
};

bool is_of(const Family& family, const std::string& sample) {
  if (family.type == "info") return sample == family.name + "_info";
  return sample == family.name;
}

class Parser {
 public:
  explicit Parser(std::vector<MetricSample>& samples) : samples_(samples) {}

  std::string parse(const std::string& text) {
    if (!text.ends_with("\n# EOF\n")) return "does not end with # EOF";
    std::istringstream lines(text);
    int number = 0;
    for (std::string line; std::getline(lines, line);) {
      ++number;
      if (ended_) return "goes on after # EOF";
      const std::string fault = line.starts_with("#") ? comment(line) : sample(line);
      if (!fault.empty()) return "line " + std::to_string(number) + ": " + fault + ": " + line.substr(0, 200);
    }
    return {};
  }

 private:
  std::string comment(const std::string& line) {
    if (line == "# EOF") {
      ended_ = true;
      return {};
    }
    std::istringstream words(line);
    std::string hash, kind, name, rest;
    words >> hash >> kind >> name;
    std::getline(words >> std::ws, rest);
    static const std::regex kName("[a-zA-Z_:][a-zA-Z0-9_:]*");
    if (hash != "#" || !std::regex_match(name, kName) || rest.empty()) return "no comment of OpenMetrics";
    if (kind == "TYPE") {
      if (rest != "gauge" && rest != "stateset" && rest != "info") return "type " + rest;
      if (!families_.insert(name).second) return "a family twice";
      family_ = {name, rest, "", false};
      return {};
    }
    if (name != family_.name) return "of another family";
    if (kind == "UNIT") {
      if (!name.ends_with("_" + rest)) return "a name without its unit";
      return {};
    }
    if (kind != "HELP") return "no keyword of OpenMetrics";
    family_.has_help = true;
    return {};
  }

  std::string sample(const std::string& line) {
    MetricSample one;
    std::size_t at = line.find_first_of("{ ");
    if (at == std::string::npos) return "no value";
    one.name = line.substr(0, at);
    if (!is_of(family_, one.name)) return "outside of its family";
    if (!family_.has_help) return "no help";
    if (line[at] == '{') {
      const std::string fault = labels(line, at, one);
      if (!fault.empty()) return fault;
    }
    if (at >= line.size() || line[at] != ' ') return "no blank before the value";
    one.value = line.substr(at + 1);
    static const std::regex kNumber("[-+]?([0-9]+(\\.[0-9]+)?(e[-+]?[0-9]+)?|Inf)|NaN");
    if (!std::regex_match(one.value, kNumber)) return "no number";
    if (family_.type == "stateset") {
      if (!one.labels.contains(family_.name)) return "no state";
      if (one.value != "0" && one.value != "1") return "no state's value";
    }
    if (family_.type == "info" && one.value != "1") return "an info that is not 1";
    if (!seen_.emplace(one.name, one.labels).second) return "twice";
    samples_.push_back(std::move(one));
    return {};
  }

  static std::string labels(const std::string& line, std::size_t& at, MetricSample& one) {
    static const std::regex kLabel("[a-zA-Z_][a-zA-Z0-9_]*");
    do {
      const std::size_t equal = line.find("=\"", ++at);
      if (equal == std::string::npos) return "a label without a value";
      const std::string name = line.substr(at, equal - at);
      if (!std::regex_match(name, kLabel)) return "label " + name;
      std::string value;
      for (at = equal + 2; at < line.size() && line[at] != '"'; ++at) {
        if (line[at] == '\\') {
          if (++at >= line.size() || (line[at] != '\\' && line[at] != '"' && line[at] != 'n')) return "an escape";
        }
        value += line[at];
      }
      if (at++ >= line.size()) return "a value without an end";
      if (!one.labels.emplace(name, value).second) return "a label twice";
    } while (at < line.size() && line[at] == ',');
    if (at >= line.size() || line[at] != '}') return "labels without an end";
    ++at;
    return {};
  }

  std::vector<MetricSample>& samples_;
  std::set<std::string> families_;
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen_;
  Family family_;
  bool ended_ = false;
};

}  // namespace

std::string fault_of_metrics(const std::string& text, std::vector<MetricSample>& samples) {
  return Parser(samples).parse(text);
}
