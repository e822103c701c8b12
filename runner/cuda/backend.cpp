#include "runner/cuda/backend.h"

#include <utility>

#include "runner/cuda/compile.h"
#include "runner/cuda/device.h"
#include "runner/cuda/device_memory.h"
#include "runner/cuda/errors.h"
#include "runner/cuda/launch.h"
#include "runner/cuda/module.h"
#include "runner/cuda/timing.h"

namespace kgate::runner {
namespace cuda {
namespace {

class CudaBackend : public Backend {
 public:
  CudaBackend(BackendOptions options, std::function<Driver()> open)
      : options_(std::move(options)), open_(std::move(open)) {}

  DeviceInfo probe() override { return device().info(); }

  Compiled compile(const CompileJob& job) override { return cuda::compile(job); }

  Loaded load(const LoadJob& job) override {
    Device& gpu = device();
    modules_.erase(job.arm);
    return modules_.emplace(job.arm, Module(gpu, job)).first->second.describe();
  }

  std::uint64_t allocate(const Allocation& allocation) override { return memory().allocate(allocation); }
  void write(const Region& region, ByteView data) override { memory().write(region, data); }
  void read(const Region& region, std::span<std::byte> data) override { memory().read(region, data); }

  RunOutcome run(const TimedArm& arm) override {
    Device& gpu = device();
    try {
      Sequence sequence(gpu, modules_, arm.arm, arm.launches, memory().buffers());
      sequence.zero_workspaces(memory().buffers());
      const std::vector<CUdeviceptr> homes = memory().homes();
      sequence.enqueue(homes);
      gpu.synchronize();
    } catch (const KernelFault& fault) {
      return fault_of(fault);
    }
    return {};
  }

  TimeOutcome time(const TimeJob& job, const SampleVisitor& visit) override {
    Device& gpu = device();
    try {
      const std::vector<Buffer>& buffers = memory().buffers();
      std::vector<Arm> arms;
      arms.reserve(job.arms.size());
      for (const TimedArm& arm : job.arms) {
        arms.push_back({{gpu, modules_, arm.arm, arm.launches, buffers}, {gpu, modules_, arm.arm, arm.tail, buffers}});
        arms.back().launches.zero_workspaces(buffers);
      }
      return time_blocks(gpu, memory(), arms, {job, visit});
    } catch (const KernelFault& fault) {
      TimeOutcome outcome;
      outcome.run = fault_of(fault);
      return outcome;
    }
  }

 private:
  static RunOutcome fault_of(const KernelFault& fault) {
    RunOutcome outcome;
    outcome.ok = false;
    outcome.fault = fault.fact();
    return outcome;
  }

  Device& device() {
    if (!device_) device_ = std::make_unique<Device>(open_(), options_.device);
    device_->enter();
    return *device_;
  }

  DeviceMemory& memory() {
    Device& gpu = device();
    if (!memory_) memory_ = std::make_unique<DeviceMemory>(gpu, options_.observed ? 0 : kGuardBytes);
    return *memory_;
  }

  BackendOptions options_;
  std::function<Driver()> open_;
  // In this order: memory and modules go before the device they are on.
  std::unique_ptr<Device> device_;
  std::unique_ptr<DeviceMemory> memory_;
  Modules modules_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const BackendOptions& options, std::function<Driver()> open) {
  return std::make_unique<CudaBackend>(options, std::move(open));
}

}  // namespace cuda

std::unique_ptr<Backend> make_cuda_backend(const BackendOptions& options) {
  return cuda::make_backend(options, cuda::open_driver);
}

}  // namespace kgate::runner
