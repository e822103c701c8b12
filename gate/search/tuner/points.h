#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gate/search/tuner/space.h"

namespace kgate::tuner {

// Many configurations, parameter by parameter: what is looked up for all of them at once lies side by side.
class Points {
 public:
  explicit Points(std::size_t parameters) : codes_(parameters) {}

  void add(const Configuration& configuration) {
    for (std::size_t i = 0; i < codes_.size(); ++i) codes_[i].push_back(configuration[i]);
    ++size_;
  }
  std::size_t size() const { return size_; }
  std::size_t parameters() const { return codes_.size(); }
  const std::vector<std::uint16_t>& codes(std::size_t parameter) const { return codes_[parameter]; }
  Configuration at(std::size_t index) const {
    Configuration configuration;
    for (const auto& codes : codes_) configuration.push_back(codes[index]);
    return configuration;
  }

 private:
  std::vector<std::vector<std::uint16_t>> codes_;
  std::size_t size_ = 0;
};

}  // namespace kgate::tuner
