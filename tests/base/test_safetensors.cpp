#include <cstring>
#include <string>

#include "base/safetensors.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

// A file as the format's specification says: length, header, data.
Bytes made(const std::string& header, const std::string& data) {
  std::string text(8, '\0');
  for (std::size_t i = 0; i < 8; ++i) text[i] = static_cast<char>(std::uint64_t{header.size()} >> (8 * i) & 0xff);
  return bytes_of(text + header + data);
}

std::string error_in(const Bytes& file) {
  const std::string error = error_of([&] { read_safetensors(file, "x.safetensors"); });
  const std::string begin = "usage: x.safetensors: ", end = "; write it again with the safetensors library";
  if (!error.starts_with(begin) || !error.ends_with(end)) return error;
  return error.substr(begin.size(), error.size() - begin.size() - end.size());
}

const std::string kFloats("\x00\x00\x80\x3f\x00\x00\x00\xc0", 8);  // 1 and -2 as f32

}  // namespace

TEST_CASE("a file that is built from the specification is read") {
  const Bytes file = made(R"({"__metadata__":{"format":"pt"},"w":{"dtype":"F32","shape":[1,2],"data_offsets":[0,8]},)"
                          R"("n":{"dtype":"I16","shape":[],"data_offsets":[8,10]},)"
                          R"("e":{"dtype":"F64","shape":[3,0],"data_offsets":[10,10]}}   )",
                          kFloats + std::string("\xff\xff", 2));
  const auto tensors = read_safetensors(file, "x");
  REQUIRE(tensors.size() == 3);
  CHECK(tensors.at("w").shape == Shape{1, 2});
  CHECK(load_element(DType::f32, tensors.at("w").data.data() + 4) == -2);
  CHECK(tensors.at("n").shape.empty());
  CHECK(load_element(DType::i16, tensors.at("n").data.data()) == -1);
  CHECK(tensors.at("e").data.empty());
}

TEST_CASE("every element type is read and written") {
  std::map<std::string, Tensor> tensors;
  for (const char* name : {"f64", "f32", "f16", "bf16", "f8e4m3", "f8e5m2", "i64", "i32", "i16", "i8", "u64", "u32",
                           "u16", "u8", "bool"}) {
    const DType type = *dtype_from_name(name);
    tensors[name] = {type, {2}, Bytes(2 * size_of(type), std::byte{1})};
  }
  const Bytes file = write_safetensors(tensors);
  std::uint64_t header = 0;
  std::memcpy(&header, file.data(), 8);
  CHECK(header % 8 == 0);
  CHECK(text_of(file).find("\"F8_E4M3\"") != std::string::npos);
  const auto back = read_safetensors(file, "x");
  CHECK(back.size() == tensors.size());
  for (const auto& [name, tensor] : tensors) {
    CHECK(back.at(name).dtype == tensor.dtype);
    CHECK(back.at(name).data == tensor.data);
  }
  CHECK(read_safetensors(write_safetensors({}), "x").empty());
}

TEST_CASE("one tensor is read by its key, and a wrong key finds the right one") {
  const Bytes file =
      write_safetensors({{"weight", {DType::u8, {1}, bytes_of("a")}}, {"bias", {DType::u8, {1}, bytes_of("b")}}});
  CHECK(text_of(read_safetensor(file, "bias", "x").data) == "b");
  CHECK(error_of([&] { read_safetensor(file, "wieght", "x.safetensors"); }) ==
        "usage: x.safetensors: holds no tensor \"wieght\"; did you mean \"weight\"?");
  CHECK(error_of([&] { read_safetensor(file, "q", "x.safetensors"); }) ==
        "usage: x.safetensors: holds no tensor \"q\"; known keys: bias, weight");
}

TEST_CASE("a file that is cut off, or none at all, is refused") {
  CHECK(error_in(bytes_of("1234567")) ==
        "is no .safetensors file: it has 7 bytes, and its header's length alone takes 8");
  CHECK(error_in(bytes_of("GIF89a, a picture")) ==
        "is no .safetensors file: its header would have 2318334806574123335 bytes, and at most 100000000 are allowed");
  Bytes file = made("{}", "");
  file.resize(9);
  CHECK(error_in(file) == "is cut off: its header has 2 bytes, and 1 are there");
  CHECK(error_in(made("", "")) == "its header does not begin with '{'");
  CHECK(error_in(made(" {}", "")) == "its header does not begin with '{'");
  CHECK(error_in(made("{", "")) ==
        "usage: x.safetensors: header: is not valid JSON at byte 1 (line 1, column 2): the text ends too early");
}

TEST_CASE("a header that does not hold is refused with the tensor and what is wrong") {
  const auto with = [](const std::string& entry) { return error_in(made("{\"w\":" + entry + "}", kFloats)); };
  CHECK(with("1") == "tensor \"w\": is no table");
  CHECK(with("{}") == "tensor \"w\": has no dtype");
  CHECK(with(R"({"dtype":"F32","shape":[2]})") == "tensor \"w\": has no data_offsets");
  CHECK(with(R"({"dtype":"F32","data_offsets":[0,8]})") == "tensor \"w\": has no shape");
  CHECK(with(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})") == "tensor \"w\": shape is no list");
  CHECK(with(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})") ==
        "tensor \"w\": shape holds something other than numbers from 0 up");
  CHECK(with(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})") ==
        "tensor \"w\": shape holds something other than numbers from 0 up");
  CHECK(with(R"({"dtype":"F32","shape":[2],"data_offsets":[8]})") ==
        "tensor \"w\": data_offsets is no pair of numbers");
  CHECK(with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})") ==
        "tensor \"w\": bytes 8 to 0 are not inside the 8 bytes of data");
  CHECK(with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,12]})") ==
        "tensor \"w\": bytes 0 to 12 are not inside the 8 bytes of data");
  CHECK(with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})") ==
        "tensor \"w\": shape [3] of f32 needs 12 bytes, and its range has 8");
  CHECK(with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"strides":[1]})") ==
        "tensor \"w\": has the unknown key \"strides\"");
  CHECK(with(R"({"dtype":4,"shape":[2],"data_offsets":[0,8]})") == "tensor \"w\": dtype is no string");
  CHECK(with(R"({"dtype":"C64","shape":[1],"data_offsets":[0,8]})") ==
        "usage: x.safetensors: tensor \"w\": has the type \"C64\", which kgate does not read; convert it to one of F64 "
        "F32 F16 "
        "BF16 F8_E4M3 F8_E5M2 I64 I32 I16 I8 U64 U32 U16 U8 BOOL");
  CHECK(with(R"({"dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,8]})") ==
        "usage: x.safetensors: tensor \"w\": shape [4294967296, 4294967296] has more than 2^53 elements; make it "
        "smaller");
  CHECK(error_in(made(R"({"__metadata__":{"a":1}})", "")) == "__metadata__: \"a\" is no string");
  CHECK(error_in(made(R"({"__metadata__":1})", "")) == "__metadata__ is no table of strings");
}

TEST_CASE("every byte belongs to exactly one tensor") {
  const auto pair = [](const std::string& first, const std::string& second) {
    return error_in(made("{\"a\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + first +
                             "},\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":" + second + "}}",
                         "123456789"));
  };
  CHECK(pair("[0,4]", "[3,7]") == "tensor \"b\": its bytes from 3 overlap with another tensor's");
  CHECK(pair("[0,4]", "[0,4]") == "tensor \"b\": its bytes from 0 overlap with another tensor's");
  CHECK(pair("[0,4]", "[5,9]") == "bytes 4 to 5 of the data belong to no tensor");
  CHECK(pair("[4,8]", "[0,4]") == "bytes 8 to 9 of the data belong to no tensor");
  CHECK(error_in(made(R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],)"
                      R"("data_offsets":[1,2]}})",
                      "12"))
            .find("the key \"a\" is there twice") != std::string::npos);
}

TEST_CASE("a BOOL that is neither 0 nor 1 is refused") {
  CHECK(error_in(made(R"({"m":{"dtype":"BOOL","shape":[2],"data_offsets":[0,2]}})", std::string("\x01\x02", 2))) ==
        "tensor \"m\": element 1 is 2; a BOOL is 0 or 1");
}

TEST_CASE("tensors that cannot be written are a defect of ours") {
  const std::string fact = "has a reserved name or data that do not fit its shape";
  CHECK(error_of([] {
          write_safetensors({{"__metadata__", {DType::u8, {0}, {}}}});
        }) == "internal: tensor \"__metadata__\": " + fact);
  CHECK(error_of([] { write_safetensors({{"x", {DType::u8, {2}, {}}}}); }) == "internal: tensor \"x\": " + fact);
}
