// How fast inputs are made, in millions of values a second: bench_generators [THREADS].
#include <chrono>
#include <cstdlib>

#include <fmt/format.h>

#include "gate/cases/generator.h"

int main(int argc, char** argv) {
  using namespace kgate;
  using Kind = cases::Generator::Kind;
  const auto threads = static_cast<unsigned>(argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 1);
  constexpr std::uint64_t kCount = 16u << 20;
  const FolderTree tree(".");
  for (const auto& [name, kind] : {std::pair{"normal", Kind::normal}, std::pair{"uniform", Kind::uniform},
                                   std::pair{"integers", Kind::integers}}) {
    cases::Generator generator;
    generator.kind = kind;
    generator.b = kind == Kind::integers ? 1000 : 1;
    const DType type = kind == Kind::integers ? DType::i32 : DType::f32;
    const auto start = std::chrono::steady_clock::now();
    const auto tensor = cases::generate(generator, {type, {kCount}, 1, 0, threads}, tree);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    fmt::print("{:8} {:4} {:8.1f} million values a second on {} thread(s)\n", name, name_of(type),
               static_cast<double>(tensor.data.size() / size_of(type)) / seconds * 1e-6, threads);
  }
}
