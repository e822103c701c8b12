#include <cmath>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/npy.h"
#include "tests/support/errors.h"

using namespace kgate;

namespace {

// Written by NumPy (make_npy_fixtures.py).
Bytes fixture(const std::string& name) {
  return read_file(std::string(KGATE_TEST_DATA) + "/base/data/" + name, 1 << 20);
}

// A file of version 1.0 with any header and any data.
Bytes made(const std::string& header, std::size_t data) {
  std::string text = "\x93NUMPY";
  text += {'\x01', '\x00', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  Bytes file = bytes_of(text + header);
  file.resize(file.size() + data);
  return file;
}

std::string error_in(const Bytes& file) {
  return error_of([&] { read_npy(file, "x.npy"); });
}

std::string header_error(const std::string& header) {
  const std::string error = error_in(made(header, 0)),
                    begin = "usage: x.npy: ", end = "; write it again with numpy.save";
  if (!error.starts_with(begin) || !error.ends_with(end)) return error;
  return error.substr(begin.size(), error.size() - begin.size() - end.size());
}

double element(const Tensor& tensor, std::uint64_t index) {
  return load_element(tensor.dtype, tensor.data.data() + index * size_of(tensor.dtype));
}

}  // namespace

TEST_CASE("every type that NumPy writes is read, in C and in Fortran order") {
  const std::vector<std::string> names{"f64", "f32", "f16", "i64", "i32", "i16",
                                       "i8",  "u64", "u32", "u16", "u8",  "bool"};
  for (const std::string& name : names) {
    for (const std::string order : {"_c", "_fortran"}) {
      INFO(name << order);
      const Tensor tensor = read_npy(fixture(name + order + ".npy"), "x.npy");
      CHECK(name_of(tensor.dtype) == name);
      CHECK(tensor.shape == Shape{2, 3, 2});
      REQUIRE(tensor.data.size() == 12 * size_of(tensor.dtype));
      for (std::uint64_t i = 0; i < 12; ++i) {
        const double expected = name == "bool"   ? (i % 3 == 0 ? 1 : 0)
                                : name[0] == 'u' ? static_cast<double>(i)
                                                 : static_cast<double>(i) - 2;
        CHECK(element(tensor, i) == expected);
      }
    }
  }
}

TEST_CASE("scalars, vectors, empty arrays and the newer versions of the format are read") {
  CHECK(read_npy(fixture("scalar.npy"), "x").shape.empty());
  CHECK(element(read_npy(fixture("scalar.npy"), "x"), 0) == -2);
  CHECK(read_npy(fixture("one_dimension.npy"), "x").shape == Shape{5});
  CHECK(read_npy(fixture("empty.npy"), "x").shape == Shape{3, 0, 2});
  CHECK(read_npy(fixture("empty_fortran.npy"), "x").data.empty());
  for (const std::string name : {"version_2.npy", "version_3.npy"}) {
    const Tensor tensor = read_npy(fixture(name), "x");
    CHECK(tensor.shape == Shape{2, 3});
    CHECK(element(tensor, 5) == 3);
  }
  const Tensor special = read_npy(fixture("special_f32.npy"), "x");
  CHECK(std::isnan(element(special, 0)));
  CHECK(element(special, 2) == -std::numeric_limits<double>::infinity());
  CHECK(std::signbit(element(special, 3)));
  CHECK(element(special, 4) == 0x1p-149);
}

TEST_CASE("what is written is byte for byte what NumPy writes") {
  const std::vector<std::string> names{"f64_c", "f32_c", "f16_c", "i64_c",  "i32_c",  "i16_c",         "i8_c", "u64_c",
                                       "u32_c", "u16_c", "u8_c",  "bool_c", "scalar", "one_dimension", "empty"};
  for (const std::string& name : names) {
    INFO(name);
    const Bytes file = fixture(name + ".npy");
    CHECK(write_npy(read_npy(file, "x")) == file);
  }
}

TEST_CASE("types that NumPy does not have are written as their bits") {
  const Tensor bf16{DType::bf16, {1}, bytes_of("\x80\x3f")};
  const Tensor back = read_npy(write_npy(bf16), "x");
  CHECK(back.dtype == DType::u16);
  CHECK(back.data == bf16.data);
  CHECK(read_npy(write_npy({DType::f8e4m3, {1}, bytes_of("8")}), "x").dtype == DType::u8);
  CHECK(error_of([] {
          write_npy({DType::f32, {2}, bytes_of("1234")});
        }) == "internal: array: has data that do not fit its shape");
}

TEST_CASE("types that kgate does not read are refused with what to do") {
  CHECK(error_in(fixture("big_endian.npy")) == "usage: x.npy: is big-endian (\">f4\"); save it with arr.astype('<f4')");
  CHECK(error_in(fixture("complex.npy")) ==
        "usage: x.npy: holds elements of the type \"<c8\", which kgate does not read; save the real and the imaginary "
        "part "
        "as two arrays");
  CHECK(error_in(fixture("objects.npy")) ==
        "usage: x.npy: holds elements of the type \"|O\", which kgate does not read; it is a pickle of Python objects; "
        "save "
        "a plain array of numbers");
  CHECK(
      error_in(fixture("void.npy")) ==
      "usage: x.npy: holds elements of the type \"|V2\", which kgate does not read; for bf16 and 8-bit floats save the "
      "bits: arr.view(numpy.uint16) or arr.view(numpy.uint8)");
  CHECK(
      error_in(fixture("text.npy")) ==
      "usage: x.npy: holds elements of the type \"<U2\", which kgate does not read; save it with arr.astype('<f4') or "
      "another type of f64 f32 f16 i64 i32 i16 i8 u64 u32 u16 u8 bool");
  CHECK(error_in(fixture("structured.npy")) ==
        "usage: x.npy: holds a structured type, which no kernel takes; save one plain array for each of its fields");
  CHECK(error_in(fixture("archive.npz")) ==
        "usage: x.npy: is an .npz archive, not one array; save each array alone with numpy.save");
}

TEST_CASE("a file that is cut off or too long is refused at every length") {
  const Bytes whole = fixture("f32_c.npy");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    INFO(size);
    CHECK(error_in(Bytes(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)))
              .starts_with("usage: x.npy: is "));
  }
  Bytes file = whole;
  file.resize(file.size() - 1);
  CHECK(
      error_in(file) ==
      "usage: x.npy: is cut off: shape [2, 3, 2] of f32 needs 48 bytes of data, and 47 are there; write it again with "
      "numpy.save");
  file.resize(whole.size() + 5);
  CHECK(error_in(file) == "usage: x.npy: has 5 bytes after the 48 of its array; save one array a file");
  file.resize(100);
  CHECK(error_in(file) == "usage: x.npy: is cut off within its header; write it again with numpy.save");
}

TEST_CASE("a header that does not hold is refused with what is wrong in it") {
  CHECK(error_in(bytes_of("hello, world")) ==
        "usage: x.npy: is no .npy file: it does not begin with \\x93NUMPY; write it again with numpy.save");
  Bytes future = fixture("f32_c.npy");
  future[6] = std::byte{4};
  CHECK(error_in(future) ==
        "usage: x.npy: has version 4.0 of the .npy format; known are 1.0, 2.0 and 3.0; write it again with numpy.save");
  CHECK(header_error("") == "its header ends too early");
  CHECK(header_error("{}") == "its header has no 'descr'");
  CHECK(header_error("{'descr': '<f4'}") == "its header has no 'fortran_order'");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False}") == "its header has no 'shape'");
  CHECK(header_error("{'descr': '<f4', 'descr': '<f4'}") == "its header has the key \"descr\" twice");
  CHECK(header_error("{'order': 1}") == "its header has the unknown key \"order\"");
  CHECK(header_error("{'shape': (1, -2)}") == "its shape has a negative dimension");
  CHECK(header_error("{'shape': (1 2)}") == "its header is no NumPy header: character 13 is unexpected, at \"2)}\"");
  CHECK(header_error("{'shape': (1, 2") == "its header ends too early");
  CHECK(header_error("{'descr': '<f4") == "its header ends too early");
  CHECK(header_error("{'fortran_order': Maybe}") ==
        "its header is no NumPy header: character 18 is unexpected, at \"Maybe}\"");
  CHECK(header_error("{'descr': '<f4', 'fortran_order': False, 'shape': ()} x") ==
        "its header is no NumPy header: character 54 is unexpected, at \"x\"");
  CHECK(header_error(std::string("{\0}", 3)) ==
        "its header is no NumPy header: character 1 is unexpected, at \"\\x00}\"");
}

TEST_CASE("a shape that overflows is refused before anything is reserved") {
  const auto shaped = [](const std::string& shape) {
    return error_in(made("{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + "}", 0));
  };
  CHECK(shaped("(4294967296, 4294967296)") ==
        "usage: x.npy: shape [4294967296, 4294967296] has more than 2^53 elements; make it smaller");
  CHECK(shaped("(99999999999999999999999,)") == "usage: x.npy: its shape has a dimension over 2^53; make it smaller");
  CHECK(shaped("(9007199254740992,)") ==
        "usage: x.npy: is cut off: shape [9007199254740992] of f32 needs 36028797018963968 bytes of data, and 0 are "
        "there; "
        "write it again with numpy.save");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  CHECK(shaped(many + ")") == "usage: x.npy: has more than 64 dimensions; write it again with numpy.save");
}

TEST_CASE("headers of Python 2 and of other writers are read") {
  CHECK(read_npy(made("{'descr':'<f4','fortran_order':False,'shape':(2L,),}", 8), "x").shape == Shape{2});
  CHECK(read_npy(made("{\"shape\": (2), \"fortran_order\": True, \"descr\": \"|u1\"}\n", 2), "x").shape == Shape{2});
}

TEST_CASE("a bool that is neither 0 nor 1 is refused") {
  Bytes file = made("{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3);
  file.back() = std::byte{2};
  CHECK(error_in(file) == "usage: x.npy: byte 2 of its data is 2; a bool is 0 or 1; write it again with numpy.save");
}
