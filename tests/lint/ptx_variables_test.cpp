#include "gate/lint/ptx_variables.h"

#include "tests/support/catch.h"

using kgate::lint::ptx_variables;

TEST_CASE("variables of PTX in global memory are found by name and line") {
  const auto found = ptx_variables(R"(// .global .u32 commented;
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 counter;
	.global .align 16 .b8 table[32] = {1, 2, 3};
/* .global .u32 hidden;
*/ .weak .global .u64 shared_by_all = 5;
.const .align 4 .u32 constant;
.shared .align 4 .b8 tile[64];
.visible .entry k(.param .u64 .ptr .global .align 4 p)
{
	.global .u32 inner;
	ld.global.u32 %r1, [counter];
	ret;
}
)");
  REQUIRE(found.size() == 4);
  CHECK(found[0].name == "counter");
  CHECK(found[0].line == 5);
  CHECK(found[1].name == "table");
  CHECK(found[2].name == "shared_by_all");
  CHECK(found[2].line == 8);
  CHECK(found[3].name == "inner");
}

TEST_CASE("text that is no PTX has no variables") {
  for (const char* text : {"", ".global", ".global\n", "/* .global .u32 x;", "// .global"}) {
    INFO(text);
    CHECK(ptx_variables(text).size() <= 1);
  }
}
