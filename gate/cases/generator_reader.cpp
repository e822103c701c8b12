#include "gate/cases/generator_reader.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/quote.h"
#include "gate/cases/generator_check.h"
#include "gate/cases/version_reader.h"

namespace kgate::cases {
namespace {

const std::vector<std::string> kKinds{"normal",      "uniform", "integers", "constant",   "arange",
                                      "permutation", "special", "file",     "safetensors"};
const std::vector<std::string> kSpecials{"zero", "-zero", "inf", "-inf", "nan", "denormal", "max", "min"};

// Values are made in f64, which holds integers up to there.
double read_exact(const TomlReader& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  if (value.integer() > kMost || value.integer() < -kMost)
    value.fail("goes beyond 2^53", "use smaller values, or a file");
  return static_cast<double>(value.integer());
}

void read_pair(const TomlReader& value, Generator& generator, const char* what) {
  const std::vector<TomlReader> items = value.items();
  if (items.size() != 2) value.fail("must have two numbers: " + std::string(what));
  generator.a = items[0].number();
  generator.b = items[1].number();
}

void read_integer_pair(const TomlReader& value, Generator& generator) {
  const std::vector<TomlReader> items = value.items();
  if (items.size() != 2) value.fail("must have two integers: [low, high]");
  generator.a = read_exact(items[0]);
  generator.b = read_exact(items[1]);
}

void read_constant(const TomlReader& value, Generator& generator) {
  if (value.is(TomlReader::Kind::boolean)) {
    generator.a = value.boolean() ? 1.0 : 0.0;
  } else {
    generator.a = value.is(TomlReader::Kind::integer) ? read_exact(value) : value.number();
  }
}

void read_specials(const TomlReader& value, Generator& generator) {
  for (const TomlReader& item : value.items()) {
    const std::string& name = kSpecials[item.choice(kSpecials)];
    if (std::find(generator.specials.begin(), generator.specials.end(), name) != generator.specials.end()) {
      item.fail(kgate::quoted(name) + " is there twice");
    }
    generator.specials.push_back(name);
  }
  if (generator.specials.empty()) value.fail("is empty", "name at least one value, such as \"nan\"");
}

void read_safetensors_place(const TomlReader& value, Generator& generator, const std::string& folder) {
  const std::vector<TomlReader> items = value.items();
  if (items.size() != 2) value.fail("must have two strings: [\"x.safetensors\", \"key\"]");
  generator.file = read_path(items[0], folder);
  generator.key = items[1].text();
}

void read_value(const TomlReader& value, Generator& generator, const std::string& folder) {
  switch (generator.kind) {
    case Generator::Kind::normal:
      return read_pair(value, generator, "[mean, deviation]");
    case Generator::Kind::uniform:
      return read_pair(value, generator, "[low, high]");
    case Generator::Kind::integers:
      return read_integer_pair(value, generator);
    case Generator::Kind::constant:
      return read_constant(value, generator);
    case Generator::Kind::arange:
      return read_pair(value, generator, "[start, step]");
    case Generator::Kind::permutation:
      if (!value.boolean()) value.fail("must be true");
      return;
    case Generator::Kind::special:
      return read_specials(value, generator);
    case Generator::Kind::file:
      generator.file = read_path(value, folder);
      return;
    case Generator::Kind::safetensors:
      return read_safetensors_place(value, generator, folder);
  }
}

}  // namespace

Generator read_generator(const TomlReader& table, DType dtype, const std::string& folder) {
  const auto entries = table.entries();
  if (entries.size() != 1) {
    table.fail("must have one generator, and has " + std::to_string(entries.size()),
               "write it like { normal = [0.0, 1.0] }");
  }
  table.allow_only(kKinds);
  Generator generator;
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (kKinds[i] == entries[0].first) generator.kind = static_cast<Generator::Kind>(i);
  }
  generator.where = entries[0].second.where();
  read_value(entries[0].second, generator, folder);
  check_generator(generator, dtype);
  return generator;
}

}  // namespace kgate::cases
