// bench_formats [CASES]: how long each format of a result takes, and how large it is.
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "bench/large_result.h"
#include "gate/report/writers.h"

int main(int argc, char** argv) {
  using Clock = std::chrono::steady_clock;
  constexpr std::size_t kOfKernel = 20;
  const std::size_t cases = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 2000;
  const auto result = kgate::bench::large_result((cases + kOfKernel - 1) / kOfKernel, kOfKernel);
  double total = 0;
  for (const auto& writer : kgate::report::writers()) {
    const auto start = Clock::now();
    const std::string text = writer.write(result, {});
    const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
    total += seconds;
    std::printf("%-12s %8.4f s %10zu bytes\n", writer.name, seconds, text.size());
  }
  std::printf("%-12s %8.4f s\n", "all", total);
}
