#include "runner/cuda/graph.h"

#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "runner/cuda/errors.h"

namespace kgate::runner::cuda {

Graph::Graph(const Device& device, const std::function<void()>& enqueue) : device_(&device) {
  const Driver& driver = device.driver();
  check(driver.stream_begin_capture(device.stream(), CU_STREAM_CAPTURE_MODE_THREAD_LOCAL), "cuStreamBeginCapture");
  CUgraph graph = nullptr;
  try {
    enqueue();
  } catch (...) {
    // A stream left capturing is of no use to anybody.
    if (driver.stream_end_capture(device.stream(), &graph) == CUDA_SUCCESS && graph != nullptr)
      driver.graph_destroy(graph);
    throw;
  }
  check(driver.stream_end_capture(device.stream(), &graph), "cuStreamEndCapture");
  const CUresult made = driver.graph_instantiate(&executable_, graph, 0);
  driver.graph_destroy(graph);
  check(made, "cuGraphInstantiateWithFlags");
  const CUresult uploaded = driver.graph_upload(executable_, device.stream());
  if (uploaded != CUDA_SUCCESS) driver.graph_executable_destroy(executable_);
  check(uploaded, "cuGraphUpload");
}

Graph::~Graph() {
  if (executable_ != nullptr) device_->driver().graph_executable_destroy(executable_);
}

Graph::Graph(Graph&& other) noexcept : device_(other.device_), executable_(std::exchange(other.executable_, nullptr)) {}

void Graph::launch() const {
  check(device_->driver().graph_launch(executable_, device_->stream()), "cuGraphLaunch");
}

Event::Event(const Device& device) : device_(&device) {
  check(device.driver().event_create(&event_, CU_EVENT_DEFAULT), "cuEventCreate");
}

Event::~Event() {
  if (event_ != nullptr) device_->driver().event_destroy(event_);
}

Event::Event(Event&& other) noexcept : device_(other.device_), event_(std::exchange(other.event_, nullptr)) {}

void Event::record() const {
  check(device_->driver().event_record(event_, device_->stream()), "cuEventRecord");
}

void Event::synchronize() const {
  check(device_->driver().event_synchronize(event_), "cuEventSynchronize");
}

double Event::microseconds_since(const Event& start) const {
  float milliseconds = 0;
  check(device_->driver().event_elapsed_time(&milliseconds, start.event_, event_), "cuEventElapsedTime");
  // A success need not be one. Nothing that is computed from such a number (how many launches make a sample) would hold.
  if (!std::isfinite(milliseconds) || milliseconds < 0) {
    throw Error(ErrorKind::environment, "cuda driver",
                fmt::format("cuEventElapsedTime succeeded and says {} ms", milliseconds),
                driver_meaning(CUDA_ERROR_TIMEOUT).remedy);
  }
  return 1000.0 * static_cast<double>(milliseconds);
}

}  // namespace kgate::runner::cuda
