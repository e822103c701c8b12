#include <algorithm>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/file.h"
#include "base/shared_memory.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

UniqueFd copy_of(int fd) {
  return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
}

}  // namespace

TEST_CASE("shared memory starts as zeros, and what was sealed reads the same on the other side") {
  SharedMemory ours = SharedMemory::create("test", 100000);
  CHECK(ours.size() == 100000);
  CHECK(std::all_of(ours.bytes().begin(), ours.bytes().end(), [](std::byte b) { return b == std::byte{0}; }));
  std::memcpy(ours.writable().data() + 99995, "hello", 5);
  ours.seal();
  ours.seal();
  CHECK(text_of(ours.bytes().subspan(99995)) == "hello");
  const SharedMemory theirs = SharedMemory::open_sealed(copy_of(ours.fd()));
  CHECK(text_of(theirs.bytes().subspan(99995)) == "hello");
}

TEST_CASE("sealed memory cannot be changed any more by anybody") {
  SharedMemory memory = SharedMemory::create("test", 4096);
  memory.seal();
  CHECK(error_of([&] { static_cast<void>(memory.writable()); }) ==
        "internal: shared memory: is sealed and cannot be written");
  CHECK(::pwrite(memory.fd(), "x", 1, 0) < 0);
  CHECK(::ftruncate(memory.fd(), 1) < 0);
  CHECK(::ftruncate(memory.fd(), 8192) < 0);
  CHECK(::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0) == MAP_FAILED);
}

TEST_CASE("memory that its sender could still change is not accepted") {
  const SharedMemory open = SharedMemory::create("test", 10);
  CHECK(error_of([&] { SharedMemory::open_sealed(copy_of(open.fd())); }) ==
        "internal: received memory: is not sealed: its sender could still change it");
  CHECK(error_of([] { SharedMemory::open_sealed(UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC))); }) ==
        "internal: received descriptor: is no memfd");
  CHECK(error_of([] { SharedMemory::open_sealed(UniqueFd()); }) == "internal: received descriptor: is no memfd");
}

TEST_CASE("memory cannot be sealed while another mapping may write it") {
  SharedMemory memory = SharedMemory::create("test", 4096);
  void* other = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, memory.fd(), 0);
  CHECK(error_of([&] { memory.seal(); }) == "internal: shared memory: cannot be sealed: Device or resource busy");
  ::munmap(other, 4096);
}

TEST_CASE("shared memory may be empty") {
  SharedMemory ours = SharedMemory::create("test", 0);
  CHECK(ours.writable().empty());
  ours.seal();
  const SharedMemory theirs = SharedMemory::open_sealed(copy_of(ours.fd()));
  CHECK(theirs.size() == 0);
  CHECK(theirs.bytes().empty());
}

TEST_CASE("more memory than there is is the machine's fault, told before anything is taken") {
  const std::string error = error_of([] { SharedMemory::create("output \"y\"", std::uint64_t{1} << 60); });
  CHECK(error.starts_with("environment: output \"y\": needs 1152921504606.8 MB of memory, and "));
  CHECK(error.ends_with(" MB are free; make the case smaller, or use a machine with more"));
}

TEST_CASE("shared memory moves") {
  SharedMemory first = SharedMemory::create("test", 5);
  std::memcpy(first.writable().data(), "abcde", 5);
  SharedMemory second = std::move(first);
  SharedMemory third;
  third = std::move(second);
  CHECK(text_of(third.bytes()) == "abcde");
  third = SharedMemory::create("test", 1);
  CHECK(third.size() == 1);
}
