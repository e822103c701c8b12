#include "tests/cuda/fake_backend.h"
#include "tests/support/errors.h"

using namespace kgate;
using namespace kgate::runner;
using namespace kgate::test;

namespace {

std::string fault_of_launch(const std::function<void(Launch&, FakeDriver&)>& change) {
  FakeDriver fake;
  fake.kernels["scale"] = scale_kernel();
  Launch launch = scale_launch(4, 2);
  change(launch, fake);
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate(scale_buffers(16, 0));
  const RunOutcome outcome = backend->run({0, {launch}});
  return outcome.ok ? "ok" : outcome.fault;
}

}  // namespace

TEST_CASE("a kernel runs on what was written, and what it wrote is read back") {
  FakeDriver fake;
  fake.kernels["scale"] = scale_kernel();
  {
    const auto backend = backend_over(fake);
    const DeviceInfo info = backend->probe();
    CHECK(info.name == "Fake GPU");
    CHECK(info.architecture == "sm_90");
    CHECK(info.uuid == "GPU-10101010-1010-1010-1010-101010101010");
    CHECK(info.driver_api == 13000);
    load_all(*backend, fake);
    CHECK(backend->allocate(scale_buffers(16, 0)) == 0);
    write_floats(*backend, 1, {1, 2, 3, 4});
    REQUIRE(backend->run({0, {scale_launch(4, 2)}}).ok);
    CHECK(read_floats(*backend, 0, 4) == std::vector<float>{2, 4, 6, 8});
  }
  CHECK(fake.alive().empty());
}

TEST_CASE("nothing of the driver is touched before a device is needed") {
  bool opened = false;
  const auto backend = cuda::make_backend({}, [&]() -> cuda::Driver {
    opened = true;
    throw Error(ErrorKind::environment, "cuda driver", "is not there");
  });
  CHECK(error_of([&] { backend->compile({}); }) != "no error");
  CHECK(!opened);
  CHECK(error_of([&] { backend->probe(); }) == "environment: cuda driver: is not there");
}

TEST_CASE("what is loaded is described by its resources and the sizes of its parameters") {
  FakeDriver fake;
  fake.kernels["scale"] = scale_kernel();
  fake.kernels["scale"].registers = 40;
  fake.kernels["scale"].static_shared = 512;
  fake.kernels["scale"].local = 16;
  const auto backend = backend_over(fake);
  const Loaded loaded = backend->load({0, bytes_of("cubin"), {{"scale<float>", "scale"}}});
  const Resources resources = loaded.resources.at("scale<float>");
  CHECK(resources.registers == 40);
  CHECK(resources.shared_bytes == 512);
  CHECK(resources.spill_bytes == 16);
  CHECK(resources.code_bytes == 5);
  CHECK(loaded.parameter_bytes.at("scale<float>") == std::vector<std::uint32_t>{8, 8, 4, 4});
}

TEST_CASE("a symbol that the code does not have is a usage error, and the module goes") {
  FakeDriver fake;
  const auto backend = backend_over(fake);
  CHECK(error_of([&] {
          backend->load({0, bytes_of("cubin"), {{"softmax", "_Z7softmaxPf"}}});
        }) ==
        "usage: entry \"softmax\": the machine code has no kernel \"_Z7softmaxPf\"; correct entry in kernel.toml");
  CHECK(fake.alive().count("module") == 0);
}

TEST_CASE("launches over the limits are findings that name the entry, the number and the limit") {
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.block = {2048, 1, 1};
        }) == "scale: the block is 2048 x 1 x 1: at most 1024 threads are possible in x");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.block = {64, 32, 1};
        }) == "scale: the block is 64 x 32 x 1, 2048 threads: this GPU takes at most 1024");
  CHECK(fault_of_launch([](Launch&, FakeDriver& f) {
          f.kernels["scale"].block_threads = 64;
          f.kernels["scale"].registers = 255;
        }) ==
        "scale: the block is 128 x 1 x 1, 128 threads: with 255 registers a thread and its launch bounds this kernel "
        "can have at most 64");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.grid = {1, 70000, 1};
        }) == "scale: the grid is 1 x 70000 x 1: at most 65535 blocks are possible in y");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.grid = {0, 1, 1};
        }) == "scale: the grid is 0 x 1 x 1: every side must be at least 1");
  CHECK(
      fault_of_launch([](Launch& l, FakeDriver& f) {
        l.shared_bytes = 240000;
        f.kernels["scale"].static_shared = 16;
      }) ==
      "scale: it needs 240016 bytes of shared memory a block (240000 dynamic, 16 static): this GPU has at most 232448");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.cluster = {{32, 1, 1}};
        }) == "scale: the cluster is 32 x 1 x 1: 1 to 16 blocks are possible");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.grid = {3, 1, 1};
          l.cluster = {{2, 1, 1}};
        }) == "scale: the grid is 3 x 1 x 1: not a multiple of the cluster, 2 x 1 x 1");
  CHECK(fault_of_launch([](Launch& l, FakeDriver& f) {
          l.cluster = {{1, 1, 1}};
          f.major = 8;
        }) == "scale: clusters need sm_90 or newer, and this GPU is sm_80");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) {
          l.grid = {9, 1, 1};
          l.cooperative = true;
        }) == "scale: the cooperative grid is 9 x 1 x 1, 9 blocks: at most 8 can be on this GPU at once");
}

TEST_CASE("arguments that do not match the kernel's parameters are findings, not crashes") {
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) { l.arguments.pop_back(); }) ==
        "scale: it has 4 parameters, and the launch passes 3");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) { l.arguments[3] = scalar(2.0); }) ==
        "scale: its parameter 4 has 4 bytes, and the launch passes 8 (a scalar)");
  CHECK(fault_of_launch([](Launch& l, FakeDriver&) { l.arguments[2] = pointer(0); }) ==
        "scale: its parameter 3 has 4 bytes, and the launch passes 8 (a pointer)");
  // A driver older than 12.4 cannot tell: the missing arguments read as zero.
  CHECK(fault_of_launch([](Launch& l, FakeDriver& f) {
          f.parameter_info = false;
          l.arguments.resize(2);
        }) == "ok");
}

TEST_CASE("clusters, cooperative launches and large shared memory reach the driver") {
  FakeDriver fake;
  fake.kernels["scale"] = scale_kernel();
  const auto backend = backend_over(fake);
  load_all(*backend, fake);
  backend->allocate(scale_buffers(16, 0));
  Launch launch = scale_launch(4, 2);
  launch.grid = {4, 1, 1};
  launch.cluster = {{2, 1, 1}};
  launch.cooperative = true;
  launch.shared_bytes = 100000;
  REQUIRE(backend->run({0, {launch}}).ok);
  REQUIRE(fake.launches.size() == 1);
  const FakeLaunch& seen = fake.launches.front();
  CHECK(seen.config.sharedMemBytes == 100000);
  REQUIRE(seen.attributes.size() == 2);
  CHECK(seen.attributes[0].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION);
  CHECK(seen.attributes[0].value.clusterDim.x == 2);
  CHECK(seen.attributes[1].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE);
  CHECK(seen.attributes[1].value.cooperative == 1);
}

TEST_CASE("rooms are filled with any pattern, guards and payload, and other buffers stay as they are") {
  FakeDriver fake;
  const auto backend = backend_over(fake);
  const std::uint64_t bytes = (9u << 20) + 13;  // more than two pieces of the staging buffer
  backend->allocate({{buffer("a", BufferRole::output, bytes), buffer("b", BufferRole::output, 100)}, 0});
  const std::uint64_t room = bytes + 2 * kGuardBytes;
  backend->write({1, 0, 100 + 2 * kGuardBytes}, bytes_of("\x11"));
  for (const std::string& pattern :
       {std::string("\xA5"), std::string("abcd"), std::string("abc"), std::string("0123456789abcdef!")}) {
    backend->write({0, 0, room}, view_of(pattern));
    Bytes read(room);
    backend->read({0, 0, room}, read);
    bool equal = true;
    for (std::uint64_t i = 0; i < room; ++i)
      equal = equal && read[i] == static_cast<std::byte>(pattern[i % pattern.size()]);
    CHECK(equal);
  }
  Bytes other(100);
  backend->read({1, kGuardBytes, 100}, other);
  CHECK(other == Bytes(100, std::byte{0x11}));
  CHECK(error_of([&] {
          backend->write({0, 1, room}, bytes_of("x"));
        }) == "internal: device memory: bytes 1 to 9445390 are not in buffer 0");
}

TEST_CASE("buffers that do not fit are an environment error with both numbers, and nothing stays behind") {
  FakeDriver fake;
  fake.memory_bytes = 64ull << 20;
  const auto backend = backend_over(fake);
  CHECK(error_of([&] { backend->allocate(scale_buffers(40ull << 20, 0)); }) ==
        "environment: device memory: the buffers need 83902464 bytes and the GPU has 67108864 free; make the case "
        "smaller, stop other "
        "processes on this GPU, or use one with more memory");
  CHECK(fake.allocated() == 0);
  CHECK(error_of([&] { backend->allocate(scale_buffers(~0ull - 5, 0)); }).find("18446744073709551615 bytes") !=
        std::string::npos);
}

TEST_CASE("a pool that does not fit is made smaller, down to none, and one that fits is kept for the next allocation") {
  FakeDriver fake;
  fake.memory_bytes = 3ull << 30;
  const auto backend = backend_over(fake);
  const std::uint64_t got = backend->allocate(scale_buffers(1 << 20, 64ull << 30));
  CHECK(got > (1ull << 30));
  CHECK(got <= (2ull << 30));
  CHECK(got % (2u << 20) == 0);
  const long calls = fake.calls;
  CHECK(backend->allocate(scale_buffers(2 << 20, 64ull << 30)) == got);
  CHECK(fake.calls - calls < 10);
  CHECK(backend->allocate(scale_buffers(1 << 20, 0)) == 0);
  CHECK(fake.allocated() < (4u << 20));
  // Buffers come first: the pool makes way.
  CHECK(backend->allocate(scale_buffers(1 << 20, 1ull << 30)) == (1ull << 30));
  CHECK(backend->allocate(scale_buffers(1200ull << 20, 1ull << 30)) == 0);
}

TEST_CASE("a device is chosen by index, by UUID or by the beginning of one") {
  FakeDriver fake;
  fake.devices = 3;
  CHECK(backend_over(fake, "1")->probe().uuid == "GPU-11111111-1111-1111-1111-111111111111");
  CHECK(backend_over(fake, "GPU-12121212-1212-1212-1212-121212121212")->probe().uuid ==
        "GPU-12121212-1212-1212-1212-121212121212");
  CHECK(backend_over(fake, "GPU-12")->probe().uuid == "GPU-12121212-1212-1212-1212-121212121212");
  CHECK(error_of([&] { backend_over(fake, "3")->probe(); }) ==
        "environment: device 3: the driver sees 3 GPUs; list them with nvidia-smi -L");
  CHECK(error_of([&] { backend_over(fake, "GPU-1")->probe(); }) ==
        "environment: device GPU-1: more than one GPU has a UUID that begins like this; list them with nvidia-smi -L");
  CHECK(error_of([&] { backend_over(fake, "GPU-ffff")->probe(); }) ==
        "environment: device GPU-ffff: no GPU that the driver sees has this UUID; list them with nvidia-smi -L");
  fake.devices = 0;
  CHECK(error_of([&] { backend_over(fake)->probe(); }) ==
        "environment: cuda driver: cuDeviceGetCount failed with CUDA_ERROR_NO_DEVICE (100): the driver sees no GPU; "
        "look at nvidia-smi; "
        "in a container, start it with access to the GPU (--gpus all)");
}

TEST_CASE("under an observer a buffer is an allocation of its exact size, and works as ever") {
  FakeDriver fake;
  fake.kernels["scale"] = scale_kernel();
  {
    BackendOptions options;
    options.observed = true;
    const auto backend = cuda::make_backend(options, [&fake] { return fake.table(); });
    const std::uint64_t before = backend->probe().free_bytes;
    load_all(*backend, fake);
    backend->allocate(scale_buffers(16, 0));
    CHECK(before - backend->probe().free_bytes == 32);
    write_floats(*backend, 1, {1, 2, 3, 4});
    REQUIRE(backend->run({0, {scale_launch(4, 2)}}).ok);
    CHECK(read_floats(*backend, 0, 4) == std::vector<float>{2, 4, 6, 8});
    Bytes guard(8);
    CHECK(error_of([&] { backend->read({0, 0, 8}, guard); }).starts_with("internal: device memory"));
    CHECK(error_of([&] { backend->read({0, kGuardBytes + 16, 8}, guard); }).starts_with("internal: device memory"));
    backend->allocate({{buffer("empty", BufferRole::output, 0)}, 0});
  }
  CHECK(fake.alive().empty());
}
