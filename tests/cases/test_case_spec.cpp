#include "base/file.h"
#include "gate/cases/case_spec.h"
#include "tests/cases/fixtures.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::DType;
using kgate::cases::CaseRole;
using kgate::cases::CasesSpec;
using kgate::cases::Expression;
using kgate::cases::Generator;
using kgate::cases::ParamKind;
using kgate::cases::parse_cases;
using kgate::cases::Tolerance;
using kgate::test::edited;
using kgate::test::kCases;

namespace {

const char* const kPath = "kernels/softmax/cases.toml";

std::string short_form(const std::string& message) {
  const std::string prefix = "usage: " + std::string(kPath) + ":";
  return message.compare(0, prefix.size(), prefix) == 0 ? message.substr(prefix.size()) : message;
}

std::string complaint(const std::string& from, const std::string& to) {
  return short_form(error_of([&] { parse_cases(edited(kCases, from, to), kPath); }));
}

}  // namespace

TEST_CASE("cases.toml is read whole") {
  const CasesSpec cases = parse_cases(kCases, kPath);
  CHECK(cases.path == kPath);
  CHECK(cases.folder == "kernels/softmax");
  CHECK(cases.kernel == "softmax");
  CHECK(cases.revision == 3);
  REQUIRE(cases.params.size() == 4);
  CHECK(cases.params[0].kind == ParamKind::out);
  CHECK(cases.params[0].shape[1].text == "cols");
  CHECK(cases.params[0].where == "kernels/softmax/cases.toml:5: param \"y\"");
  CHECK(std::get<Expression>(cases.params[2].value).text == "rows");
  CHECK(std::get<double>(cases.params[3].value) == 0.25);
  REQUIRE(cases.reference);
  CHECK(cases.reference->sources.sources == std::vector<std::string>{"kernels/softmax/reference.cu"});
  CHECK(cases.reference->launches.at(0).entry == "softmax_reference");
  CHECK(cases.reference->out_dtype == std::map<std::string, DType>{{"y", DType::f64}});
  CHECK(cases.work_bytes->text == "8 * rows * cols");
  CHECK(cases.work_flops->text == "5 * rows * cols");
  REQUIRE(cases.cases.size() == 2);
  CHECK(cases.cases[0].name == "odd");
  CHECK(cases.cases[0].role == CaseRole::correctness);
  CHECK(cases.cases[0].sizes == kgate::cases::Variables{{"cols", 37}, {"rows", 31}});
  CHECK(cases.cases[0].inputs.at("x").kind == Generator::Kind::normal);
  CHECK_FALSE(cases.cases[0].seed);
  CHECK(cases.cases[0].backends == std::vector<std::string>{"cuda", "host"});
  CHECK_FALSE(cases.cases[0].cold);
  CHECK(cases.cases[0].where == "kernels/softmax/cases.toml:38: case \"odd\"");
  CHECK(cases.cases[1].role == CaseRole::performance);
  CHECK(cases.cases[1].seed == 7U);
  CHECK(cases.cases[1].backends == std::vector<std::string>{"cuda"});
  CHECK(cases.cases[1].cold);
  CHECK(cases.cases[1].weight == 2.0);
  const Tolerance& tolerance = cases.cases[1].tolerances.at("y");
  CHECK(tolerance.rtol == 1e-5);
  CHECK(tolerance.atol == 1e-7);
  CHECK(tolerance.ulp == 4.0);
  CHECK(tolerance.norm == 1e-3);
  CHECK(tolerance.matched == 0.99);
  CHECK(tolerance.bias == 1e-4);
  CHECK(tolerance.allow_nan);
}

TEST_CASE("a float output without tolerance is an error with the line of its case") {
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }\n", "") ==
        "38: case \"odd\": tolerance for \"y\" is missing; add tolerance = { rtol = 1e-5 }");
}

TEST_CASE("the short tolerance that the error proposes stands for every float output") {
  const CasesSpec cases = parse_cases(edited(kCases, "{ y = { rtol = 1e-5, atol = 1e-7 } }", "{ rtol = 1e-5 }"), kPath);
  CHECK(cases.cases[0].tolerances.at("y").rtol == 1e-5);
  CHECK_FALSE(cases.cases[0].tolerances.at("y").atol);
}

TEST_CASE("integer outputs without tolerance are exact") {
  std::string text = edited(kCases, "dtype = \"f32\"", "dtype = \"i32\"");
  text = edited(text, "out_dtype = { y = \"f64\" }\n", "");
  text = edited(text, "tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }\n", "");
  const Tolerance tolerance = parse_cases(text, kPath).cases[0].tolerances.at("y");
  CHECK(tolerance.atol == 0.0);
  CHECK_FALSE(tolerance.rtol);
  CHECK(tolerance.matched == 1.0);
}

TEST_CASE("the identity of cases.toml is checked") {
  CHECK(complaint("kgate.cases/1", "kgate.cases/9") ==
        "1: schema: \"kgate.cases/9\" is of another version of kgate; this kgate knows kgate.cases/1");
  CHECK(complaint("kernel = \"softmax\"\n", "") ==
        "1: kernel: is missing; add kernel = \"name\", unique in the repository");
  for (const char* name : {"", "a/b", "../x", ".x", "-x", "a b"}) {
    CHECK(complaint("\"softmax\"", "\"" + std::string(name) + "\"") ==
          "2: kernel: \"" + std::string(name) +
              "\" is not a kernel's name; use letters, digits, '_', '-' and '.', at most 100");
  }
  CHECK(complaint("revision = 3", "revision = 0") == "3: revision: must be 1 or more");
  CHECK(complaint("revision = 3", "revison = 3") ==
        "3: revison: is not a key that kgate knows; did you mean \"revision\"?");
}

TEST_CASE("tolerances are checked") {
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { z = { rtol = 1e-5 } }") ==
        "44: case[0].tolerance.z: is not an output; name a parameter of kind \"out\" or \"inout\"");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { x = { rtol = 1e-5 } }") ==
        "44: case[0].tolerance.x: is not an output; name a parameter of kind \"out\" or \"inout\"");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = { rtoll = 1e-5 } }") ==
        "44: case[0].tolerance.y.rtoll: is not a key that kgate knows; did you mean \"rtol\"?");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = { rtol = -1 } }") ==
        "44: case[0].tolerance.y.rtol: must be a finite number of 0 or more");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = { rtol = nan } }") ==
        "44: case[0].tolerance.y.rtol: must be a finite number of 0 or more");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = { ulp = inf } }") ==
        "44: case[0].tolerance.y.ulp: must be a finite number of 0 or more");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = { bias = 0.1 } }") ==
        "44: case[0].tolerance.y: bounds no error; add rtol, atol, ulp or norm");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }",
                  "tolerance = { y = { norm = 0.1, matched = 0.5 } }") ==
        "44: case[0].tolerance.y.matched: needs a bound for each element; add rtol, atol or ulp");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }",
                  "tolerance = { y = { rtol = 0.1, matched = 0 } }") ==
        "44: case[0].tolerance.y.matched: must be a share: over 0, at most 1");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }",
                  "tolerance = { y = { rtol = 0.1, matched = 1.5 } }") ==
        "44: case[0].tolerance.y.matched: must be a share: over 0, at most 1");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }",
                  "tolerance = { y = { rtol = 0.1, allow_nan = 1 } }") ==
        "44: case[0].tolerance.y.allow_nan: must be true or false, not an integer");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = { y = 1e-5 }") ==
        "44: case[0].tolerance.y: must be a table, not a number");
  CHECK(complaint("tolerance = { y = { rtol = 1e-5, atol = 1e-7 } }", "tolerance = 1e-5") ==
        "44: case[0].tolerance: must be a table, not a number");
}

TEST_CASE("parameters are checked") {
  CHECK(complaint("value = \"rows\"", "") ==
        "15: param[2].value: is missing; add value = \"rows\", an expression over sizes");
  CHECK(complaint("shape = [\"rows\", \"cols\"]", "") ==
        "5: param[0].shape: is missing; add shape = [\"rows\", \"cols\"]");
  CHECK(complaint("shape = [\"rows\", \"cols\"]", "shape = [\"rows\", 1.5]") ==
        "9: param[0].shape[1]: must be an integer or an expression; write 256 or \"ceil_div(cols, 256)\"");
  CHECK(complaint("dtype = \"f32\"\nshape", "dtype = \"float\"\nshape") ==
        "8: param[0].dtype: \"float\" is not one of \"f64\", \"f32\", \"f16\", \"bf16\", \"f8e4m3\", \"f8e5m2\", "
        "\"i64\", \"i32\", \"i16\", \"i8\", \"u64\", \"u32\", \"u16\", \"u8\", \"bool\"");
  CHECK(complaint("dtype = \"f32\"", "") == "5: param[0].dtype: is missing; add dtype = \"f32\"");
  CHECK(complaint("kind = \"out\"", "") ==
        "5: param[0].kind: is missing; add kind = \"in\", \"out\", \"inout\" or \"scalar\"");
  CHECK(complaint("name = \"y\"", "") == "5: param[0].name: is missing; add name = \"x\"");
  CHECK(complaint("name = \"y\"", "name = \"1y\"") ==
        "6: param[0].name: \"1y\" is not an identifier; use letters, digits and _, at most 100");
  CHECK(complaint("value = \"rows\"", "value = 0.5") ==
        "19: param[2].value: must be an integer or an expression where dtype = \"i32\"");
  CHECK(complaint("value = \"rows\"", "value = \"rows\"\nshape = []") ==
        "20: param[2].shape: has no meaning for a scalar; remove it");
  CHECK(complaint("value = \"rows\"", "value = \"rows\"\ninit = \"zero\"") ==
        "20: param[2].init: has no meaning for a scalar; remove it");
  CHECK(complaint("value = 0.25", "value = 1e300") == "24: param[3].value: does not fit f32; use a wider type");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"out\"\nvalue = 1") ==
        "8: param[0].value: has no meaning for a tensor; use kind = \"scalar\", or give it a generator in inputs");
  CHECK(complaint("name = \"x\"\nkind = \"in\"", "name = \"x\"\nkind = \"in\"\ninit = \"zero\"") ==
        "13: param[1].init: has no meaning for an input; give it a generator in the case's inputs");
  CHECK(complaint("name = \"x\"\nkind = \"in\"", "name = \"x\"\nkind = \"in\"\ndeterministic = true") ==
        "13: param[1].deterministic: has no meaning for an input; remove it");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"out\"\ninit = \"one\"") ==
        "8: param[0].init: \"one\" is not one of \"zero\"");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"out\"\ninit = { constant = 1 }") ==
        "8: param[0].init: is a generator for an output; use kind = \"inout\", or init = \"zero\"");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"out\"\ndeterministic = 1") ==
        "8: param[0].deterministic: must be true or false, not an integer");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"inout\"") ==
        "32: reference.out_dtype.y: is not a parameter of kind \"out\"; remove it");
  CHECK(complaint("name = \"y\"\nkind = \"out\"", "name = \"y\"\nkind = \"out\"\nrank = 2") ==
        "8: param[0].rank: is not a key that kgate knows; known keys: name, kind, dtype, shape, init, deterministic, "
        "value");
}

TEST_CASE("the reference and the work are checked") {
  CHECK(complaint("out_dtype = { y = \"f64\" }", "out_dtype = { z = \"f64\" }") ==
        "32: reference.out_dtype.z: is not a parameter; declare it with [[param]]");
  CHECK(complaint("out_dtype = { y = \"f64\" }", "out_dtype = { x = \"f64\" }") ==
        "32: reference.out_dtype.x: is not a parameter of kind \"out\"; remove it");
  CHECK(complaint("out_dtype = { y = \"f64\" }", "out_dtype = { y = \"f16\" }") ==
        "32: reference.out_dtype.y: is not as wide as the parameter's f32; use a wider type of the same kind");
  CHECK(complaint("out_dtype = { y = \"f64\" }", "out_dtype = { y = \"i64\" }") ==
        "32: reference.out_dtype.y: is not as wide as the parameter's f32; use a wider type of the same kind");
  CHECK(complaint("entry = \"softmax_reference\"\n", "") ==
        "26: reference.launch: is missing; add entry, grid and block");
  CHECK(complaint("entry = \"softmax_reference\"\ngrid = [\"rows\", 1, 1]\nblock = [1, 1, 1]\n", "") ==
        "26: reference.launch: is missing; add entry, grid and block");
  CHECK(complaint("block = [1, 1, 1]", "block = [1, 1, 1]\nlaunch = [{ entry = \"x\", grid = [1], block = [1] }]") ==
        "29: reference.entry: and launch are both there; keep one of them");
  CHECK(complaint("block = [1, 1, 1]", "block = [1, 1, 1]\ntunables = {}") ==
        "32: reference.tunables: is not a key that kgate knows; known keys: kind, sources, headers, include_dirs, std, "
        "options, defines, arch, entry, grid, block, shared, launch, workspace, out_dtype");
  CHECK(
      complaint("sources = [\"reference.cu\"]", "sources = [\"../../../reference.cu\"]") ==
      "27: reference.sources[0]: \"../../../reference.cu\" leaves the repository; keep what a kernel needs inside it");
  CHECK(complaint("bytes = \"8 * rows * cols\"", "byte = \"8 * rows * cols\"") ==
        "35: work.byte: is not a key that kgate knows; did you mean \"bytes\"?");
  CHECK(complaint("bytes = \"8 * rows * cols\"", "bytes = true") ==
        "35: work.bytes: must be an integer or an expression; write 256 or \"ceil_div(cols, 256)\"");
  CHECK(complaint("bytes = \"8 * rows * cols\"", "bytes = \"8 * row * cols\"") ==
        "38: case \"odd\": size \"row\" is missing, which work.bytes uses; add sizes = { row = 1024 }, or correct the "
        "expression");
  CHECK(complaint("bytes = \"8 * rows * cols\"", "bytes = \"8 * depth\"") ==
        "38: case \"odd\": size \"depth\" is missing, which work.bytes uses; add sizes = { depth = 1024 }, or correct "
        "the expression");
}

TEST_CASE("names, roles and sizes of cases are checked") {
  CHECK(complaint("name = \"odd\"", "name = \"\"") ==
        "39: case[0].name: \"\" is not a case's name; use one line of at most 100 characters");
  CHECK(complaint("name = \"odd\"", "name = \"o\\nd\"") ==
        "39: case[0].name: \"o\\x0ad\" is not a case's name; use one line of at most 100 characters");
  CHECK(complaint("name = \"odd\"", "name = \"wide\"") ==
        "46: case[1].name: \"wide\" is there twice; rename one of them");
  CHECK(complaint("name = \"odd\"", "nam = \"odd\"") ==
        "39: case[0].nam: is not a key that kgate knows; did you mean \"name\"?");
  CHECK(complaint("role = \"correctness\"", "role = \"correct\"") ==
        "40: case[0].role: \"correct\" is not one of \"correctness\", \"performance\", \"holdout\"; did you mean "
        "\"correctness\"?");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = 31 }") ==
        "38: case \"odd\": size \"cols\" is missing, which the shape of \"y\" uses; add sizes = { cols = 1024 }, or "
        "correct the expression");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { row = 31, cols = 37 }") ==
        "38: case \"odd\": size \"rows\" is missing, which the shape of \"y\" uses; is it what sizes calls \"row\"?");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "") ==
        "38: case \"odd\": size \"rows\" is missing, which the shape of \"y\" uses; add sizes = { rows = 1024 }, or "
        "correct the expression");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = -1, cols = 37 }") ==
        "41: case[0].sizes.rows: must be between 0 and 2^53");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = 1.5, cols = 37 }") ==
        "41: case[0].sizes.rows: must be an integer, not a number");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = 31, cols = 37, min = 1 }") ==
        "41: case[0].sizes.min: is not a name that expressions can use; use letters, digits and _, and no function's "
        "name");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = 31, cols = 37, \"a-b\" = 1 }") ==
        "41: case[0].sizes.\"a-b\": is not a name that expressions can use; use letters, digits and _, and no "
        "function's name");
  CHECK(complaint("sizes = { rows = 31, cols = 37 }", "sizes = { rows = 31, cols = 9007199254740993 }") ==
        "41: case[0].sizes.cols: must be between 0 and 2^53");
}

TEST_CASE("generators are checked against the type of their parameter") {
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "") ==
        "38: case \"odd\": generator for \"x\" is missing; add inputs = { x = { normal = [0.0, 1.0] } }");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { z = { normal = [0.0, 1.0] } }") ==
        "42: case[0].inputs.z: is not a parameter; declare it with [[param]]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { y = { normal = [0.0, 1.0] } }") ==
        "42: case[0].inputs.y: is an output; use kind = \"inout\" if the kernel reads it");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { rows = { normal = [0.0, 1.0] } }") ==
        "42: case[0].inputs.rows: is a scalar; its value stands at its [[param]]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normall = [0.0, 1.0] } }") ==
        "42: case[0].inputs.x.normall: is not a key that kgate knows; did you mean \"normal\"?");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = {} }") ==
        "42: case[0].inputs.x: must have one generator, and has 0; write it like { normal = [0.0, 1.0] }");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normal = [0, 1], constant = 1 } }") ==
        "42: case[0].inputs.x: must have one generator, and has 2; write it like { normal = [0.0, 1.0] }");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normal = [0.0] } }") ==
        "42: case[0].inputs.x.normal: must have two numbers: [mean, deviation]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normal = [0.0, \"1\"] } }") ==
        "42: case[0].inputs.x.normal[1]: must be a number, not a string");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normal = [0.0, -1.0] } }") ==
        "42: case[0].inputs.x.normal: must have a finite mean and a deviation of 0 or more");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { normal = [0.0, 1e38] } }") ==
        "42: case[0].inputs.x.normal: can give -8.3e+38, which does not fit f32; use values that the type holds");
  CHECK(
      complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { uniform = [1, 1] } }") ==
      "42: case[0].inputs.x.uniform: must have a low end under its high end, both finite; write uniform = [low, high]");
  CHECK(
      complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { uniform = [0, inf] } }") ==
      "42: case[0].inputs.x.uniform: must have a low end under its high end, both finite; write uniform = [low, high]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { uniform = [0, 1e39] } }") ==
        "42: case[0].inputs.x.uniform: can give 1e+39, which does not fit f32; use values that the type holds");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { integers = [0, 1.5] } }") ==
        "42: case[0].inputs.x.integers[1]: must be an integer, not a number");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { integers = [1, 0] } }") ==
        "42: case[0].inputs.x.integers: has its low end over its high end; write integers = [low, high]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { integers = [0] } }") ==
        "42: case[0].inputs.x.integers: must have two integers: [low, high]");
  CHECK(
      complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { integers = [0, 9007199254740993] } }") ==
      "42: case[0].inputs.x.integers[1]: goes beyond 2^53; use smaller values, or a file");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { constant = 9007199254740993 } }") ==
        "42: case[0].inputs.x.constant: goes beyond 2^53; use smaller values, or a file");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { constant = 1e39 } }") ==
        "42: case[0].inputs.x.constant: can give 1e+39, which does not fit f32; use values that the type holds");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { constant = \"1\" } }") ==
        "42: case[0].inputs.x.constant: must be a number, not a string");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { arange = [0, inf] } }") ==
        "42: case[0].inputs.x.arange: must have a finite start and step");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { permutation = false } }") ==
        "42: case[0].inputs.x.permutation: must be true");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { special = [] } }") ==
        "42: case[0].inputs.x.special: is empty; name at least one value, such as \"nan\"");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { special = [\"infinity\"] } }") ==
        "42: case[0].inputs.x.special[0]: \"infinity\" is not one of \"zero\", \"-zero\", \"inf\", \"-inf\", \"nan\", "
        "\"denormal\", \"max\", \"min\"");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { special = [\"nan\", \"nan\"] } }") ==
        "42: case[0].inputs.x.special[1]: \"nan\" is there twice");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { file = \"../../../x.npy\" } }") ==
        "42: case[0].inputs.x.file: \"../../../x.npy\" leaves the repository; keep what a kernel needs inside it");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { file = 1 } }") ==
        "42: case[0].inputs.x.file: must be a string, not an integer");
  CHECK(
      complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = { safetensors = [\"x.safetensors\"] } }") ==
      "42: case[0].inputs.x.safetensors: must have two strings: [\"x.safetensors\", \"key\"]");
  CHECK(complaint("inputs = { x = { normal = [0.0, 1.0] } }", "inputs = { x = 1 }") ==
        "42: case[0].inputs.x: must be a table, not an integer");
}

TEST_CASE("the other keys of a case are checked") {
  CHECK(complaint("seed = \"fresh\"", "seed = \"frsh\"") ==
        "43: case[0].seed: \"frsh\" is not one of \"fresh\"; did you mean \"fresh\"?");
  CHECK(complaint("seed = \"fresh\"", "seed = -1") == "43: case[0].seed: must be 0 or more");
  CHECK(complaint("seed = \"fresh\"", "seed = 1.5") == "43: case[0].seed: must be \"fresh\" or an integer");
  CHECK(complaint("seed = \"fresh\"", "expected = { x = \"x.npy\" }") ==
        "43: case[0].expected.x: is not an output; name a parameter of kind \"out\" or \"inout\"");
  CHECK(complaint("seed = \"fresh\"", "expected = { y = \"\" }") ==
        "43: case[0].expected.y: \"\" is empty; name a file");
  CHECK(complaint("backends = [\"cuda\"]", "backends = []") ==
        "52: case[1].backends: is empty; name \"cuda\", \"host\" or both, or remove it");
  CHECK(complaint("backends = [\"cuda\"]", "backends = [\"gpu\"]") ==
        "52: case[1].backends[0]: \"gpu\" is not one of \"cuda\", \"host\"");
  CHECK(complaint("backends = [\"cuda\"]", "backends = [\"cuda\", \"cuda\"]") ==
        "52: case[1].backends[1]: \"cuda\" is there twice");
  CHECK(complaint("cache = \"cold\"", "cache = \"hot\"") ==
        "53: case[1].cache: \"hot\" is not one of \"warm\", \"cold\"");
  CHECK(complaint("weight = 2.0", "weight = 0") == "54: case[1].weight: must be a finite number over 0");
  CHECK(complaint("weight = 2.0", "weight = inf") == "54: case[1].weight: must be a finite number over 0");
  CHECK(complaint("weight = 2.0", "wieght = 2") ==
        "54: case[1].wieght: is not a key that kgate knows; did you mean \"weight\"?");
}

TEST_CASE("the rest of an interface is checked") {
  CHECK(complaint("kind = \"out\"", "kind = \"output\"") ==
        "7: param[0].kind: \"output\" is not one of \"in\", \"out\", \"inout\", \"scalar\"");
  CHECK(complaint("name = \"x\"", "name = \"y\"") == "11: param[1].name: \"y\" is declared twice; rename one of them");
  const std::string nothing = "schema = \"kgate.cases/1\"\nkernel = \"k\"\n";
  const std::string input = "[[param]]\nname = \"x\"\nkind = \"in\"\ndtype = \"f32\"\nshape = [1]\n";
  const std::string output = "[[param]]\nname = \"y\"\nkind = \"out\"\ndtype = \"f32\"\nshape = [1]\n";
  CHECK(short_form(error_of([&] { parse_cases(nothing + input, kPath); })) ==
        "1: param: has no output; add a [[param]] of kind \"out\" or \"inout\"");
  CHECK(short_form(error_of([&] { parse_cases(nothing + output, kPath); })) ==
        "1: case: is missing; add [[case]] with sizes, inputs and a tolerance");
  CHECK(short_form(error_of([&] { parse_cases(nothing + output + "[[case]]\nname = \"a\"\n", kPath); })) ==
        "8: case \"a\": nothing says what is right for \"y\"; add [reference], or expected = { y = \"y.npy\" }");
  const CasesSpec cases = parse_cases(
      nothing + output + "[[case]]\nname = \"a\"\nexpected = { y = \"y.npy\" }\ntolerance = { rtol = 0 }\n", kPath);
  CHECK(cases.cases[0].expected == std::map<std::string, std::string>{{"y", "kernels/softmax/y.npy"}});
  CHECK(cases.revision == 1);
}

TEST_CASE("an inout begins as zeros, as its own generator says, or as the case says") {
  const std::string inout = "[[param]]\nname = \"h\"\nkind = \"inout\"\ndtype = \"u32\"\nshape = [4]\n";
  const auto with = [&](const std::string& init, const std::string& inputs) {
    return parse_cases(
        edited(edited(kCases, "[reference]", inout + init + "[reference]"), "inputs = { x = { normal = [0.0, 1.0] } }",
               "inputs = { x = { normal = [0.0, 1.0] }" + inputs + " }"),
        kPath);
  };
  CHECK(short_form(error_of([&] { with("", ""); })) ==
        "43: case \"odd\": generator for \"h\" is missing; add inputs = { h = { normal = [0.0, 1.0] } }");
  CHECK(with("init = \"zero\"\n", "").cases[0].inputs.count("h") == 0);
  CHECK(with("init = \"zero\"\n", "").params[4].zeroed);
  CHECK(with("init = { constant = 3 }\n", "").cases[1].inputs.at("h").a == 3.0);
  CHECK(with("init = { constant = 3 }\n", ", h = { constant = 4 }").cases[0].inputs.at("h").a == 4.0);
  CHECK(short_form(error_of([&] { with("init = \"zero\"\n", ", h = { constant = 4 }"); })) ==
        "48: case[0].inputs.h: is a parameter with init = \"zero\"; keep one of the two");
}

TEST_CASE("more than 10000 cases are refused") {
  std::string text = kCases;
  for (int i = 0; i < 10000; ++i) text += "[[case]]\nname = \"" + std::to_string(i) + "\"\n";
  CHECK(short_form(error_of([&] { parse_cases(text, kPath); })) ==
        "38: case: has 10002 entries, more than the 10000 that kgate takes");
}

TEST_CASE("the worked examples of the documentation are read") {
  const auto example = [](const std::string& page) {
    const std::string text(kgate::text_of(kgate::read_file(std::string(KGATE_SOURCE_DIR) + "/docs/" + page, 1 << 20)));
    const std::size_t begin = text.find("```toml\n") + 8;
    return text.substr(begin, text.find("```", begin) - begin);
  };
  CHECK(parse_cases(example("cases-toml.md"), kPath).cases.size() == 2);
  CHECK(kgate::cases::parse_kernel(example("kernel-toml.md"), "kernels/softmax/kernel.toml").tunables.size() == 1);
}
