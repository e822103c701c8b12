#include "gate/disassembly/kind.h"

#include <set>
#include <string>

#include "tests/support/catch.h"

using namespace kgate::disassembly;

TEST_CASE("an opcode's kind does not depend on its modifiers") {
  CHECK(kind_of("LDG.E.128.CONSTANT") == Kind::global_load);
  CHECK(kind_of("STG.E") == Kind::global_store);
  CHECK(kind_of("LDS.U.64") == Kind::shared);
  CHECK(kind_of("LDL.LU") == Kind::local_load);
  CHECK(kind_of("STL.128") == Kind::local_store);
  CHECK(kind_of("REDG.E.ADD.F64.RN.STRONG.GPU") == Kind::atomic);
  CHECK(kind_of("FFMA.SAT") == Kind::fp32);
  CHECK(kind_of("DFMA.RM") == Kind::fp64);
  CHECK(kind_of("HFMA2.BF16_V2") == Kind::half);
  CHECK(kind_of("HMMA.16816.F32") == Kind::tensor);
  CHECK(kind_of("HGMMA.64x128x16.F32") == Kind::tensor);
  CHECK(kind_of("IADD3.X") == Kind::integer);
  CHECK(kind_of("UISETP.GE.AND") == Kind::integer);
  CHECK(kind_of("F2FP.BF16.F32.PACK_AB") == Kind::conversion);
  CHECK(kind_of("MUFU.RCP64H") == Kind::special);
  CHECK(kind_of("BRA.U") == Kind::control);
  CHECK(kind_of("BAR.SYNC.DEFER_BLOCKING") == Kind::barrier);
  CHECK(kind_of("SHFL.BFLY") == Kind::other);
}

TEST_CASE("a move by the integer unit is no arithmetic, and a half that becomes a float is a conversion") {
  CHECK(kind_of("IMAD.MOV.U32") == Kind::other);
  CHECK(kind_of("IMAD.WIDE.U32") == Kind::integer);
  CHECK(kind_of("HADD2.F32") == Kind::conversion);
  CHECK(kind_of("HADD2") == Kind::half);
}

TEST_CASE("an opcode that no table has is of the other kind") {
  CHECK(kind_of("NEWOP.X.Y") == Kind::other);
  CHECK(kind_of("LDGX") == Kind::other);
  CHECK(kind_of("") == Kind::other);
}

TEST_CASE("every kind has a key of its own that leads back to it, and words") {
  std::set<std::string> keys, words;
  for (int number = 0; number <= static_cast<int>(Kind::other); ++number) {
    const auto kind = static_cast<Kind>(number);
    keys.insert(key_of(kind));
    words.insert(words_of(kind));
    CHECK(kind_from_key(key_of(kind)) == kind);
  }
  CHECK(keys.size() == 16);
  CHECK(words.size() == 16);
  CHECK_FALSE(kind_from_key("total"));
}
