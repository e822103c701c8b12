#pragma once

#include <cstring>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "gate/verdict/qualify/mutants.h"

// A right answer from numbers, for mutants to be made of.
template <typename T>
kgate::Bytes bytes_from(const std::vector<T>& values) {
  const auto view = std::as_bytes(std::span(values));
  return {view.begin(), view.end()};
}

template <typename T>
std::vector<T> values_in(kgate::ByteView bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Answer {
 public:
  template <typename T>
  Answer(kgate::DType dtype, const std::vector<T>& values, kgate::cases::Tolerance tolerance = {})
      : Answer(dtype, values, dtype, values, tolerance) {}
  // With a reference in a wider type.
  template <typename T, typename Wide>
  Answer(kgate::DType dtype, const std::vector<T>& values, kgate::DType wide, const std::vector<Wide>& reference,
         kgate::cases::Tolerance tolerance = {})
      : rounded_(bytes_from(values)), reference_(bytes_from(reference)) {
    right.dtype = dtype;
    right.shape = {values.size()};
    right.reference = {wide, reference_};
    right.rounded = rounded_;
    right.tolerance = tolerance;
  }
  Answer(const Answer&) = delete;

  template <typename T>
  void add_input(const std::string& name, kgate::DType dtype, const std::vector<T>& values) {
    inputs_[name] = bytes_from(values);
    right.inputs[name] = {dtype, inputs_[name]};
  }
  template <typename T>
  void set_earlier(const std::vector<T>& values) {
    earlier_ = bytes_from(values);
    right.earlier = earlier_;
  }

  kgate::verdict::RightAnswer right;

 private:
  kgate::Bytes rounded_, reference_, earlier_;
  std::map<std::string, kgate::Bytes> inputs_;
};

inline kgate::cases::Tolerance with_rtol(double rtol) {
  kgate::cases::Tolerance tolerance;
  tolerance.rtol = rtol;
  return tolerance;
}
