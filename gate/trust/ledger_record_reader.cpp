#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/ledger_record.h"

// A record is read as if nobody had signed it: who holds a key can still be wrong, and what has two readings is none.
// Every key is there in every record, an empty one with an empty value, so a record has one form and nothing can be
// left out unnoticed.
namespace kgate::trust {
namespace {

constexpr const char* kRemedy =
    "a newer kgate may have written it: use that; else the branch has to be restored, docs/ledger.md says how";
constexpr std::size_t kLongestText = 10000;
constexpr std::int64_t kMostRecords = 1000000000;

// One object of the predicate: each key is taken once, and none may be left.
class Fields {
 public:
  Fields(const Json& object, std::string place, const std::string& subject)
      : object_(object), place_(std::move(place)), subject_(subject) {
    if (!object.is_object()) fail("", "is not an object");
  }

  const Json& take(const std::string& key) {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    taken_.insert(key);
    return *found;
  }
  std::string text(const std::string& key) {
    const Json& value = take(key);
    if (!value.is_string()) fail(key, "is not a string");
    const auto& text = value.get_ref<const std::string&>();
    if (text.size() > kLongestText) fail(key, fmt::format("has more than {} bytes", kLongestText));
    return text;
  }
  // `good` says what is allowed; the text is shown where it is not.
  template <typename Test>
  std::string text(const std::string& key, const char* what, Test&& good) {
    std::string value = text(key);
    if (!good(value)) fail(key, fmt::format("is {}, not {}", kgate::quoted(value), what));
    return value;
  }
  std::string digest(const std::string& key) { return text(key, "a digest", is_digest); }
  std::string optional_digest(const std::string& key) {
    return text(key, "a digest or empty", [](const std::string& value) { return value.empty() || is_digest(value); });
  }
  std::int64_t integer(const std::string& key, std::int64_t least) {
    const Json& value = take(key);
    const bool fits = value.is_number_integer() &&
                      (!value.is_number_unsigned() || value.get<std::uint64_t>() <= std::uint64_t{INT64_MAX});
    if (!fits || value.get<std::int64_t>() < least) fail(key, fmt::format("is not a whole number from {}", least));
    return value.get<std::int64_t>();
  }
  double positive(const std::string& key) {
    const Json& value = take(key);
    if (!value.is_number_float() || !std::isfinite(value.get<double>()) || value.get<double>() <= 0)
      fail(key, "is not a positive number with a point or an exponent");
    return value.get<double>();
  }
  bool boolean(const std::string& key) {
    const Json& value = take(key);
    if (!value.is_boolean()) fail(key, "is neither true nor false");
    return value.get<bool>();
  }
  Fields object(const std::string& key) { return {take(key), place_ + key + ".", subject_}; }
  // One object for each element of an array.
  std::vector<Fields> objects(const std::string& key) {
    const Json& value = take(key);
    if (!value.is_array()) fail(key, "is not an array");
    std::vector<Fields> elements;
    for (std::size_t i = 0; i < value.size(); ++i)
      elements.push_back({value[i], fmt::format("{}{}[{}].", place_, key, i), subject_});
    return elements;
  }
  // The keys of an object that maps names to values; they count as taken.
  std::vector<std::string> names() {
    std::vector<std::string> names;
    for (const auto& [name, value] : object_.items()) {
      if (name.empty() || name.size() > kLongestText) fail(name, "is no name");
      names.push_back(name);
    }
    return names;
  }

  void end() const {
    for (const auto& [key, value] : object_.items()) {
      if (taken_.count(key) == 0) fail(key, "is not known");
    }
  }
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    std::string place = place_ + key;
    if (!place.empty() && place.back() == '.') place.pop_back();
    throw Error(ErrorKind::untrusted, subject_,
                fmt::format("is no record: {} {}", place.empty() ? "its predicate" : kgate::quoted(place), what),
                kRemedy);
  }

 private:
  const Json& object_;
  std::string place_;
  const std::string& subject_;
  std::set<std::string> taken_;
};

bool is_time(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  if (text.size() != kForm.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '0' ? !digit : text[i] != kForm[i]) return false;
  }
  const auto part = [&](std::size_t at) { return (text[at] - '0') * 10 + (text[at + 1] - '0'); };
  return part(5) >= 1 && part(5) <= 12 && part(8) >= 1 && part(8) <= 31 && part(11) < 24 && part(14) < 60 &&
         part(17) <= 60;
}

bool is_commit(const std::string& text) {
  return text.size() == 40 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

MeasuredCase case_from(Fields&& fields) {
  MeasuredCase one;
  one.us = fields.positive("us");
  one.blocks = fields.integer("blocks", 0);
  one.rounds = fields.integer("rounds", 0);
  one.launches_per_sample = fields.integer("launches_per_sample", 0);
  one.regime = fields.text("regime");
  one.samples = fields.optional_digest("samples");
  fields.end();
  return one;
}

Measurement measurement_from(Fields& fields) {
  Measurement one;
  one.device_class = fields.text("class", "a class", [](const std::string& text) { return !text.empty(); });
  one.backend =
      fields.text("backend", "a backend", [](const std::string& text) { return text == "cuda" || text == "host"; });
  Fields device = fields.object("device");
  one.device_name = device.text("name");
  one.architecture = device.text("architecture");
  device.end();
  one.toolkit = fields.text("toolkit");
  one.code = fields.digest("code");
  Fields symbols = fields.object("symbols");
  for (const std::string& entry : symbols.names()) one.symbols[entry] = symbols.text(entry);
  one.fingerprint = fields.digest("fingerprint");
  Fields resources = fields.object("resources");
  one.registers = resources.integer("registers", 0);
  one.shared_bytes = resources.integer("shared_bytes", 0);
  one.spill_bytes = resources.integer("spill_bytes", 0);
  one.code_bytes = resources.integer("code_bytes", 0);
  resources.end();
  Fields cases = fields.object("cases");
  for (const std::string& name : cases.names()) one.cases.emplace(name, case_from(cases.object(name)));
  fields.end();
  return one;
}

// `previous`: the key of kernel_previous.
void read_chain(Fields& fields, Record& record, const char* previous) {
  record.sequence = fields.integer("sequence", 1);
  if (record.sequence > kMostRecords) fields.fail("sequence", fmt::format("is over {}", kMostRecords));
  record.previous = fields.optional_digest("previous");
  record.kernel_previous = fields.optional_digest(previous);
  record.heads = fields.digest("heads");
  record.time = fields.text("time", "a time", is_time);
  if (record.previous.empty() != (record.sequence == 1))
    fields.fail("previous", "is empty in the first record and in no other");
}

void read_version(Fields& fields, Record& record) {
  const bool version = !record.retired;
  const auto digest = [&](Fields& of, const char* key) { return version ? of.digest(key) : of.optional_digest(key); };
  record.commit = fields.text("commit", "a commit",
                              [&](const std::string& text) { return is_commit(text) || (!version && text.empty()); });
  record.path = fields.text("path");
  record.content = digest(fields, "content");
  Fields files = fields.object("files");
  for (const std::string& path : files.names()) record.files[path] = files.digest(path);
  Fields cases = fields.object("cases");
  record.cases_digest = digest(cases, "digest");
  record.cases_revision = cases.integer("revision", 0);
  cases.end();
  for (Fields& element : fields.objects("measurements")) {
    Measurement one = measurement_from(element);
    const auto same = [&](const Measurement& other) { return other.device_class == one.device_class; };
    if (std::any_of(record.measurements.begin(), record.measurements.end(), same))
      fields.fail("measurements", fmt::format("has the class {} twice", kgate::quoted(one.device_class)));
    record.measurements.push_back(std::move(one));
  }
  if (version == record.files.empty()) fields.fail("files", version ? "is empty" : "is not empty in a retirement");
  if (!version && !record.measurements.empty()) fields.fail("measurements", "is not empty in a retirement");
}

void read_accepted(Fields& fields, Record& record) {
  record.kernel = fields.text("kernel", "a kernel's name", is_kernel_name);
  record.retired = fields.boolean("retired");
  record.renamed_from = fields.text("renamed_from", "another kernel's name or empty", [&](const std::string& name) {
    return name.empty() || (is_kernel_name(name) && name != record.kernel);
  });
  read_chain(fields, record, "kernel_previous");
  read_version(fields, record);
  record.reason = fields.text("reason");
  record.slower = fields.text("slower");
  record.release = fields.text("release");
  fields.end();
  if (record.kernel_previous.empty() && record.retired)
    fields.fail("kernel_previous", "is empty, and a retirement is no kernel's first record");
  if (record.retired && !record.renamed_from.empty()) fields.fail("renamed_from", "is not empty in a retirement");
}

void read_night(Fields& fields, Record& record) {
  record.kernel = fields.text("hardware", "the key of a kind of GPU", is_kernel_name);
  read_chain(fields, record, "hardware_previous");
  record.night = fields.digest("night");
  record.fingerprint = fields.digest("fingerprint");
  fields.end();
}

}  // namespace

Record record_from(const Statement& statement, const std::string& subject) {
  Fields fields(statement.predicate, "", subject);
  Record record;
  statement.predicate_type == kHistoryPredicate ? read_night(fields, record) : read_accepted(fields, record);
  const auto same = [](const StatementSubject& one, const StatementSubject& other) {
    return one.name == other.name && one.sha256 == other.sha256;
  };
  const auto expected = subjects_of(record);
  if (!std::equal(expected.begin(), expected.end(), statement.subjects.begin(), statement.subjects.end(), same)) {
    throw Error(ErrorKind::untrusted, subject,
                "is no record: the subjects of its statement are not the objects that it names", kRemedy);
  }
  return record;
}

}  // namespace kgate::trust
