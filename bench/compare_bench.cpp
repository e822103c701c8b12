// How fast outputs are compared, on one core, in GB of output a second: bench_compare [MiB].
#include <chrono>
#include <cstdlib>
#include <cstring>

#include <fmt/format.h>

#include "gate/verdict/check/compare.h"

int main(int argc, char** argv) {
  using namespace kgate;
  const std::uint64_t bytes = (argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 256) << 20;
  for (const DType type : {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32}) {
    const std::uint64_t count = bytes / size_of(type);
    Bytes expected(bytes), got(bytes);
    for (std::uint64_t i = 0; i < count; ++i)
      store_element(type, static_cast<double>(i % 1000) + 1, expected.data() + i * size_of(type));
    std::memcpy(got.data(), expected.data(), bytes);
    cases::Tolerance tolerance;
    if (is_float(type)) tolerance.rtol = 1e-5;
    double best = 1e9;
    bool right = true;
    for (int i = 0; i < 5; ++i) {
      const auto start = std::chrono::steady_clock::now();
      right = verdict::compare_output({type, expected}, {type, got}, {count}, tolerance).right && right;
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    }
    fmt::print("{:5} {:6} MiB  {:6.2f} GB/s of output  {}\n", name_of(type), bytes >> 20,
               static_cast<double>(bytes) / best * 1e-9, right ? "right" : "WRONG");
  }
}
