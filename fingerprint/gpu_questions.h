#pragma once

#include "base/json.h"
#include "fingerprint/nvml_ask.h"

namespace kgate::fingerprint {

// Asks NVML one question after the other and writes each answer, or why there is none, into a field.
class Questions {
 public:
  Questions(const nvml::Functions& call, Json& fields) : call_(call), fields_(fields) {}

  template <typename Value = unsigned, typename Function, typename... Before>
  void number(const char* field, const char* name, Function* function, Before... before) {
    Value value{};
    const std::string why = refusal(call_, name, function, before..., &value);
    fields_[field] = why.empty() ? Json(value) : Json(unknown(why));
  }

  template <typename Function>
  void text(const char* field, const char* name, Function* function, nvml::Device device) {
    fields_[field] = ask_text(call_, name, function, device);
  }

  // Two numbers of one answer.
  template <typename Function>
  void pair(const char* first, const char* second, const char* name, Function* function, nvml::Device device) {
    unsigned one = 0, other = 0;
    const std::string why = refusal(call_, name, function, device, &one, &other);
    fields_[first] = why.empty() ? Json(one) : Json(unknown(why));
    fields_[second] = why.empty() ? Json(other) : Json(unknown(why));
  }

  // Turns 0 and 1 into words, where the answer was one.
  void as_switch(const char* field) {
    Json& value = fields_[field];
    if (value.is_number()) value = value != 0 ? "enabled" : "disabled";
  }

  // The same for other numbers: those without a word become "mode 7".
  template <typename Words>
  void as_word(const char* field, const Words& words) {
    Json& value = fields_[field];
    if (!value.is_number()) return;
    const auto number = value.template get<std::size_t>();
    value = number < words.size() ? std::string(words[number]) : "mode " + std::to_string(number);
  }

 private:
  const nvml::Functions& call_;
  Json& fields_;
};

}  // namespace kgate::fingerprint
