#include "gate/cases/kernel_spec.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::DType;
using kgate::cases::KernelSpec;
using kgate::cases::parse_kernel;
using kgate::test::edited;
using kgate::test::kKernel;

namespace {

const char* const kPath = "kernels/softmax/kernel.toml";

// What parse_kernel says to the good file with one edit, without "usage: " and the path.
std::string complaint(const std::string& from, const std::string& to) {
  const std::string message = error_of([&] { parse_kernel(edited(kKernel, from, to), kPath); });
  const std::string prefix = "usage: " + std::string(kPath) + ":";
  return message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
}

}  // namespace

TEST_CASE("kernel.toml is read whole, with paths from the repository's root") {
  const KernelSpec kernel = parse_kernel(kKernel, kPath);
  CHECK(kernel.path == kPath);
  CHECK(kernel.folder == "kernels/softmax");
  CHECK(kernel.sources.kind == "cuda");
  CHECK(kernel.sources.sources == std::vector<std::string>{"kernels/softmax/softmax.cu"});
  CHECK(kernel.sources.headers == std::vector<std::string>{"kernels/softmax/*.cuh", "kernels/common/*.cuh"});
  CHECK(kernel.sources.include_dirs == std::vector<std::string>{"kernels/common"});
  CHECK(kernel.sources.standard == "c++17");
  CHECK(kernel.sources.options == std::vector<std::string>{"--use_fast_math"});
  CHECK(kernel.sources.defines ==
        std::map<std::string, std::string>{{"BLOCK", "256"}, {"FAST", "1"}, {"SCALE", "0.5"}, {"T", "float"}});
  CHECK(kernel.sources.architecture.empty());
  REQUIRE(kernel.launches.size() == 2);
  CHECK(kernel.launches[0].entry == "softmax<BLOCK, T>");
  CHECK(kernel.launches[0].grid[0].text == "rows");
  CHECK(kernel.launches[0].grid[0].where == "kernels/softmax/kernel.toml:12: launch[0].grid[0]");
  CHECK(kernel.launches[0].block[0].text == "BLOCK");
  CHECK(kernel.launches[0].shared.text == "4 * BLOCK / 32");
  CHECK_FALSE(kernel.launches[0].arguments);
  CHECK_FALSE(kernel.launches[0].cluster);
  CHECK(kernel.launches[0].where == "kernels/softmax/kernel.toml:10: launch[0]");
  CHECK(kernel.launches[1].grid[2].text == "1");
  CHECK(kernel.launches[1].shared.text == "0");
  CHECK(*kernel.launches[1].arguments == std::vector<std::string>{"y", "partial", "rows"});
  REQUIRE(kernel.workspaces.size() == 1);
  CHECK(kernel.workspaces[0].name == "partial");
  CHECK(kernel.workspaces[0].dtype == DType::f32);
  CHECK(kernel.workspaces[0].zeroed);
  CHECK(kernel.tunables == std::map<std::string, std::vector<std::string>>{{"BLOCK", {"64", "128", "256", "512"}}});
}

TEST_CASE("kernel.toml's optional keys have their defaults, and arch, cluster and cooperative are read") {
  const char* const shortest =
      "schema = \"kgate.kernel/1\"\nsources = [\"a.cu\"]\n[[launch]]\nentry = \"a\"\ngrid = [1]\nblock = [1]\n";
  const KernelSpec kernel = parse_kernel(shortest, "kernel.toml");
  CHECK(kernel.folder.empty());
  CHECK(kernel.sources.kind == "cuda");
  CHECK(kernel.sources.standard == "c++17");
  CHECK(kernel.sources.sources == std::vector<std::string>{"a.cu"});
  CHECK_FALSE(kernel.launches[0].cooperative);
  const std::string more =
      edited(shortest, "[[launch]]", "arch = \"sm_90a\"\n[[launch]]\ncluster = [2]\ncooperative = true");
  const KernelSpec full = parse_kernel(more, "kernel.toml");
  CHECK(full.sources.architecture == "sm_90a");
  CHECK(full.launches[0].cooperative);
  CHECK((*full.launches[0].cluster)[0].text == "2");
  CHECK((*full.launches[0].cluster)[1].text == "1");
}

TEST_CASE("a schema that this kgate does not know is told before anything else") {
  CHECK(complaint("kgate.kernel/1", "kgate.kernel/2") ==
        "1: schema: \"kgate.kernel/2\" is of another version of kgate; this kgate knows kgate.kernel/1");
  CHECK(complaint("kgate.kernel/1", "kgate.cases/1") ==
        "1: schema: \"kgate.cases/1\" is not the schema of this file; write schema = \"kgate.kernel/1\"");
  CHECK(complaint("schema = \"kgate.kernel/1\"\n", "") == "1: schema: is missing; write schema = \"kgate.kernel/1\"");
  CHECK(complaint("\"kgate.kernel/1\"", "1") == "1: schema: must be a string, not an integer");
}

TEST_CASE("a kernel.toml that is not TOML is told with its line") {
  const std::string message = complaint("std = \"c++17\"", "std = \"c++17");
  CHECK(message.substr(0, 16) == "6: is not TOML: ");
  CHECK(error_of([] { parse_kernel(std::string((1 << 20) + 1, ' '), kPath); }) ==
        "usage: kernels/softmax/kernel.toml: is larger than 1 MiB; split it into several kernels");
  CHECK(complaint("std = ", std::string(101, '.') + " = ") ==
        "6: has more than 100 dots in one line; break the line, or use fewer");
}

TEST_CASE("unknown keys of kernel.toml name the nearest known one, or where they belong") {
  CHECK(complaint("kind =", "kinds =") == "2: kinds: is not a key that kgate knows; did you mean \"kind\"?");
  CHECK(complaint("shared =", "sharde =") ==
        "14: launch[0].sharde: is not a key that kgate knows; did you mean \"shared\"?");
  CHECK(complaint("init =", "inti =") ==
        "26: workspace[0].inti: is not a key that kgate knows; did you mean \"init\"?");
  CHECK(complaint("kind = \"cuda\"", "grid = [1]") == "2: grid: belongs to a launch; put it under [[launch]]");
  CHECK(complaint("kind = \"cuda\"", "param = []") ==
        "2: param: belongs to the reviewers' file; put it into cases.toml");
  CHECK(complaint("kind = \"cuda\"", "zzz = 1") ==
        "2: zzz: is not a key that kgate knows; known keys: schema, kind, sources, headers, include_dirs, std, "
        "options, defines, "
        "arch, launch, workspace, tunables");
}

TEST_CASE("sources of kernel.toml must be there, and beneath the repository") {
  CHECK(complaint("sources = [\"softmax.cu\"]\n", "") == "1: sources: is missing; add sources = [\"name.cu\"]");
  CHECK(complaint("[\"softmax.cu\"]", "[]") == "3: sources: is empty; name the file to compile");
  CHECK(complaint("[\"softmax.cu\"]", "\"softmax.cu\"") == "3: sources: must be an array, not a string");
  CHECK(complaint("[\"softmax.cu\"]", "[1]") == "3: sources[0]: must be a string, not an integer");
  CHECK(complaint("[\"softmax.cu\"]", "[\"a.cu\", \"./a.cu\"]") == "3: sources[1]: \"./a.cu\" is named twice");
  CHECK(complaint("\"../common/*.cuh\"", "\"../../../x.cuh\"") ==
        "4: headers[1]: \"../../../x.cuh\" leaves the repository; keep what a kernel needs inside it");
  CHECK(complaint("\"../common\"", "\"/usr/include\"") ==
        "5: include_dirs[0]: \"/usr/include\" is an absolute path; name it relative to the file that uses it");
}

TEST_CASE("names that no #include can say are refused where they are written") {
  const auto source = [](const std::string& name) { return complaint("\"softmax.cu\"", "\"" + name + "\""); };
  const std::string where = "3: sources[0]: \"kernels/softmax/";
  CHECK(source("soft\\u0000max.cu") == where + "soft\\x00max.cu\" has a control character in its name; rename it");
  CHECK(source("soft\\nmax.cu") == where + "soft\\x0amax.cu\" has a control character in its name; rename it");
  CHECK(source("soft\\\"max.cu") == where + "soft\"max.cu\" has a double quote in its name; rename it");
  CHECK(source("soft max.cu") == "no error");
  CHECK(complaint("\"../common/*.cuh\"", "\"a\\\"*.cuh\"").find("has a double quote in its name; rename it") !=
        std::string::npos);
  CHECK(complaint("\"../common\"", "\"a\\tb\"").find("has a control character in its name; rename it") !=
        std::string::npos);
}

TEST_CASE("kinds of source are checked") {
  CHECK(complaint("\"cuda\"", "\"library\"") ==
        "2: kind: \"library\" is reserved for a later version; use \"cuda\", \"ptx\" or \"cubin\"");
  CHECK(complaint("\"cuda\"", "\"cudda\"") ==
        "2: kind: \"cudda\" is not one of \"cuda\", \"ptx\", \"cubin\"; did you mean \"cuda\"?");
  CHECK(complaint("\"cuda\"", "\"ptx\"") == "4: headers: has no meaning where kind = \"ptx\"; remove it");
  CHECK(complaint("\"cuda\"\nsources = [\"softmax.cu\"]", "\"cubin\"\nsources = [\"a.cubin\", \"b.cubin\"]") ==
        "3: sources: must be one file where kind = \"cubin\"");
  CHECK(complaint("\"c++17\"", "\"c++18\"") ==
        "6: std: \"c++18\" is not one of \"c++11\", \"c++14\", \"c++17\", \"c++20\"; did you mean \"c++11\"?");
  CHECK(complaint("std =", "arch = \"90\"\nstd =") ==
        "6: arch: \"90\" is not an architecture; write it like \"sm_90\" or \"sm_90a\"");
}

TEST_CASE("options that would leave the staged tree or change what code runs are refused with their remedy") {
  const auto option = [](const std::string& text) { return complaint("\"--use_fast_math\"", "\"" + text + "\""); };
  for (const char* text :
       {"-rdc=true", "-rdc", "--relocatable-device-code=true", "-dc", "--device-c", "-dlto", "--dlink-time-opt"}) {
    CHECK(option(text) == "7: options[0]: \"" + std::string(text) +
                              "\" makes relocatable code, which is not the code that runs; remove it");
  }
  for (const char* text : {"-I", "-I../x", "-I ../x", "--include-path=/usr", "--include-path", "-isystem/usr"}) {
    CHECK(option(text) ==
          "7: options[0]: \"" + std::string(text) + "\" would read files that are not declared; use include_dirs");
  }
  for (const char* text : {"-include", "-include=x.h", "--pre-include=x.h"}) {
    CHECK(option(text) == "7: options[0]: \"" + std::string(text) +
                              "\" would read files that are not declared; use include_dirs and an #include");
  }
  CHECK(option("-std=c++20") == "7: options[0]: \"-std=c++20\" is decided by a key of its own; use std");
  CHECK(option("-arch=sm_80") == "7: options[0]: \"-arch=sm_80\" is decided by a key of its own; use arch");
  CHECK(option("x.cu") ==
        "7: options[0]: \"x.cu\" is not an option; write an option and its value in one string, such as "
        "\"--maxrregcount=64\"");
  CHECK(option("-DX=\\n1") == "7: options[0]: \"-DX=\\x0a1\" has a control character; remove it");
  CHECK(option("-" + std::string(1000, 'a')) == "7: options[0]: is longer than 1000 characters");
  CHECK(option("--maxrregcount=64") == "no error");
  CHECK(option("-lineinfo") == "no error");
}

TEST_CASE("defines and tunables are checked against each other") {
  CHECK(complaint("T = \"float\"", "\"T-1\" = \"float\"") ==
        "8: defines.\"T-1\": is not an identifier; use letters, digits and _");
  CHECK(complaint("\"float\"", "[1]") == "8: defines.T: must be an integer, a number, a string, or true or false");
  CHECK(complaint("0.5", "inf") == "8: defines.SCALE: is not a finite number");
  CHECK(complaint("BLOCK = [64", "BLOK = [64") ==
        "29: tunables.BLOK: is not one of the defines; did you mean \"BLOCK\"?");
  CHECK(complaint("BLOCK = [64", "UNROLL = [64") ==
        "29: tunables.UNROLL: is not one of the defines; add it to defines, with the value that it has now");
  CHECK(complaint("[64, 128, 256, 512]", "[]") ==
        "29: tunables.BLOCK: has no values; name the values that a search may try");
  CHECK(complaint("[64, 128, 256, 512]", "[64, 64]") == "29: tunables.BLOCK[1]: \"64\" is there twice");
}

TEST_CASE("a launch needs an entry, a grid and a block") {
  CHECK(complaint("entry = \"finish\"\n", "") ==
        "16: launch[1].entry: is missing; add entry = \"name\", the kernel's name in the source");
  CHECK(complaint("grid = [1]\n", "") ==
        "16: launch[1].grid: is missing; add grid = [\"rows\", 1, 1], the number of blocks");
  CHECK(complaint("block = [32]\n", "") ==
        "16: launch[1].block: is missing; add block = [256, 1, 1], the threads of a block");
  CHECK(complaint("grid = [1]", "grid = []") == "18: launch[1].grid: has 0 entries; write one to three: [x, y, z]");
  CHECK(complaint("grid = [1]", "grid = [1, 1, 1, 1]") ==
        "18: launch[1].grid: has 4 entries; write one to three: [x, y, z]");
  CHECK(complaint("grid = [1]", "grid = 1") == "18: launch[1].grid: must be an array, not an integer");
  CHECK(complaint("grid = [1]", "grid = [1.5]") ==
        "18: launch[1].grid[0]: must be an integer or an expression; write 256 or \"ceil_div(cols, 256)\"");
  for (const char* entry : {"", "1x", "a; b", "a\\\\", "{}"}) {
    CHECK(complaint("\"finish\"", "\"" + std::string(entry) + "\"")
              .find("is not the name of a kernel; write it like \"softmax\" or "
                    "\"softmax<BLOCK>\"") != std::string::npos);
  }
  CHECK(complaint("\"finish\"", "\"::ns::finish<BLOCK, (1 > 0)>\"") == "no error");
  CHECK(complaint("args = [\"y\"", "args = [1") == "20: launch[1].args[0]: must be a string, not an integer");
  CHECK(error_of([] { parse_kernel("schema = \"kgate.kernel/1\"\nsources = [\"a.cu\"]\n", "kernel.toml"); }) ==
        "usage: kernel.toml:1: launch: is missing; add [[launch]] with entry, grid and block");
}

TEST_CASE("workspaces are checked") {
  CHECK(complaint("name = \"partial\"\n", "") == "22: workspace[0].name: is missing; add name = \"partial\"");
  CHECK(complaint("name = \"partial\"", "name = \"a b\"") ==
        "23: workspace[0].name: \"a b\" is not an identifier; use letters, digits and _, at most 100");
  CHECK(complaint("dtype = \"f32\"", "dtype = \"f23\"") ==
        "24: workspace[0].dtype: \"f23\" is not one of \"f64\", \"f32\", \"f16\", \"bf16\", \"f8e4m3\", \"f8e5m2\", "
        "\"i64\", \"i32\", "
        "\"i16\", \"i8\", \"u64\", \"u32\", \"u16\", \"u8\", \"bool\"; did you mean \"f32\"?");
  CHECK(complaint("init = \"zero\"", "init = \"ones\"") ==
        "26: workspace[0].init: \"ones\" is not one of \"zero\", \"none\"; did you mean \"none\"?");
  CHECK(complaint("[tunables]", "[[workspace]]\nname = \"partial\"\ndtype = \"f32\"\nshape = [1]\n[tunables]") ==
        "29: workspace[1].name: \"partial\" is declared twice; rename one of them");
}
