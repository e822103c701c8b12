#include <algorithm>
#include <string>
#include <vector>

#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

// kgate sign --dry-run: what qualification finds, on the host backend.
namespace {

constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kReference = "kernels/scale/reference.cu";
constexpr const char* kSmall = "name = \"small\"";

// A square output, so that it can be transposed.
constexpr const char* kSquare = R"(schema = "kgate.cases/1"
kernel = "scale"
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n", "n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n", "n"]
[[param]]
name = "n"
kind = "scalar"
dtype = "i32"
value = "n * n"
[reference]
sources = ["reference.cu"]
entry = "scale_reference"
grid = [1, 1, 1]
block = [1, 1, 1]
[[case]]
name = "small"
sizes = { n = 4 }
inputs = { x = { normal = [0.0, 1.0] } }
tolerance = { y = { rtol = 1e-6 } }
)";

using Lines = std::vector<std::string>;

struct Found {
  CliFixture::Answer answer;
  Json json;

  std::vector<std::string> weaknesses() const {
    std::vector<std::string> found;
    for (const auto& one : json["weaknesses"]) {
      found.push_back(one["mutant"].get<std::string>() + " | " + one["remedy"].get<std::string>());
    }
    return found;
  }
};

// The first line is the JSON; what is said to a person comes by stderr.
Found qualify(const CliFixture& cli, const std::string& format = "json") {
  Found found;
  found.answer = cli.kgate({"sign", "--dry-run", "scale", "--backend", "host", "--cache", "", "--seed", "1", "--format",
                            format, "--seeds", "6"});
  INFO(found.answer.output);
  if (format != "json") return found;
  const auto start = found.answer.output.find('{');
  REQUIRE(start != std::string::npos);
  found.json = Json::parse(found.answer.output.substr(start, found.answer.output.find('\n', start) - start));
  return found;
}

// The last line, which says why.
std::string refusal(const CliFixture::Answer& answer) {
  const std::string& text = answer.output;
  const auto line = text.rfind("kgate: ");
  return line == std::string::npos ? text : text.substr(line, text.find('\n', line) - line);
}

std::string fault(const CliFixture& cli) {
  const auto found = qualify(cli);
  CHECK(found.answer.code == 64);
  REQUIRE(found.json["faults"].size() == 1);
  return found.json["faults"][0];
}

}  // namespace

TEST_CASE("cases that tell right from wrong are told so, case by case and mutant by mutant") {
  const CliFixture cli;
  const auto found = qualify(cli, "text");
  CHECK(found.answer.code == 0);
  CHECK(found.answer.output.find(R"(scale, revision 1, on the host backend, seed 0000000000000001

  case                           seeds     stops
  small                              6  14 of 14

  mutant                         fails
  y: zeros                       case "small"
  y: ones                        case "small"
  y: its mean everywhere         case "small"
  y: copy of "x"                 case "small"
  y: NaN everywhere              case "small"
  y: unwritten memory            case "small"
  y: the answer to other inputs  case "small"
  y: first element off           case "small"
  y: middle element off          case "small"
  y: last element off            case "small"
  y: last element missing        case "small"
  y: rounded to f32              nowhere: it is f32
  y: rounded to f16              case "small"
  y: rounded to bf16             case "small"
  y: transposed                  nowhere: it is not square
  y: scaled by 1 + 2 rtol        case "small"

16 mutants: 14 failed by a case, 0 by none; 2 wrong in no case
)") != std::string::npos);
}

TEST_CASE("a tolerance that lets any number pass is found, with what would stop each mutant") {
  const CliFixture cli;
  cli.write(kCases, kSquare);
  cli.replace(kCases, "rtol = 1e-6", "atol = 1e30");
  const auto found = qualify(cli);
  CHECK(found.answer.code == 64);
  CHECK(found.weaknesses() == Lines{"y: zeros | case \"small\": atol below 2.6 would stop it",
                                    "y: ones | case \"small\": atol below 3.4 would stop it",
                                    "y: its mean everywhere | case \"small\": atol below 2.7 would stop it",
                                    "y: copy of \"x\" | case \"small\": atol below 1.3 would stop it",
                                    "y: the answer to other inputs | case \"small\": atol below 5.3 would stop it",
                                    "y: first element off | case \"small\": atol below 1.6 would stop it",
                                    "y: middle element off | case \"small\": atol below 1.6 would stop it",
                                    "y: last element off | case \"small\": atol below 1.6 would stop it",
                                    "y: rounded to f16 | case \"small\": atol below 8.6e-4 would stop it",
                                    "y: rounded to bf16 | case \"small\": atol below 6.7e-3 would stop it",
                                    "y: transposed | case \"small\": atol below 4.7 would stop it"});
}

TEST_CASE("an atol that hides the rtol, and a double that may be a float, are found") {
  const CliFixture cli;
  cli.replace(kCases, "rtol = 1e-6", "rtol = 1e-6, atol = 1e-3");
  CHECK(qualify(cli).weaknesses() ==
        Lines{"y: scaled by 1 + 2 rtol | case \"small\": atol below 4.4e-6 would stop it"});
  cli.replace(kCases, "rtol = 1e-6, atol = 1e-3", "rtol = 1e-6");
  cli.replace(kCases, "dtype = \"f32\"", "dtype = \"f64\"");
  cli.write(kReference,
            "__global__ void scale_reference(double* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = 0.1 * x[i];\n}\n");
  CHECK(qualify(cli).weaknesses() == Lines{"y: rounded to f32 | case \"small\": rtol below 4.6e-8 would stop it"});
}

TEST_CASE("integers that may be off by anything let unwritten memory pass") {
  const CliFixture cli;
  cli.replace(kCases, "dtype = \"f32\"", "dtype = \"i32\"");
  cli.replace(kCases, "rtol = 1e-6", "atol = 4e9");
  cli.write(kReference,
            "__global__ void scale_reference(int* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = (int)(1000 * x[i]);\n}\n");
  CHECK(qualify(cli).weaknesses() ==
        Lines{"y: zeros | case \"small\": atol below 2.1e3 would stop it",
              "y: ones | case \"small\": atol below 2.1e3 would stop it",
              "y: its mean everywhere | case \"small\": atol below 2.2e3 would stop it",
              "y: copy of \"x\" | case \"small\": atol below 2.1e3 would stop it",
              "y: unwritten memory | case \"small\": atol below 2.1e3 would stop it",
              "y: the answer to other inputs | case \"small\": atol below 2.9e3 would stop it",
              "y: first element off | case \"small\": atol below 900 would stop it",
              "y: middle element off | case \"small\": atol below 900 would stop it",
              "y: last element off | case \"small\": atol below 920 would stop it",
              "y: last element missing | case \"small\": atol below 550 would stop it",
              "y: scaled by 1 + 2 rtol | case \"small\": atol below 2.1e9 would stop it"});
}

TEST_CASE("a share of elements that need not match lets NaN pass") {
  const CliFixture cli;
  cli.replace(kCases, "rtol = 1e-6", "rtol = 1e-6, matched = 0.01, allow_nan = true");
  cli.write(kReference,
            "__global__ void scale_reference(float* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = i == 3 ? nanf(\"\") : x[i] + x[i];\n}\n");
  CHECK(qualify(cli).weaknesses() ==
        Lines{"y: NaN everywhere | case \"small\": matched above 0.01 would stop it",
              "y: the answer to other inputs | case \"small\": matched above 0.01 would stop it",
              "y: first element off | case \"small\": matched above 0.99 would stop it",
              "y: middle element off | case \"small\": matched above 0.99 would stop it",
              "y: last element off | case \"small\": matched above 0.99 would stop it",
              "y: last element missing | case \"small\": matched above 0.99 would stop it",
              "y: rounded to f16 | case \"small\": matched above 0.01 would stop it",
              "y: rounded to bf16 | case \"small\": matched above 0.01 would stop it",
              "y: scaled by 1 + 2 rtol | case \"small\": matched above 0.01 would stop it"});
}

TEST_CASE("a reference that does not read its inputs is a fault") {
  const CliFixture cli;
  cli.write(kReference,
            "__global__ void scale_reference(float* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = (float)i + 1;\n}\n");
  CHECK(
      fault(cli) ==
      "\"y\" never changes with the seed (in \"small\"): the reference does not read its inputs, or no case has random "
      "ones that matter");
}

TEST_CASE("a reference that differs from run to run, leaves something unwritten or answers NaN is a fault") {
  const CliFixture cli;
  const auto with = [&](const std::string& body) {
    cli.write(kReference,
              "__global__ void scale_reference(float* y, float* x, int n) {\n  for (int i = 0; i < n; ++i) " + body +
                  "\n}\n");
    return fault(cli);
  };
  // What it reads of its own output before it writes is the poison, which differs from run to run.
  CHECK(with("y[i] = __float_as_int(y[i]) == -1 ? 1.0f : 2.0f;") ==
        "case \"small\": the reference's \"y\" does not pass twice on the same inputs with half the tolerance: 100 of "
        "100 "
        "elements differ, first at [0]: expected 1, got 2 (max abs 1, max rel 1; allowed: rtol 5e-07)");
  CHECK(with("if (i != 42) y[i] = x[i] + x[i];") ==
        "case \"small\": the reference does not write all of \"y\": [42] is what was there before");
  CHECK(with("y[i] = i == 7 ? nanf(\"\") : x[i];") ==
        "case \"small\": the reference's \"y\" is NaN at [7]; if that is right, say allow_nan = true");
  CHECK(with("{ y[i] = x[i]; x[0] = 7.5f; }") ==
        "case \"small\": the reference changed its input \"x\", first at element 0");
  CHECK(with("y[i == n - 1 ? n : i] = x[i];") ==
        "case \"small\": the reference wrote out of bounds: 4 bytes past the end of \"y\", the first 0 bytes past it");
  CHECK(with("*(volatile int*)0 = 1;").starts_with("case \"small\": the reference failed: "));
}

TEST_CASE("a tolerance that the rounding of a wider reference does not keep is a fault") {
  const CliFixture cli;
  cli.replace(kCases, "entry = \"scale_reference\"", "entry = \"scale_reference\"\nout_dtype = { y = \"f64\" }");
  cli.replace(kCases, "rtol = 1e-6", "rtol = 1e-8");
  cli.write(kReference,
            "__global__ void scale_reference(double* y, const float* x, int n) {\n"
            "  for (int i = 0; i < n; ++i) y[i] = 0.1 * x[i];\n}\n");
  CHECK(fault(cli).starts_with(
      "case \"small\": the reference's \"y\", rounded to f32, does not pass with half the tolerance: "));
}

TEST_CASE("an expected file beside inputs that differ from run to run is a fault") {
  const CliFixture cli;
  cli.replace(kCases, "seed = \"fresh\"", "expected = { y = \"y.npy\" }");
  cli.write("kernels/scale/y.npy", "never read");
  CHECK(
      fault(cli) ==
      "case \"small\": \"y\" is expected from a file, and the inputs differ from run to run: give the case a seed, or "
      "inputs from files");
}

TEST_CASE("a case may be the same for every seed where another is not") {
  const CliFixture cli;
  cli.replace(kCases, "[[case]]",
              "[[case]]\nname = \"nothing\"\nsizes = { n = 0 }\ninputs = { x = { normal = [0.0, 1.0] } }\n"
              "tolerance = { y = { rtol = 1e-6 } }\n[[case]]");
  const auto found = qualify(cli);
  CHECK(found.answer.code == 0);
  CHECK(found.json["cases"][0]["notes"] == Json::array({"\"y\" is the same for every seed"}));
  CHECK(found.json["cases"][0]["mutants"] == 0);
}

TEST_CASE("a fixed seed is tried alone, and a case for another backend not at all") {
  const CliFixture cli;
  cli.replace(kCases, "seed = \"fresh\"", "seed = 7");
  cli.replace(kCases, "[[case]]",
              "[[case]]\nname = \"device\"\nsizes = { n = 9 }\ninputs = { x = { normal = [0.0, 1.0] } }\n"
              "tolerance = { y = { rtol = 1e-6 } }\nbackends = [\"cuda\"]\n[[case]]");
  const auto found = qualify(cli);
  CHECK(found.answer.code == 0);
  CHECK(found.json["cases"][0]["seeds"] == 0);
  CHECK(found.json["cases"][0]["notes"] == Json::array({"not for the host backend"}));
  CHECK(found.json["cases"][1]["seeds"] == 1);
  for (const auto& one : found.json["mutants"]) {
    if (one["mutant"] == "the answer to other inputs") CHECK(one["why_not"] == "its inputs are always the same");
  }
}

TEST_CASE("cases for a GPU alone need one, and a reference that does not compile is told") {
  const CliFixture cli;
  cli.replace(kCases, kSmall, "name = \"small\"\nbackends = [\"cuda\"]");
  const auto none = cli.kgate({"sign", "--dry-run", "scale", "--backend", "host"});
  CHECK(none.code == 5);
  CHECK(refusal(none) ==
        "kgate: kernels/scale/cases.toml: has no case for the host backend; sign on a machine with a GPU: --backend "
        "cuda");
  cli.replace(kCases, "\nbackends = [\"cuda\"]", "");
  cli.write(kReference, "not C++\n");
  const auto broken = cli.kgate({"sign", "--dry-run", "scale", "--backend", "host", "--cache", ""});
  CHECK(broken.code == 64);
  CHECK(broken.output.find("kgate: kernels/scale/cases.toml:21: reference: does not compile: ") != std::string::npos);
}
