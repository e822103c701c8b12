#include "gate/drift/night.h"

#include <cmath>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/drift/drift.h"
#include "gate/drift/night_scan.h"

namespace kgate::drift {
namespace {

// One object: every key is there, and no other.
class Fields {
 public:
  Fields(const Json& object, std::string place, const std::string& subject)
      : object_(object), place_(std::move(place)), subject_(subject) {
    if (!object.is_object()) fail("", "is not an object");
  }

  const Json& at(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) fail(key, "is missing");
    ++taken_;
    return *found;
  }
  const std::string& text(const char* key) {
    const Json& value = at(key);
    if (!value.is_string()) fail(key, "is not a string");
    return value.get_ref<const std::string&>();
  }
  bool flag(const char* key) {
    const Json& value = at(key);
    if (!value.is_boolean()) fail(key, "is not true or false");
    return value.get<bool>();
  }
  std::int64_t count(const char* key) {
    const Json& value = at(key);
    if (!value.is_number_integer() || value.get<std::int64_t>() < 0) fail(key, "is not a whole number from 0");
    return value.get<std::int64_t>();
  }
  double number(const char* key, double above) {
    const Json& value = at(key);
    const double number = value.is_number() ? value.get<double>() : -1;
    if (!std::isfinite(number) || !(number > above)) fail(key, above < 0 ? "is not a number from 0" : "is not a time");
    if (above == 0 && !is_time(number)) fail(key, "is no time that a kernel takes");
    return number;
  }
  const Json& object(const char* key) {
    const Json& value = at(key);
    if (!value.is_object()) fail(key, "is not an object");
    return value;
  }
  void end() const {
    if (taken_ != object_.size()) fail("", "has a key that is not known");
  }
  std::string inside(const std::string& key) const { return place_.empty() ? key : place_ + "." + key; }

  [[noreturn]] void refuse(const std::string& key, const std::string& what) const { fail(key, what); }

 private:
  [[noreturn]] void fail(const std::string& key, const std::string& what) const {
    const std::string where = key.empty() ? place_ : inside(key);
    throw Error(ErrorKind::untrusted, subject_,
                fmt::format("is no night's figures: {} {}", where.empty() ? "it" : kgate::quoted(where), what),
                "a newer kgate may have written it: use that; else the branch has to be restored, docs/ledger.md says "
                "how");
  }

  const Json& object_;
  std::string place_;
  const std::string& subject_;
  std::size_t taken_ = 0;
};

NightCase case_from(Fields&& fields) {
  NightCase one;
  one.us = fields.number("us", 0);
  one.spread = fields.number("spread", -1e-300);
  one.blocks = fields.count("blocks");
  one.rounds = fields.count("rounds");
  one.launches_per_sample = fields.count("launches_per_sample");
  one.regime = fields.text("regime");
  fields.end();
  return one;
}

NightKernel kernel_from(Fields&& fields, const std::string& subject) {
  NightKernel kernel;
  kernel.accepted = fields.count("accepted");
  kernel.code = fields.text("code");
  kernel.compiled_here = fields.flag("compiled_here");
  for (const auto& [name, one] : fields.object("cases").items())
    kernel.cases.emplace(name, case_from(Fields(one, fields.inside("cases." + name), subject)));
  fields.end();
  return kernel;
}

Json parsed(std::string_view text, const std::string& subject) {
  try {
    return parse_json(text, subject);
  } catch (const Error& error) {
    throw Error(ErrorKind::untrusted, subject, error.fact(), "the branch has to be restored, docs/ledger.md says how");
  }
}

}  // namespace

bool is_time(double us) {
  return us >= 1e-6 && us <= 1e12;
}

Json to_json(const NightFigures& night) {
  Json kernels = Json::object();
  for (const auto& [name, kernel] : night.kernels) {
    Json cases = Json::object();
    for (const auto& [case_name, one] : kernel.cases) {
      cases[case_name] = {{"us", one.us},         {"spread", one.spread},
                          {"blocks", one.blocks}, {"rounds", one.rounds},
                          {"regime", one.regime}, {"launches_per_sample", one.launches_per_sample}};
    }
    kernels[name] = {{"accepted", kernel.accepted},
                     {"code", kernel.code},
                     {"compiled_here", kernel.compiled_here},
                     {"cases", std::move(cases)}};
  }
  return {{"schema", kNightSchema},
          {"time", night.time},
          {"class", night.device_class},
          {"hardware", night.hardware},
          {"device", {{"name", night.device_name}, {"architecture", night.architecture}}},
          {"backend", night.backend},
          {"commit", night.commit},
          {"kernels", std::move(kernels)},
          {"missing", night.missing},
          {"environment", night.environment}};
}

NightFigures night_from(std::string_view text, const std::string& subject) {
  if (auto night = scan_night(text)) return *std::move(night);
  const Json json = parsed(text, subject);
  Fields fields(json, "", subject);
  NightFigures night;
  if (const auto& schema = fields.text("schema"); schema != kNightSchema) {
    throw Error(ErrorKind::untrusted, subject,
                fmt::format("has the schema {}, not \"{}\"", kgate::quoted(schema), kNightSchema), "use a newer kgate");
  }
  night.time = fields.text("time");
  if (night.time.size() != 20 || !day_from(night.time)) fields.refuse("time", "is no date");
  night.device_class = fields.text("class");
  night.hardware = fields.text("hardware");
  Fields device(fields.object("device"), "device", subject);
  night.device_name = device.text("name");
  night.architecture = device.text("architecture");
  device.end();
  night.backend = fields.text("backend");
  night.commit = fields.text("commit");
  for (const auto& [name, kernel] : fields.object("kernels").items())
    night.kernels.emplace(name, kernel_from(Fields(kernel, "kernels." + name, subject), subject));
  for (const auto& [name, why] : fields.object("missing").items())
    night.missing.emplace(name, why.is_string() ? why.get<std::string>() : "");
  night.environment = fields.object("environment");
  fields.end();
  return night;
}

}  // namespace kgate::drift
