#include "gate/cases/generator_check.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/cases/normal.h"
#include "gate/cases/values.h"

namespace kgate::cases {
namespace {

using Kind = Generator::Kind;

[[noreturn]] void fail(const Generator& generator, const std::string& fact, const std::string& hint = {}) {
  throw Error(ErrorKind::usage, generator.where, fact, hint);
}

void need_fit(const Generator& generator, DType dtype, double value) {
  if (!fits(dtype, value)) {
    fail(generator, fmt::format("can give {}, which does not fit {}", value, name_of(dtype)),
         "use values that the type holds");
  }
}

void check_normal(const Generator& generator, DType dtype) {
  if (!std::isfinite(generator.a) || !std::isfinite(generator.b) || generator.b < 0) {
    fail(generator, "must have a finite mean and a deviation of 0 or more");
  }
  need_fit(generator, dtype, generator.a - kNormalLimit * generator.b);
  need_fit(generator, dtype, generator.a + kNormalLimit * generator.b);
}

void check_uniform(const Generator& generator, DType dtype) {
  if (!std::isfinite(generator.b - generator.a) || generator.a >= generator.b) {
    fail(generator, "must have a low end under its high end, both finite", "write uniform = [low, high]");
  }
  need_fit(generator, dtype, generator.a);
  need_fit(generator, dtype, is_float(dtype) ? generator.b : largest_below(dtype, generator.b));
  if (largest_below(dtype, generator.b) < generator.a) {
    fail(generator, fmt::format("has no {} between its ends", name_of(dtype)), "widen it");
  }
}

void check_integers(const Generator& generator, DType dtype) {
  if (generator.a > generator.b) fail(generator, "has its low end over its high end", "write integers = [low, high]");
  need_fit(generator, dtype, generator.a);
  need_fit(generator, dtype, generator.b);
}

void check_special(const Generator& generator, DType dtype) {
  for (const std::string& name : generator.specials) {
    if (!special_value(dtype, name)) {
      fail(generator, fmt::format("has {}, which {} has not", kgate::quoted(name), name_of(dtype)), "remove it");
    }
  }
}

}  // namespace

void check_generator(const Generator& generator, DType dtype) {
  const bool any_type = generator.kind == Kind::integers || generator.kind == Kind::constant ||
                        generator.kind == Kind::file || generator.kind == Kind::safetensors;
  if (dtype == DType::boolean && !any_type) {
    fail(generator, "makes no values of type bool", "use integers = [0, 1], constant or a file");
  }
  switch (generator.kind) {
    case Kind::normal:
      return check_normal(generator, dtype);
    case Kind::uniform:
      return check_uniform(generator, dtype);
    case Kind::integers:
      return check_integers(generator, dtype);
    case Kind::constant:
      return need_fit(generator, dtype, generator.a);
    case Kind::arange:
      if (!std::isfinite(generator.a) || !std::isfinite(generator.b))
        fail(generator, "must have a finite start and step");
      return need_fit(generator, dtype, generator.a);
    case Kind::special:
      return check_special(generator, dtype);
    case Kind::permutation:
    case Kind::file:
    case Kind::safetensors:
      return;
  }
}

}  // namespace kgate::cases
