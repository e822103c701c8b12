#include "gate/sanitize/places.h"

#include "tests/support/catch.h"

using namespace kgate::sanitize;

namespace {

std::string place(const std::string& line) {
  const auto found = place_in(line);
  return found ? found->file + ":" + std::to_string(found->line) : "";
}

}  // namespace

TEST_CASE("places are read in the forms of all versions") {
  CHECK(place("at scale(float *, float)+0x70 in scale.cu:6") == "scale.cu:6");
  CHECK(place("at scale(float *):0x160 in scale.cu:6") == "scale.cu:6");
  CHECK(place("at 0x278 in /home/me/scale.cu:120:scale(float *, int)") == "/home/me/scale.cu:120");
  CHECK(place("and Read access at sum(int *)+0x100 in a b/sum.cu:51 [508 hazards]") == "a b/sum.cu:51");
  CHECK(place("at [clone k(int *) in x] wait()+0x11f0 in k.cu:42") == "k.cu:42");
  CHECK(place("Device Frame: k(int *)+0xe40 in k.cu:60") == "k.cu:60");
  CHECK(place("at scale(float *, float)+0x70") == "");
  CHECK(place("by thread (0,0,0) in block (0,0,0)") == "");
  CHECK(place("at 0x90 in scale(float *)") == "");
  CHECK(place("") == "");
  CHECK(place(" in ") == "");
}

TEST_CASE("a path means the kernel's file that it ends with") {
  const std::vector<std::string> files{"kernels/a/k.cu", "kernels/b/k.cu", "kernels/b/tile.cuh", "k.cu"};
  CHECK(own_file("kernels/a/k.cu", files) == "kernels/a/k.cu");
  CHECK(own_file("/tmp/x/kernels/b/k.cu", files) == "kernels/b/k.cu");
  CHECK(own_file("tile.cuh", files) == "kernels/b/tile.cuh");
  CHECK(own_file("/usr/include/tile.cuh", files) == std::nullopt);
  CHECK(own_file("other.cu", files) == std::nullopt);
  CHECK(own_file("k.cu", {"kernels/a/k.cu", "kernels/b/k.cu"}) == std::nullopt);
}
