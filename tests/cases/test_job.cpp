#include <cstring>

#include "gate/cases/job.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::Bytes;
using kgate::DType;
using kgate::Shape;
using kgate::cases::bind;
using kgate::cases::Binding;
using kgate::cases::CasesSpec;
using kgate::cases::entries_of;
using kgate::cases::KernelSpec;
using kgate::cases::make_inputs;
using kgate::cases::parse_cases;
using kgate::cases::parse_kernel;
using kgate::cases::version_of;
using kgate::runner::BufferRole;
using kgate::test::edited;
using kgate::test::kCases;
using kgate::test::kKernel;
using kgate::test::MemoryTree;

namespace {

const char* const kKernelPath = "kernels/softmax/kernel.toml";
const char* const kCasesPath = "kernels/softmax/cases.toml";

template <typename T>
Bytes little_endian(T value) {
  Bytes bytes(sizeof(value));
  std::memcpy(bytes.data(), &value, sizeof(value));
  return bytes;
}

Binding bind_first(const std::string& kernel_text, const std::string& cases_text) {
  const CasesSpec cases = parse_cases(cases_text, kCasesPath);
  const KernelSpec kernel = parse_kernel(kernel_text, kKernelPath);
  return bind(cases, cases.cases[0], version_of(kernel));
}

// What bind says to the good files with one edit of kernel.toml.
std::string kernel_complaint(const std::string& from, const std::string& to) {
  return error_of([&] { bind_first(edited(kKernel, from, to), kCases); });
}

std::string cases_complaint(const std::string& from, const std::string& to) {
  return error_of([&] { bind_first(kKernel, edited(kCases, from, to)); });
}

}  // namespace

TEST_CASE("a case is bound to buffers, launches and arguments") {
  const Binding binding = bind_first(kKernel, kCases);
  REQUIRE(binding.buffers.size() == 3);
  CHECK(binding.buffers[0].name == "y");
  CHECK(binding.buffers[0].role == BufferRole::output);
  CHECK(binding.buffers[0].dtype == DType::f32);
  CHECK(binding.buffers[0].bytes == 4 * 31 * 37);
  CHECK_FALSE(binding.buffers[0].zeroed);
  CHECK(binding.buffers[1].role == BufferRole::input);
  CHECK(binding.buffers[2].name == "partial");
  CHECK(binding.buffers[2].role == BufferRole::workspace);
  CHECK(binding.buffers[2].bytes == 4);
  CHECK(binding.buffers[2].zeroed);
  CHECK(binding.shapes == std::vector<Shape>{{31, 37}, {31, 37}, {1}});
  REQUIRE(binding.launches.size() == 2);
  CHECK(binding.launches[0].entry == "softmax<256, float>");
  CHECK(binding.launches[0].grid == std::array<std::uint32_t, 3>{31, 1, 1});
  CHECK(binding.launches[0].block == std::array<std::uint32_t, 3>{256, 1, 1});
  CHECK(binding.launches[0].shared_bytes == 32);
  REQUIRE(binding.launches[0].arguments.size() == 4);
  CHECK(binding.launches[0].arguments[0].buffer == 0U);
  CHECK(binding.launches[0].arguments[1].buffer == 1U);
  CHECK_FALSE(binding.launches[0].arguments[2].buffer);
  CHECK(binding.launches[0].arguments[2].scalar == little_endian(std::int32_t{31}));
  CHECK(binding.launches[0].arguments[3].scalar == little_endian(0.25F));
  REQUIRE(binding.launches[1].arguments.size() == 3);
  CHECK(binding.launches[1].arguments[1].buffer == 2U);
}

TEST_CASE("a reference is bound with its own defines and its wider outputs") {
  const CasesSpec cases = parse_cases(edited(kCases, "block = [1, 1, 1]", "block = [\"WIDE\", 1, 1]"), kCasesPath);
  const Binding binding = bind(cases, cases.cases[0], version_of(*cases.reference));
  CHECK(binding.buffers[0].dtype == DType::f64);
  CHECK(binding.buffers[0].bytes == 8 * 31 * 37);
  CHECK(binding.launches.at(0).entry == "softmax_reference");
  CHECK(binding.launches.at(0).block[0] == 1);
}

TEST_CASE("entries are distinct, with defines substituted") {
  const KernelSpec kernel = parse_kernel(edited(kKernel, "\"finish\"", "\"softmax<BLOCK,  T>\""), kKernelPath);
  CHECK(entries_of(version_of(kernel)) == std::vector<std::string>{"softmax<256, float>", "softmax<256,  float>"});
  const KernelSpec twice = parse_kernel(edited(kKernel, "\"finish\"", "\"softmax<BLOCK, T>\""), kKernelPath);
  CHECK(entries_of(version_of(twice)) == std::vector<std::string>{"softmax<256, float>"});
}

TEST_CASE("empty shapes have no bytes, and a grid of no blocks launches nothing") {
  const Binding binding = bind_first(kKernel, edited(kCases, "rows = 31", "rows = 0"));
  CHECK(binding.buffers[0].bytes == 0);
  REQUIRE(binding.launches.size() == 1);
  CHECK(binding.launches[0].entry == "finish");
}

TEST_CASE("scalars are exact for 64-bit integers, and errors where they do not fit") {
  const auto scalar = [](const std::string& dtype, const std::string& value) {
    const std::string text =
        edited(kCases, "dtype = \"i32\"\nvalue = \"rows\"", "dtype = \"" + dtype + "\"\nvalue = " + value);
    return bind_first(kKernel, text).launches.at(0).arguments.at(2).scalar;
  };
  CHECK(scalar("i64", "9223372036854775807") == little_endian(std::int64_t{9223372036854775807}));
  CHECK(scalar("i64", "-9007199254740993") == little_endian(std::int64_t{-9007199254740993}));
  CHECK(scalar("u64", "\"rows * cols\"") == little_endian(std::uint64_t{31 * 37}));
  CHECK(scalar("u8", "255") == Bytes{std::byte{255}});
  CHECK(scalar("f64", "\"rows\"") == little_endian(31.0));
  CHECK(scalar("f64", "1e-3") == little_endian(1e-3));
  CHECK(scalar("f16", "1.5") == little_endian(std::uint16_t{0x3e00}));
  CHECK(scalar("bool", "true") == Bytes{std::byte{1}});
  const auto complaint = [&](const std::string& dtype, const std::string& value) {
    return error_of([&] { scalar(dtype, value); });
  };
  const std::string where = "usage: kernels/softmax/cases.toml:19: param[2].value: ";
  const std::string hint = "; use a wider type, or smaller sizes";
  CHECK(complaint("u8", "256") == where + "\"256\" is 256, which does not fit u8" + hint);
  CHECK(complaint("i8", "\"rows * cols\"") == where + "\"rows * cols\" is 1147, which does not fit i8" + hint);
  CHECK(complaint("u64", "-1") == where + "\"-1\" is -1, which does not fit u64" + hint);
  CHECK(complaint("i32", "2147483648") == where + "\"2147483648\" is 2147483648, which does not fit i32" + hint);
  CHECK(complaint("bool", "2") == where + "\"2\" is 2, which does not fit bool" + hint);
  CHECK(complaint("f16", "70000") == where + "\"70000\" is 70000, which does not fit f16" + hint);
}

TEST_CASE("a candidate's define must not be named like a size, and only integers stand in expressions") {
  CHECK(kernel_complaint("T = \"float\"", "rows = 4, T = \"float\"") ==
        "usage: kernels/softmax/kernel.toml: defines.rows: is also a size of kernels/softmax/cases.toml:38: case "
        "\"odd\"; rename the "
        "define");
  CHECK(kernel_complaint("block = [\"BLOCK\"", "block = [\"T\"") ==
        "usage: kernels/softmax/kernel.toml:13: launch[0].block[0]: \"T\" has \"T\", which is defined as \"float\" and "
        "not as an "
        "integer; use an integer, or sizes");
  CHECK(kernel_complaint("grid = [\"rows\"", "grid = [\"row\"") ==
        "usage: kernels/softmax/kernel.toml:12: launch[0].grid[0]: \"row\" has the unknown name \"row\"; did you mean "
        "\"rows\"?");
  CHECK(kernel_complaint("block = [\"BLOCK\"", "block = [\"FAST * 32\"") == "no error");
}

TEST_CASE("the interface never sees a candidate's defines") {
  CHECK(cases_complaint("shape = [\"rows\", \"cols\"]", "shape = [\"rows\", \"BLOCK\"]") ==
        "usage: kernels/softmax/cases.toml:38: case \"odd\": size \"BLOCK\" is missing, which the shape of \"y\" uses; "
        "add sizes = { "
        "BLOCK = 1024 }, or correct the expression");
}

TEST_CASE("arguments must be parameters or workspaces") {
  CHECK(kernel_complaint("args = [\"y\", \"partial\"", "args = [\"y\", \"parital\"") ==
        "usage: kernels/softmax/kernel.toml:16: launch[1].args[1]: \"parital\" is neither a parameter nor a workspace; "
        "did you mean "
        "\"partial\"?");
  CHECK(kernel_complaint("args = [\"y\", \"partial\"", "args = [\"y\", \"q\"") ==
        "usage: kernels/softmax/kernel.toml:16: launch[1].args[1]: \"q\" is neither a parameter nor a workspace; known "
        "names: partial, "
        "rows, scale, x, y");
  CHECK(kernel_complaint("name = \"partial\"", "name = \"x\"") ==
        "usage: kernels/softmax/kernel.toml:22: workspace[0]: \"x\" is also the name of a parameter; rename the "
        "workspace");
}

TEST_CASE("launches over CUDA's limits are errors with the expression's place") {
  const std::string grid = "usage: kernels/softmax/kernel.toml:12: launch[0].grid";
  const std::string block = "usage: kernels/softmax/kernel.toml:13: launch[0].block";
  CHECK(kernel_complaint("[\"rows\", 1, 1]", "[\"rows - 32\", 1, 1]") ==
        grid + "[0]: \"rows - 32\" is -1; it must be between 0 and 2147483647");
  CHECK(kernel_complaint("[\"rows\", 1, 1]", "[2147483648, 1, 1]") ==
        grid + "[0]: \"2147483648\" is 2147483648; it must be between 0 and 2147483647");
  CHECK(kernel_complaint("[\"rows\", 1, 1]", "[1, 65536, 1]") ==
        grid + "[1]: \"65536\" is 65536; it must be between 0 and 65535");
  CHECK(kernel_complaint("[\"rows\", 1, 1]", "[1, 1, 65536]") ==
        grid + "[2]: \"65536\" is 65536; it must be between 0 and 65535");
  CHECK(kernel_complaint("[\"BLOCK\", 1, 1]", "[0, 1, 1]") == block + "[0]: \"0\" is 0; it must be between 1 and 1024");
  CHECK(kernel_complaint("[\"BLOCK\", 1, 1]", "[1025, 1, 1]") ==
        block + "[0]: \"1025\" is 1025; it must be between 1 and 1024");
  CHECK(kernel_complaint("[\"BLOCK\", 1, 1]", "[1, 1, 65]") ==
        block + "[2]: \"65\" is 65; it must be between 1 and 64");
  CHECK(kernel_complaint("[\"BLOCK\", 1, 1]", "[\"BLOCK\", 8, 1]") ==
        "usage: kernels/softmax/kernel.toml:10: launch[0].block: has 2048 threads; a block has at most 1024");
  CHECK(kernel_complaint("\"4 * BLOCK / 32\"", "-1") ==
        "usage: kernels/softmax/kernel.toml:14: launch[0].shared: \"-1\" is -1; it must be between 0 and 2147483647");
  CHECK(kernel_complaint("\"4 * BLOCK / 32\"", "\"4 * BLOCK / 32\"\ncluster = [2, 1, 1]") ==
        grid + "[0]: is 31, which is no multiple of the cluster's 2; use round_up(..., cluster)");
  CHECK(kernel_complaint("\"4 * BLOCK / 32\"", "\"4 * BLOCK / 32\"\ncluster = [4, 4, 2]") ==
        "usage: kernels/softmax/kernel.toml:10: launch[0].cluster: has more than 16 blocks; make it smaller");
}

TEST_CASE("shapes that are negative or too large are errors with the expression's place") {
  const std::string where = "usage: kernels/softmax/cases.toml:9: param[0].shape[0]: ";
  CHECK(cases_complaint("shape = [\"rows\", \"cols\"]", "shape = [\"rows - 32\"]") ==
        where + "\"rows - 32\" is -1; an extent is between 0 and 2^31-1");
  CHECK(cases_complaint("shape = [\"rows\", \"cols\"]", "shape = [2147483648]") ==
        where + "\"2147483648\" is 2147483648; an extent is between 0 and 2^31-1");
  CHECK(cases_complaint("shape = [\"rows\", \"cols\"]", "shape = [2147483647, 2147483647]") ==
        "usage: kernels/softmax/cases.toml:5: param \"y\": shape [2147483647, 2147483647] has more than 2^53 elements; "
        "make it smaller");
  CHECK(cases_complaint("shape = [\"rows\", \"cols\"]", "shape = [67108864, 134217728]") ==
        "usage: kernels/softmax/cases.toml:5: param \"y\": shape [67108864, 134217728] of f32 has more than 2^53 "
        "bytes; make it smaller");
  CHECK(kernel_complaint("shape = [\"ceil_div(cols, 256)\"]", "shape = [\"0 - cols\"]") ==
        "usage: kernels/softmax/kernel.toml:25: workspace[0].shape[0]: \"0 - cols\" is -37; an extent is between 0 and "
        "2^31-1");
}

TEST_CASE("inputs are made for in and inout parameters, by buffer, from one seed") {
  std::string text =
      edited(kCases, "[reference]",
             "[[param]]\nname = \"h\"\nkind = \"inout\"\ndtype = \"u16\"\nshape = [4]\ninit = \"zero\"\n"
             "[[param]]\nname = \"w\"\nkind = \"in\"\ndtype = \"f32\"\nshape = [\"rows\", \"cols\"]\n[reference]");
  for (int i = 0; i < 2; ++i) {
    text = edited(text, i == 0 ? "{ x = { normal = [0.0, 1.0] } }" : "{ x = { uniform = [-1, 1] } }",
                  "{ x = { normal = [0.0, 1] }, w = { normal = [0.0, 1] } }");
  }
  const CasesSpec cases = parse_cases(text, kCasesPath);
  const auto inputs = make_inputs(cases, cases.cases[0], 5, 2, MemoryTree());
  REQUIRE(inputs.size() == 3);
  CHECK(inputs.at(1).shape == Shape{31, 37});
  CHECK(inputs.at(2).dtype == DType::u16);
  CHECK(inputs.at(2).data == Bytes(8));
  CHECK(inputs.at(1).data != inputs.at(3).data);
  CHECK(make_inputs(cases, cases.cases[0], 5, 1, MemoryTree()).at(1).data == inputs.at(1).data);
  CHECK(make_inputs(cases, cases.cases[0], 6, 1, MemoryTree()).at(1).data != inputs.at(1).data);
  const Binding binding = bind(cases, cases.cases[0], version_of(*cases.reference));
  CHECK(binding.buffers.at(2).role == BufferRole::inout);
  CHECK_FALSE(binding.buffers.at(2).zeroed);
}

TEST_CASE("an output that begins as zeros is bound as such") {
  const Binding binding = bind_first(kKernel, edited(kCases, "kind = \"out\"", "kind = \"out\"\ninit = \"zero\""));
  CHECK(binding.buffers[0].zeroed);
}
