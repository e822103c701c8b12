#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/utf8.h"

// Two things JSON does not have: numbers that are not finite are the strings "nan", "inf" and "-inf" (a wrong kernel's
// largest error is often one of them), and text that is not UTF-8 is repaired.
namespace kgate::verdict {

inline Json text(const std::string& value) {
  return valid_utf8(value);
}

inline Json texts(const std::vector<std::string>& values) {
  Json array = Json::array();
  for (const std::string& value : values) array.push_back(text(value));
  return array;
}

inline Json number(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

}  // namespace kgate::verdict
