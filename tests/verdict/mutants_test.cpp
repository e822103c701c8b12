#include "gate/verdict/qualify/mutants.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/support/catch.h"
#include "tests/verdict/answer_fixture.h"

using namespace kgate;
using verdict::RightAnswer;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Wrong {
  std::string why_not;
  Bytes bytes;
};

Wrong mutated(const Answer& answer, const std::string& name, std::uint8_t poison = 0xff) {
  std::vector<std::string> inputs;
  for (const auto& [input, content] : answer.right.inputs) inputs.push_back(input);
  inputs.emplace_back("elsewhere");
  for (const auto& mutant : verdict::mutants_with(inputs)) {
    if (mutant.name != name) continue;
    Wrong wrong;
    wrong.bytes.assign(answer.right.rounded.begin(), answer.right.rounded.end());
    wrong.why_not = mutant.mutate(answer.right, poison, wrong.bytes);
    return wrong;
  }
  FAIL("there is no mutant \"" << name << "\"");
  return {};
}

std::vector<float> floats(const Answer& answer, const std::string& name, std::uint8_t poison = 0xff) {
  const auto wrong = mutated(answer, name, poison);
  CHECK(wrong.why_not.empty());
  return values_in<float>(wrong.bytes);
}

using Floats = std::vector<float>;
using Ints = std::vector<std::int32_t>;

}  // namespace

TEST_CASE("there is a mutant of every kind that kernels get wrong, and a copy of every input") {
  std::vector<std::string> names;
  for (const auto& mutant : verdict::mutants_with({"x", "gamma"})) names.push_back(mutant.name);
  CHECK(names == std::vector<std::string>{"zeros", "ones", "its mean everywhere", "copy of \"x\"", "copy of \"gamma\"",
                                          "NaN everywhere", "unwritten memory", "the answer to other inputs",
                                          "first element off", "middle element off", "last element off",
                                          "last element missing", "rounded to f32", "rounded to f16", "rounded to bf16",
                                          "transposed", "scaled by 1 + 2 rtol"});
}

TEST_CASE("constants fill the output: zeros, ones and its mean over what is finite") {
  const Answer answer(DType::f32, Floats{1, 2, kInf, 6, kNan});
  CHECK(floats(answer, "zeros") == Floats(5, 0));
  CHECK(floats(answer, "ones") == Floats(5, 1));
  CHECK(floats(answer, "its mean everywhere") == Floats(5, 3));
  const Answer integers(DType::i32, Ints{1, 2, 4});
  CHECK(values_in<std::int32_t>(mutated(integers, "its mean everywhere").bytes) == Ints(3, 2));
}

TEST_CASE("a copy of an input is converted to the output's type, and needs as many elements") {
  Answer answer(DType::i32, Ints{7, 8, 9});
  answer.add_input("x", DType::f32, Floats{1.4f, -2.6f, 3e20f});
  answer.add_input("ids", DType::i32, Ints{4, 5, 6});
  CHECK(values_in<std::int32_t>(mutated(answer, "copy of \"x\"").bytes) ==
        Ints{1, -3, std::numeric_limits<std::int32_t>::max()});
  CHECK(values_in<std::int32_t>(mutated(answer, "copy of \"ids\"").bytes) == Ints{4, 5, 6});
  CHECK(mutated(answer, "copy of \"elsewhere\"").why_not == "the input has another number of elements");
}

TEST_CASE("only floats can be NaN everywhere") {
  for (const float value : floats(Answer(DType::f32, Floats{1, 2}), "NaN everywhere")) CHECK(std::isnan(value));
  CHECK(mutated(Answer(DType::i32, Ints{1}), "NaN everywhere").why_not == "it is i32");
}

TEST_CASE("unwritten memory holds the poison, an inout's content, or zeros where the output begins as zeros") {
  Answer answer(DType::i32, Ints{1, 2});
  CHECK(values_in<std::int32_t>(mutated(answer, "unwritten memory", 0xff).bytes) == Ints{-1, -1});
  CHECK(values_in<std::uint32_t>(mutated(answer, "unwritten memory", 0xa5).bytes) ==
        std::vector<std::uint32_t>{0xa5a5a5a5, 0xa5a5a5a5});
  answer.right.untouched = bytes_from(Ints{5, 6});
  CHECK(values_in<std::int32_t>(mutated(answer, "unwritten memory").bytes) == Ints{5, 6});
  CHECK(values_in<std::int32_t>(mutated(answer, "last element missing").bytes) == Ints{1, 6});
  answer.right.untouched = Bytes(8);
  CHECK(values_in<std::int32_t>(mutated(answer, "unwritten memory").bytes) == Ints{0, 0});
}

TEST_CASE("a last element that is missing needs one that is not") {
  CHECK(values_in<std::int32_t>(mutated(Answer(DType::i32, Ints{1, 2, 3}), "last element missing").bytes) ==
        Ints{1, 2, -1});
  CHECK(mutated(Answer(DType::i32, Ints{1}), "last element missing").why_not == "it has fewer than two elements");
}

TEST_CASE("the answer to other inputs is that of another seed, where the inputs change") {
  Answer answer(DType::f32, Floats{1, 2});
  CHECK(mutated(answer, "the answer to other inputs").why_not == "its inputs are always the same");
  answer.set_earlier(Floats{8, 9});
  CHECK(floats(answer, "the answer to other inputs") == Floats{8, 9});
}

TEST_CASE("an element is off by its own size, or by a usual one's where it is smaller") {
  const Answer answer(DType::f32, Floats{3, -4, 0, 5, 0.5f});
  const float rms = std::sqrt((9.0f + 16 + 25 + 0.25f) / 5);
  CHECK(floats(answer, "first element off")[0] == Approx(3 - rms));
  CHECK(floats(answer, "middle element off")[2] == Approx(rms));
  CHECK(floats(answer, "last element off")[4] == Approx(0.5f - rms));
  const Floats first = floats(answer, "first element off");
  CHECK(std::equal(first.begin() + 1, first.end(), values_in<float>(answer.right.rounded).begin() + 1));
  CHECK(floats(Answer(DType::f32, Floats{0, 0}), "first element off") == Floats{1, 0});
  CHECK(mutated(Answer(DType::f32, Floats{1, 2}), "middle element off").why_not == "it has fewer than three elements");
  CHECK(mutated(Answer(DType::f32, Floats{1}), "last element off").why_not == "it has fewer than two elements");
  CHECK(mutated(Answer(DType::f32, Floats{}), "first element off").why_not == "it has no elements");
}

TEST_CASE("an element that is off stays a value of its type, and differs") {
  const auto first = [](DType dtype, const auto& values) {
    const Answer answer(dtype, values);
    using T = typename std::decay_t<decltype(values)>::value_type;
    return values_in<T>(mutated(answer, "first element off").bytes)[0];
  };
  CHECK(first(DType::u8, std::vector<std::uint8_t>{3, 100, 100, 100}) == 90);
  CHECK(first(DType::u8, std::vector<std::uint8_t>{200, 1, 1, 1}) == 0);
  CHECK(first(DType::boolean, std::vector<std::uint8_t>{1, 1}) == 0);
  CHECK(first(DType::boolean, std::vector<std::uint8_t>{0, 0}) == 1);
  constexpr float kMost = std::numeric_limits<float>::max();
  CHECK(first(DType::f32, Floats{kMost, kMost}) == Approx(0));
  CHECK(first(DType::f32, Floats{kInf, 1}) == 0);
  constexpr double kMostDouble = std::numeric_limits<double>::max();
  CHECK(std::isfinite(first(DType::f64, std::vector<double>{1, kMostDouble})));
}

TEST_CASE("precision is lost from what the reference computed, in types that are narrower alone") {
  const Answer answer(DType::f32, Floats{1.0f / 3}, DType::f64, std::vector<double>{1.0 / 3});
  CHECK(floats(answer, "rounded to f16")[0] == 0.333251953125f);
  CHECK(floats(answer, "rounded to bf16")[0] == 0.333984375f);
  CHECK(mutated(answer, "rounded to f32").why_not == "it is f32");
  CHECK(mutated(Answer(DType::f16, std::vector<std::uint16_t>{1}), "rounded to bf16").why_not == "it is f16");
  CHECK(mutated(Answer(DType::i32, Ints{1}), "rounded to f16").why_not == "it is i32");
  const Answer wide(DType::f64, std::vector<double>{1.0 / 3});
  CHECK(values_in<double>(mutated(wide, "rounded to f32").bytes)[0] == static_cast<double>(1.0f / 3));
}

TEST_CASE("square outputs are transposed, each of a batch for itself") {
  Answer answer(DType::f32, Floats{1, 2, 3, 4, 5, 6, 7, 8});
  CHECK(mutated(answer, "transposed").why_not == "it is not square");
  answer.right.shape = {2, 2, 2};
  CHECK(floats(answer, "transposed") == Floats{1, 3, 2, 4, 5, 7, 6, 8});
  answer.right.shape = {4, 2};
  CHECK(mutated(answer, "transposed").why_not == "it is not square");
}

TEST_CASE("scaling goes twice as far as rtol, or as what stands in its place, lets it") {
  cases::Tolerance tolerance = with_rtol(0.25);
  tolerance.atol = 100;
  CHECK(floats(Answer(DType::f32, Floats{2, -4}, tolerance), "scaled by 1 + 2 rtol") == Floats{3, -6});
  tolerance = {};
  tolerance.ulp = 4;
  CHECK(floats(Answer(DType::f32, Floats{1}, tolerance), "scaled by 1 + 2 rtol") == Floats{1 + 0x1p-20f});
  tolerance = {};
  tolerance.norm = 0.5;
  CHECK(floats(Answer(DType::f32, Floats{2}, tolerance), "scaled by 1 + 2 rtol") == Floats{4});
  tolerance = {};
  tolerance.atol = 1;
  CHECK(floats(Answer(DType::f32, Floats{2, 2}, tolerance), "scaled by 1 + 2 rtol") == Floats{4, 4});
  tolerance.atol = 0;
  CHECK(mutated(Answer(DType::f32, Floats{2}, tolerance), "scaled by 1 + 2 rtol").why_not == "its tolerance is exact");
}

TEST_CASE("values are the same whatever the bits of a NaN and the sign of a zero") {
  const auto same = [](const Floats& one, const Floats& other) {
    return verdict::same_values(DType::f32, bytes_from(one), bytes_from(other));
  };
  CHECK(same({1, kNan, 0.0f}, {1, -kNan, -0.0f}));
  CHECK_FALSE(same({1, kNan}, {1, 2}));
  CHECK_FALSE(same({1}, {1, 1}));
  CHECK_FALSE(verdict::same_values(DType::i32, bytes_from(Ints{1}), bytes_from(Ints{2})));
}

TEST_CASE("a reference's answer is rounded to the parameter's type once") {
  const std::vector<double> wide{1.0 / 3, 1e300};
  CHECK(values_in<float>(verdict::rounded_to(DType::f32, {DType::f64, bytes_from(wide)})) == Floats{1.0f / 3, kInf});
}
