#include "gate/scaffold/entries.h"

#include "tests/support/catch.h"

using namespace kgate;
using scaffold::Entry;
using scaffold::find_entries;

namespace {

// "const float* x: in f32", one a parameter.
std::vector<std::string> told(const Entry& entry) {
  std::vector<std::string> lines;
  for (const auto& one : entry.parameters) {
    const std::string dtype = one.dtype ? std::string(name_of(*one.dtype)) : "unknown";
    lines.push_back(one.type + " " + one.name + ": " +
                    (!one.pointer   ? "scalar"
                     : one.writable ? "out"
                                    : "in") +
                    " " + dtype + (one.lanes > 1 ? "x" + std::to_string(one.lanes) : ""));
  }
  return lines;
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("a kernel's parameters are read as people write them") {
  const auto entries = find_entries(R"(
    extern "C" __global__ __launch_bounds__(256, 2) void k(float *__restrict__ y, float const* x, const unsigned n,
        float a = 1.0f, unsigned long long* out, const std::uint8_t m[], const half2* h, double, long int l, bool flag) {
    })");
  REQUIRE(entries.size() == 1);
  CHECK(entries.front().name == "k");
  CHECK(!entries.front().templated);
  CHECK(told(entries.front()) == Lines{"float* y: out f32", "const float* x: in f32", "const unsigned n: scalar u32",
                                       "float a: scalar f32", "unsigned long long* out: out u64",
                                       "const std::uint8_t* m: in u8", "const half2* h: in f16x2",
                                       "double arg7: scalar f64", "long int l: scalar i64", "bool flag: scalar bool"});
}

TEST_CASE("namespaces and templates are told; a declaration, a comment and a string are no kernel") {
  const auto entries = find_entries(R"(
    // __global__ void a() {}
    /* __global__ void b() {} */
    const char* c = "__global__ void c() {}";
    __global__ void d(int n);
    #define E __global__ void e() {}
    namespace nn::detail { namespace {
    template <typename T, int N = (3 > 2)> __global__ void f(T* y, Pair<T, N> p, T** rows) { if (p) { } }
    } struct S { void g(); }; }
    template <> __global__ void h<int>(int* y) {}
    __global__ void i() {}
    __global__ void j(void) {})");
  std::vector<std::string> names;
  for (const auto& one : entries) names.push_back(one.name);
  REQUIRE(names == std::vector<std::string>{"nn::detail::f", "i", "j"});
  CHECK(entries[0].templated);
  CHECK(told(entries[0]) == Lines{"T* y: out unknown", "Pair<T, N> p: scalar unknown", "T** rows: out unknown"});
  CHECK(entries[1].parameters.empty());
  CHECK(entries[2].parameters.empty());
}

TEST_CASE("text that is no C++ has no kernel, and ends") {
  for (const char* text :
       {"", "__global__", "__global__ void", "__global__ void k(", "__global__ void k((((", "} } } __global__ {",
        "template <", "namespace", "__global__ void k(int n", "__global__ __launch_bounds__(", "\"", "/*"}) {
    INFO(text);
    CHECK(find_entries(text).empty());
  }
  CHECK(find_entries("__global__ void k(int n) {").size() == 1);  // the end is missing, the kernel is not
}

TEST_CASE("quoted includes are found where they are directives") {
  CHECK(scaffold::quoted_includes(
            "#include \"a.cuh\"\n  # include \"../b.h\"  // \"x\"\n#include <c.h>\n// #include \"d.h\"\n"
            "const char* s = \"#include \\\"e.h\\\"\";\n") == std::vector<std::string>{"a.cuh", "../b.h"});
}
