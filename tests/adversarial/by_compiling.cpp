#include "tests/adversarial/cheat.h"

// What is included here is a file beside the repository that holds a secret; the harness looks for the secret in all
// that kgate writes.

namespace {

constexpr const char* kLandlock = "the sandbox: the compiler's process can open its own folder and the toolkit's";
constexpr const char* kHonest = R"(
#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
}
)";

Cheat includes(const std::string& name, const std::string& tries, const std::string& line, const std::string& words) {
  return {.name = name,
          .tries = tries,
          .expected = wrong(),
          .words = words,
          .caught_by = "a scan of the lines, for the message's sake, before the sandbox (Landlock)",
          .task = &untimed_blend(),
          .source = line + kHonest,
          .compiles = false,
          .landlock = words.empty()};
}

}  // namespace

std::vector<Cheat> cheats_by_compiling() {
  return {
      includes("includes_a_secret", "includes a file of the runner's by its absolute path", "#include \"{secret}\"",
               "by an absolute path"),
      includes("includes_by_dots", "leaves the repository by `../../../..`",
               "#include \"../../../../../../../../../../../../../../../..{secret}\"", "outside the repository"),
      includes("includes_by_a_macro", "builds the path with a macro", "#define SECRET \"{secret}\"\n#include SECRET",
               "includes what a macro names"),
      includes("includes_by_a_spliced_line", "breaks `#include` over two lines",
               "#inc\\\nlude \"{secret}\"", ""),
      includes("includes_by_a_digraph", "writes `%:include`", "%:include \"{secret}\"", ""),
      includes("includes_behind_a_comment", "puts a comment between `#` and `include`", "#/* */include \"{secret}\"",
               ""),
      includes("includes_the_environment", "includes the environment of the compiler's own process",
               "%:include \"/proc/self/environ\"", ""),
      includes("embeds_a_secret", "asks for the bytes with `#embed`",
               "__device__ const unsigned char secret[] = {\n#embed \"{secret}\"\n};", ""),
      {.name = "asks_whether_it_is_there",
       .tries = "takes a secret in where `__has_include` finds it, and is honest elsewhere",
       .expected = wrong(),
       .caught_by = "an absolute path is refused there too; else the sandbox (Landlock)",
       .task = &untimed_blend(),
       .source = std::string("#if __has_include(\"{secret}\")\n%:include \"{secret}\"\n#endif") + kHonest,
       .compiles = false,
       .landlock = true},
      {.name = "assembles_a_secret",
       .tries =
           "has the assembler put the file into the object with `.incbin`, in an `asm` that no scan of words finds",
       .place = Place::host,
       .expected = {kgate::verdict::Verdict::wrong, kgate::verdict::Verdict::environment},
       .caught_by = kLandlock,
       .task = &untimed_blend(),
       .source = std::string("#define JOIN(a, b) a##b\nJOIN(__as, m__)(\".section .rodata\\n.incbin "
                             "\\\"{secret}\\\"\\n.text\\n\");") +
                 kHonest,
       .landlock = true},
      {.name = "assembles_ptx",
       .tries = "the same in inline PTX",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "PTX has no such thing",
       .task = &untimed_blend(),
       .source = R"(#include "blend.cuh"
__global__ void blend(float* y, const float* x, int n, int rounds) {
  asm volatile(".incbin \"{secret}\";");
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
}
)",
       .compiles = false},
      {.name = "launches_children",
       .tries = "launches kernels from the kernel, to go on when its own time is over",
       .place = Place::gpu,
       .expected = wrong(),
       .caught_by = "the compiler: device-side launches need relocatable code, which is refused",
       .task = &untimed_blend(),
       .source = R"(#include "blend.cuh"
__global__ void child(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
}
__global__ void blend(float* y, const float* x, int n, int rounds) {
  if (threadIdx.x == 0) child<<<1, 256>>>(y, x, n, rounds);
}
)",
       .compiles = false},
      {.name = "compiles_without_end",
       .tries = "instantiates templates without end",
       .expected = wrong(),
       .words = "did not finish within",
       .caught_by = "the compiler's deadline, and its limit on memory",
       .task = &lone_blend(),
       .source = std::string(R"(
template <int depth, unsigned long long path>
struct Tree { static constexpr int size = Tree<depth - 1, 2 * path>::size + Tree<depth - 1, 2 * path + 1>::size; };
template <unsigned long long path>
struct Tree<0, path> { static constexpr int size = 1; };
__device__ int endless = Tree<60, 1>::size;
)") + kHonest,
       .compiles = false,
       .endless = true},
      {.name = "compiles_without_measure",
       .tries = "unrolls by macros to 2^30 statements",
       .expected = wrong(),
       .caught_by = "the compiler's limit on memory, or its deadline",
       .task = &lone_blend(),
       .source = R"(#include "blend.cuh"
#define A(s) s s s s s s s s s s s s s s s s s s s s s s s s s s s s s s s s
#define B(s) A(A(s))
__global__ void blend(float* y, const float* x, int n, int rounds) {
  int i = ELEMENT;
  if (i < n) y[i] = answer(x[i], rounds);
  B(B(B(y[i] += 1.0f;)))
}
)",
       .compiles = false,
       .endless = true},
  };
}
