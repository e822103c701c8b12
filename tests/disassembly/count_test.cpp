#include "gate/disassembly/count.h"

#include "tests/disassembly/recorded.h"
#include "tests/support/catch.h"

using namespace kgate::disassembly;

TEST_CASE("what nvdisasm printed of a kernel for sm_90 is counted by kind, without labels, directives and padding") {
  CHECK(count_instructions(kHopper) == Counts{{Kind::global_load, 1},
                                              {Kind::shared, 2},
                                              {Kind::local_load, 1},
                                              {Kind::local_store, 1},
                                              {Kind::atomic, 1},
                                              {Kind::fp32, 1},
                                              {Kind::fp64, 2},
                                              {Kind::half, 1},
                                              {Kind::integer, 3},
                                              {Kind::conversion, 4},
                                              {Kind::special, 1},
                                              {Kind::control, 3},
                                              {Kind::barrier, 1},
                                              {Kind::other, 5}});
  CHECK(total(count_instructions(kHopper)) == 27);
}

TEST_CASE("two instructions that start together, in braces for sm_61, are two") {
  CHECK(count_instructions(kPascal) ==
        Counts{{Kind::half, 1}, {Kind::integer, 2}, {Kind::control, 1}, {Kind::other, 4}});
}

TEST_CASE("what is no disassembly has no instructions") {
  CHECK(count_instructions("").empty());
  CHECK(count_instructions("nvdisasm fatal   : 'x' is not a supported Elf file\n").empty());
  CHECK(count_instructions("/*0000*/ .byte 0xff\n/**/ FADD\n/*zz*/ FADD ;\n/*0010*/\n/*0020*/ @P0\n/*0030").empty());
}

TEST_CASE("the last line counts without its line break, and so do lines of a machine that ends them in another way") {
  CHECK(count_instructions("/*0000*/ FADD R0, R1, R2 ;") == Counts{{Kind::fp32, 1}});
  CHECK(count_instructions("/*0000*/\tEXIT;\r\n/*0010*/ @!PT\tBRA `(.L) ;\r\n") == Counts{{Kind::control, 2}});
}
