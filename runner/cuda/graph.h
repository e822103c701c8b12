#pragma once

#include <functional>

#include "runner/cuda/device.h"

namespace kgate::runner::cuda {

// An executable graph of what `enqueue` puts on the device's stream, uploaded: one launch of it costs the processor a
// few microseconds, however many kernels it holds.
class Graph {
 public:
  Graph(const Device& device, const std::function<void()>& enqueue);
  ~Graph();
  Graph(Graph&& other) noexcept;
  Graph& operator=(Graph&&) = delete;
  void launch() const;

 private:
  const Device* device_;
  CUgraphExec executable_ = nullptr;
};

class Event {
 public:
  explicit Event(const Device& device);
  ~Event();
  Event(Event&& other) noexcept;
  Event& operator=(Event&&) = delete;
  void record() const;
  void synchronize() const;
  double microseconds_since(const Event& start) const;

 private:
  const Device* device_;
  CUevent event_ = nullptr;
};

}  // namespace kgate::runner::cuda
