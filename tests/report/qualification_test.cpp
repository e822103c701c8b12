#include "gate/report/qualification.h"

#include "tests/support/catch.h"

using namespace kgate;

namespace {

cases::CasesSpec scale() {
  cases::CasesSpec cases;
  cases.kernel = "scale";
  cases.revision = 3;
  return cases;
}

verdict::Qualification weak() {
  verdict::Qualification found;
  found.backend = "cuda";
  found.seed = 0xbeef;
  found.cases = {
      {"one", 32, 4, 4, {"\"y\" is the same for every seed"}},
      {"wide, and with a name that is longer", 12, 9, 7, {"12 seeds took 10 s", "passes here: y: zeros, ones"}},
      {"device", 0, 0, 0, {"not for the host backend"}}};
  found.mutants = {{"y", "zeros", 2, "", "case \"wide\": atol below 3.2 would stop it", ""},
                   {"y", "copy of \"x\"", 1, "one", "", ""},
                   {"y", "transposed", 0, "", "", "it is not square"}};
  found.weaknesses = {{"y: zeros", "case \"wide\": atol below 3.2 would stop it"}};
  return found;
}

}  // namespace

TEST_CASE("a qualification is told case by case and mutant by mutant") {
  CHECK(report::write_qualification(scale(), weak()) ==
        R"(scale, revision 3, on the cuda backend, seed 000000000000beef

  case                                  seeds     stops
  one                                      32    4 of 4  "y" is the same for every seed
  wide, and with a name that is longer     12    7 of 9  12 seeds took 10 s; passes here: y: zeros, ones
  device                                    -         -  not for the host backend

  mutant                                fails
  y: zeros                              PASSES; case "wide": atol below 3.2 would stop it
  y: copy of "x"                        case "one"
  y: transposed                         nowhere: it is not square

3 mutants: 1 failed by a case, 1 by none; 1 wrong in no case
)");
}

TEST_CASE("faults stand at the end, and names from files cannot drive a terminal") {
  auto found = weak();
  found.cases = {{"a\x1b[2Jb", 0, 0, 0, {}}};
  found.mutants = {{"y", "zeros", 0, "", "", ""}};
  found.faults = {"case \"a\x1b[2Jb\": the reference failed: trap\nat line 3"};
  const auto text = report::write_qualification(scale(), found);
  CHECK(text.find('\x1b') == std::string::npos);
  CHECK(text.find("  y: zeros   nowhere: not tried\n") != std::string::npos);
  CHECK(text.ends_with("the reference failed: trap at line 3\n"));
}

TEST_CASE("the same for programs") {
  const Json json = report::qualification_json(scale(), weak());
  CHECK(json["kernel"] == "scale");
  CHECK(json["revision"] == 3);
  CHECK(json["backend"] == "cuda");
  CHECK(json["seed"] == "000000000000beef");
  CHECK(json["faults"] == Json::array());
  CHECK(json["weaknesses"] ==
        Json::array({{{"mutant", "y: zeros"}, {"remedy", "case \"wide\": atol below 3.2 would stop it"}}}));
  CHECK(json["cases"][1] == Json{{"name", "wide, and with a name that is longer"},
                                 {"seeds", 12},
                                 {"mutants", 9},
                                 {"stopped", 7},
                                 {"notes", {"12 seeds took 10 s", "passes here: y: zeros, ones"}}});
  CHECK(json["mutants"][1] == Json{{"output", "y"},
                                   {"mutant", "copy of \"x\""},
                                   {"cases", 1},
                                   {"failed_in", "one"},
                                   {"remedy", ""},
                                   {"why_not", ""}});
}
