#include "fingerprint/comparison.h"

#include <array>
#include <set>

#include <fmt/format.h>

#include "base/error.h"
#include "fingerprint/fingerprint.h"
#include "fingerprint/timing_effects.h"

namespace kgate::fingerprint {
namespace {

constexpr std::array kAxes{"driver", "toolkit", "device", "state", "host", "environment"};
constexpr const char* kResult = "kgate.result/1";

const Json& child(const Json& value, const std::string& key) {
  static const Json none;
  if (!value.is_object()) return none;
  const auto found = value.find(key);
  return found == value.end() ? none : *found;
}

bool is_unknown(const Json& value) {
  return value.is_string() && value.get_ref<const std::string&>().starts_with("unknown, because ");
}

std::string text_of_value(const Json& value) {
  if (value == "") return "empty";
  return value.is_string() ? value.get<std::string>() : value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

// "python3 (pid 4711)": a line of a list.
std::string text_of_item(const Json& item) {
  const Json& name = child(item, "name");
  const Json& pid = child(item, "pid");
  if (pid.is_null()) return text_of_value(item);
  const bool named = name.is_string() && !name.get_ref<const std::string&>().empty();
  return fmt::format("{} (pid {})", named ? name.get<std::string>() : "a process", text_of_value(pid));
}

std::string text_of(const std::string& axis, const Json& value) {
  // Of variables a fingerprint lists those that are set.
  if (value.is_null()) return axis == "environment" ? "not set" : "not recorded";
  if (!value.is_array()) return text_of_value(value);
  if (value.empty()) return "none";
  std::vector<std::string> items;
  for (const Json& item : value) items.push_back(text_of_item(item));
  return fmt::format("{}", fmt::join(items, ", "));
}

std::string timing_of(const std::string& axis, const std::string& field, const Json& before, const Json& after) {
  if (is_unknown(before) || is_unknown(after)) return "nobody can tell, one side is unknown";
  if (axis != "environment" && (before.is_null() || after.is_null()))
    return "nobody can tell, one side is not recorded";
  return timing_effect(axis, field);
}

void compare_axis(const std::string& axis, const Json& before, const Json& after, std::vector<Difference>& found) {
  std::set<std::string> fields;
  for (const Json* side : {&before, &after}) {
    if (!side->is_object()) continue;
    for (const auto& [field, value] : side->items()) fields.insert(field);
  }
  for (const std::string& field : fields) {
    const Json &one = child(before, field), &other = child(after, field);
    if (one != other)
      found.push_back({axis, field, text_of(axis, one), text_of(axis, other), timing_of(axis, field, one, other)});
  }
}

[[noreturn]] void refuse(const std::string& subject, const std::string& fact) {
  throw Error(ErrorKind::usage, subject, fact,
              "give a fingerprint.json of a run, or what kgate fingerprint --format json printed");
}

Json parsed(std::string_view text, const std::string& subject) {
  try {
    return parse_json(text, subject);
  } catch (const Error& error) {
    refuse(subject, error.fact());
  }
}

}  // namespace

Comparison compare(const Json& before, const Json& after) {
  Comparison comparison;
  for (const std::string axis : kAxes)
    compare_axis(axis, child(before, axis), child(after, axis), comparison.differences);
  comparison.class_before = class_of(before);
  comparison.class_after = class_of(after);
  std::set<std::string> unknown;
  for (const Json* side : {&before, &after}) {
    for (const auto& [axis, field] : class_fields(*side)) {
      const Json& value = child(child(*side, axis), field);
      if (field == "mig") continue;  // most GPUs have none, and NVML refuses to tell
      if (value.is_null() || is_unknown(value)) unknown.insert(axis + "." + field);
    }
  }
  comparison.class_unknown.assign(unknown.begin(), unknown.end());
  return comparison;
}

std::vector<std::string> lines_of(const Comparison& comparison) {
  std::vector<std::string> lines;
  for (const Difference& one : comparison.differences)
    lines.push_back(fmt::format("{}.{}: {} -> {}; {}", one.axis, one.field, one.before, one.after, one.timing));
  if (lines.empty()) lines.emplace_back("no differences");
  if (!comparison.class_unknown.empty()) {
    lines.push_back(fmt::format("class: cannot be told, because {} {} unknown; stored times do not compare",
                                fmt::join(comparison.class_unknown, ", "),
                                comparison.class_unknown.size() == 1 ? "is" : "are"));
  } else if (comparison.times_compare()) {
    lines.push_back(fmt::format("class: {} on both sides; stored times compare", comparison.class_before));
  } else {
    lines.push_back(
        fmt::format("class: {} -> {}; stored times do not compare", comparison.class_before, comparison.class_after));
  }
  return lines;
}

Json json_of(const Comparison& comparison) {
  Json differences = Json::array();
  for (const Difference& one : comparison.differences) {
    differences.push_back({{"axis", one.axis},
                           {"field", one.field},
                           {"before", one.before},
                           {"after", one.after},
                           {"timing", one.timing}});
  }
  return {
      {"schema", "kgate.fingerprint-comparison/1"},
      {"class",
       {{"before", comparison.class_before}, {"after", comparison.class_after}, {"unknown", comparison.class_unknown}}},
      {"times_compare", comparison.times_compare()},
      {"differences", differences}};
}

Json read_fingerprint(std::string_view text, const std::string& subject) {
  Json recorded = parsed(text, subject);
  if (child(recorded, "schema") == kResult) recorded = Json(child(recorded, "fingerprint"));
  const Json& schema = child(recorded, "schema");  // the first versions wrote none
  if (!schema.is_null() && schema != kFingerprintSchema)
    refuse(subject, fmt::format("is no fingerprint that this kgate reads: its schema is {}, not \"{}\"",
                                schema.dump(-1, ' ', false, Json::error_handler_t::replace), kFingerprintSchema));
  for (const char* axis : {"driver", "toolkit", "device", "host"}) {
    if (!child(recorded, axis).is_object()) refuse(subject, fmt::format("is no fingerprint: \"{}\" is missing", axis));
  }
  return recorded;
}

}  // namespace kgate::fingerprint
