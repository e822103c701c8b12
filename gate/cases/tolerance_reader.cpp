#include "gate/cases/tolerance_reader.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"

namespace kgate::cases {
namespace {

const std::vector<std::string> kKeys{"rtol", "atol", "ulp", "norm", "matched", "bias", "allow_nan"};

std::optional<double> read_bound(const TomlReader& table, const std::string& name) {
  const auto value = table.find(name);
  if (!value) return std::nullopt;
  const double bound = value->number();
  if (!std::isfinite(bound) || bound < 0) value->fail("must be a finite number of 0 or more");
  return bound;
}

Tolerance read_tolerance(const TomlReader& table) {
  table.allow_only(kKeys);
  Tolerance tolerance;
  tolerance.rtol = read_bound(table, "rtol");
  tolerance.atol = read_bound(table, "atol");
  tolerance.ulp = read_bound(table, "ulp");
  tolerance.norm = read_bound(table, "norm");
  tolerance.bias = read_bound(table, "bias");
  const bool by_element = tolerance.rtol || tolerance.atol || tolerance.ulp;
  if (!by_element && !tolerance.norm) table.fail("bounds no error", "add rtol, atol, ulp or norm");
  if (const auto matched = table.find("matched")) {
    tolerance.matched = matched->number();
    if (!(tolerance.matched > 0 && tolerance.matched <= 1)) matched->fail("must be a share: over 0, at most 1");
    if (!by_element) matched->fail("needs a bound for each element", "add rtol, atol or ulp");
  }
  if (const auto allow_nan = table.find("allow_nan")) tolerance.allow_nan = allow_nan->boolean();
  return tolerance;
}

bool is_output(const ParamSpec& param) {
  return param.kind == ParamKind::out || param.kind == ParamKind::inout;
}

// { rtol = 1e-5 } and not { y = { rtol = 1e-5 } }: a key of a tolerance that holds no table (an output may be called
// "norm").
bool is_short_form(const TomlReader& tolerance) {
  const auto entries = tolerance.entries();
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return !entry.second.is(TomlReader::Kind::table) &&
           std::find(kKeys.begin(), kKeys.end(), entry.first) != kKeys.end();
  });
}

void read_named(const TomlReader& tolerance, const std::vector<ParamSpec>& params, CaseSpec& one) {
  std::vector<std::string> outputs;
  for (const ParamSpec& param : params) {
    if (is_output(param)) outputs.push_back(param.name);
  }
  for (const auto& [name, value] : tolerance.entries()) {
    if (std::find(outputs.begin(), outputs.end(), name) == outputs.end()) {
      std::vector<std::string> meant = outputs;
      if (!value.is(TomlReader::Kind::table)) meant.insert(meant.end(), kKeys.begin(), kKeys.end());
      const auto near = nearest(name, meant);
      value.fail("is not an output",
                 near ? "did you mean \"" + *near + "\"?" : "name a parameter of kind \"out\" or \"inout\"");
    }
    one.tolerances.emplace(name, read_tolerance(value));
  }
}

}  // namespace

void read_tolerances(const TomlReader& table, const std::vector<ParamSpec>& params, CaseSpec& one) {
  std::optional<Tolerance> common;
  if (const auto tolerance = table.find("tolerance")) {
    if (is_short_form(*tolerance)) {
      common = read_tolerance(*tolerance);
    } else {
      read_named(*tolerance, params, one);
    }
  }
  for (const ParamSpec& param : params) {
    if (!is_output(param) || one.tolerances.count(param.name) != 0) continue;
    if (is_float(param.dtype) && !common) {
      throw Error(ErrorKind::usage, one.where, "tolerance for " + kgate::quoted(param.name) + " is missing",
                  "add tolerance = { rtol = 1e-5 }");
    }
    Tolerance exact;
    exact.atol = 0.0;
    one.tolerances.emplace(param.name, is_float(param.dtype) ? *common : exact);
  }
}

}  // namespace kgate::cases
