// kgate_fuzz TARGET EXECUTIONS SEED CORPUS INPUT: so many mutations of the corpus's files. INPUT is a file that holds,
// at any moment, the input that is being tried: where this program ends early, it is the find. Without arguments: the
// names of all targets.
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <string>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/unique_fd.h"
#include "tests/fuzz/hammer.h"
#include "tests/fuzz/targets.h"

using namespace kgate;

namespace {

constexpr std::size_t kMostInput = 1 << 20;

// Memory that outlives the process: eight bytes of length, then the input.
class LastInput {
 public:
  explicit LastInput(const char* path) {
    const UniqueFd file(::open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!file || ::ftruncate(file.get(), sizeof(std::uint64_t) + kMostInput) != 0)
      throw system_error(path, "cannot be written", errno);
    memory_ = static_cast<std::byte*>(
        ::mmap(nullptr, sizeof(std::uint64_t) + kMostInput, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0));
    if (memory_ == MAP_FAILED) throw system_error(path, "cannot be mapped", errno);
  }
  void keep(ByteView input) {
    const std::uint64_t size = std::min(input.size(), kMostInput);
    std::memcpy(memory_, &size, sizeof size);
    if (size > 0) std::memcpy(memory_ + sizeof size, input.data(), size);
  }

 private:
  std::byte* memory_ = nullptr;
};

int run(const FuzzTarget& target, char** argv) {
  LastInput last(argv[5]);
  Hammer options;
  options.executions = std::stoull(argv[2]);
  options.seed = std::stoull(argv[3]);
  options.words = target.words;
  options.before = [&](ByteView input) { last.keep(input); };
  const auto inputs = corpus(argv[4]);
  const auto start = std::chrono::steady_clock::now();
  hammer(target.call, inputs, options);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::printf("%-12s %llu executions of %zu files, seed %s, %.1f s\n", target.name.c_str(),
              static_cast<unsigned long long>(options.executions), inputs.size(), argv[3], seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 6) {
    for (const auto& target : fuzz_targets()) std::puts(target.name.c_str());
    return argc == 1 ? 0 : 64;
  }
  try {
    for (const auto& target : fuzz_targets()) {
      if (target.name == argv[1]) return run(target, argv);
    }
    std::fprintf(stderr, "%s: no such target\n", argv[1]);
    return 64;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: escaped: %s\n", argv[1], error.what());
    return 1;
  }
}
