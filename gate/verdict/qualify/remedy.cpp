#include "gate/verdict/qualify/remedy.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <queue>
#include <vector>

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// An answer fails as soon as more than the allowed number of its elements do. Each element gives the bound below which
// it fails; the answer fails below the `rank`-th largest of them.
class Ranked {
 public:
  explicit Ranked(std::uint64_t rank) : rank_(rank) {}

  void add(double bound) {
    if (largest_.size() < rank_) {
      largest_.push(bound);
    } else if (bound > largest_.top()) {
      largest_.pop();
      largest_.push(bound);
    }
  }

  // Bounds that are not over zero cannot be set.
  std::optional<double> found() const {
    if (largest_.size() < rank_ || !(largest_.top() > 0) || !std::isfinite(largest_.top())) return std::nullopt;
    return largest_.top();
  }

 private:
  std::uint64_t rank_;
  std::priority_queue<double, std::vector<double>, std::greater<>> largest_;
};

double quotient(double size, double bound) {
  return size == 0 ? 0 : size / bound;
}

class Search {
 public:
  Search(const cases::Tolerance& tolerance, DType type, std::uint64_t rank)
      : tolerance_(tolerance),
        by_ulp_(tolerance.ulp && is_float(type)),
        type_(type),
        rtol_(rank),
        atol_(rank),
        ulp_(rank),
        bounds_(rank),
        strict_(1) {}

  void add(double ref, double out) {
    const double size = std::fabs(out - ref), rtol = tolerance_.rtol.value_or(0), atol = tolerance_.atol.value_or(0);
    const double steps = by_ulp_ ? ulp_steps(type_, ref, out) : kInfinity;
    const double admitted = atol + rtol * std::fabs(ref);
    const bool near = by_ulp_ && steps <= *tolerance_.ulp, close = size <= admitted;
    // Within one of the two rules, the other may be as tight as it likes.
    rtol_.add(near ? -kInfinity : quotient(size - atol, std::fabs(ref)));
    atol_.add(near ? -kInfinity : size - rtol * std::fabs(ref));
    ulp_.add(close ? -kInfinity : steps);
    double factor = quotient(size, admitted);
    if (by_ulp_) factor = std::min(factor, quotient(steps, *tolerance_.ulp));
    bounds_.add(factor);
    strict_.add(factor);
  }

  // Whatever the bounds.
  void add_failing() {
    for (Ranked* ranked : {&rtol_, &atol_, &ulp_, &bounds_, &strict_}) ranked->add(kInfinity);
  }

  void tell(Remedies& remedies) const {
    if (tolerance_.rtol) remedies.rtol = rtol_.found();
    if (tolerance_.atol) remedies.atol = atol_.found();
    if (by_ulp_) remedies.ulp = ulp_.found();
    remedies.bounds = bounds_.found();
    remedies.strict = strict_.found();
  }

 private:
  const cases::Tolerance& tolerance_;
  bool by_ulp_;
  DType type_;
  Ranked rtol_, atol_, ulp_, bounds_, strict_;
};

std::optional<double> lesser(const std::optional<double>& one, const std::optional<double>& other) {
  return one && other ? std::optional(std::min(*one, *other)) : std::nullopt;
}

// Two digits, rounded down, so that what is under it is under the bound: "3.1e-4", "0.12", "150".
std::string below(double bound) {
  constexpr double kSlack = 1 + 1e-12;  // 5e-4 is not to become 4.9e-4
  const int exponent = static_cast<int>(std::floor(std::log10(bound * kSlack)));
  const auto digits = static_cast<int>(std::floor(bound * kSlack * std::pow(10.0, 1 - exponent)));
  if (exponent >= -2 && exponent <= 2) return fmt::format("{:g}", digits * std::pow(10.0, exponent - 1));
  return fmt::format("{:g}e{}", digits / 10.0, exponent);
}

// Rounded up, with as many digits as it takes not to be 1.
std::string above(double share) {
  for (int digits = 2; digits <= 12; ++digits) {
    const double scale = std::pow(10.0, digits), up = std::ceil(share * scale * (1 - 1e-15)) / scale;
    if (up < 1 && (up - share) <= (1 - share) / 2) return fmt::format("{:.{}f}", up, digits);
  }
  return fmt::format("{}", share);
}

std::string scaled_bounds(const cases::Tolerance& tolerance, double factor) {
  std::string words;
  const auto add = [&](const char* name, const std::optional<double>& bound) {
    if (bound && *bound > 0)
      words += fmt::format("{}{} below {}", words.empty() ? "" : " and ", name, below(factor * *bound));
  };
  add("rtol", tolerance.rtol);
  add("atol", tolerance.atol);
  add("ulp", tolerance.ulp);
  return words;
}

}  // namespace

Remedies remedies_for(const ElementView& expected, const ElementView& got, const cases::Tolerance& tolerance) {
  const std::size_t wide = size_of(expected.dtype), narrow = size_of(got.dtype);
  const std::uint64_t count = got.bytes.size() / narrow;
  const auto allowed = static_cast<double>(count) * (1 - tolerance.matched);
  const bool elementwise = tolerance.rtol || tolerance.atol || tolerance.ulp;
  Search search(tolerance, got.dtype, static_cast<std::uint64_t>(std::floor(allowed)) + 1);
  double squares = 0, reference_squares = 0, difference = 0, finite = 0;
  std::uint64_t mismatched = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const double ref = load_element(expected.dtype, expected.bytes.data() + i * wide);
    const double out = load_element(got.dtype, got.bytes.data() + i * narrow);
    if (!std::isfinite(ref) || !std::isfinite(out)) {
      const bool both_nan = std::isnan(ref) && std::isnan(out) && tolerance.allow_nan;
      if (elementwise && !both_nan && !(ref == out)) search.add_failing();
      continue;
    }
    const double d = out - ref;
    squares += d * d;
    reference_squares += ref * ref;
    difference += d;
    ++finite;
    if (elementwise) search.add(ref, out);
  }
  const auto finding = compare_output(expected, got, {count}, tolerance);
  mismatched = static_cast<std::uint64_t>(finding.numerics.mismatched);

  Remedies remedies;
  if (elementwise) search.tell(remedies);
  if (mismatched > 0) remedies.matched = 1 - static_cast<double>(mismatched) / static_cast<double>(count);
  if (reference_squares > 0) {
    if (tolerance.norm && squares > 0) remedies.norm = std::sqrt(squares / reference_squares);
    if (tolerance.bias && difference != 0) {
      remedies.bias = std::fabs(difference) / finite / std::sqrt(reference_squares / finite);
    }
  }
  return remedies;
}

Remedies common_to(const Remedies& one, const Remedies& other) {
  Remedies common;
  common.rtol = lesser(one.rtol, other.rtol);
  common.atol = lesser(one.atol, other.atol);
  common.ulp = lesser(one.ulp, other.ulp);
  common.norm = lesser(one.norm, other.norm);
  common.bias = lesser(one.bias, other.bias);
  common.bounds = lesser(one.bounds, other.bounds);
  common.strict = lesser(one.strict, other.strict);
  if (one.matched && other.matched) common.matched = std::max(*one.matched, *other.matched);
  return common;
}

Remedy easiest_of(const Remedies& remedies, const cases::Tolerance& tolerance) {
  Remedy best;
  const auto offer = [&best](double ease, const std::string& words) {
    if (!best.words.empty() && !(ease > best.ease)) return;
    best = {words + " would stop it", ease};
  };
  const auto offer_bound = [&](const char* name, const std::optional<double>& bound, const std::optional<double>& now) {
    if (bound && now && *now > 0) offer(*bound / *now, fmt::format("{} below {}", name, below(*bound)));
  };
  offer_bound("rtol", remedies.rtol, tolerance.rtol);
  offer_bound("atol", remedies.atol, tolerance.atol);
  offer_bound("ulp", remedies.ulp, tolerance.ulp);
  offer_bound("norm", remedies.norm, tolerance.norm);
  offer_bound("bias", remedies.bias, tolerance.bias);
  if (remedies.matched && tolerance.matched < 1) {
    offer((1 - *remedies.matched) / (1 - tolerance.matched), "matched above " + above(*remedies.matched));
  }
  if (!best.words.empty()) return best;
  // No key alone does it.
  if (remedies.bounds) {
    offer(*remedies.bounds, scaled_bounds(tolerance, *remedies.bounds));
  } else if (remedies.strict && tolerance.matched < 1) {
    const std::string bounds = *remedies.strict < 1 ? " with " + scaled_bounds(tolerance, *remedies.strict) : "";
    offer(0, "matched = 1" + bounds);
  } else {
    best.words = "no tolerance of this case tells it from the right answer";
  }
  return best;
}

}  // namespace kgate::verdict
