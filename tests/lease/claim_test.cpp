#include "gate/lease/claim.h"

#include <unistd.h>

#include "tests/support/catch.h"

using namespace kgate::lease;

TEST_CASE("a claim survives being written and read") {
  Claim claim = own_claim("make \"bench\"\n\x1b[31m\xff");
  CHECK(claim.pid == ::getpid());
  CHECK(claim.pid_namespace != 0);
  CHECK(!claim.user.empty());
  const Claim again = read_claim(write_claim(claim));
  CHECK(again.pid == claim.pid);
  CHECK(again.pid_namespace == claim.pid_namespace);
  CHECK(again.user == claim.user);
  CHECK(again.host == claim.host);
  CHECK(again.job == "make \"bench\"\n\x1b[31m\xef\xbf\xbd");
  CHECK(again.since == claim.since);
  CHECK(again.since_boot_ms == claim.since_boot_ms);
}

TEST_CASE("a claim is one line of at most 4 KiB, whatever the job is called") {
  for (const char letter : {'x', '\n', '\x01', '\xff'}) {
    const std::string text = write_claim(own_claim(std::string(100000, letter)));
    CHECK(text.size() <= kMaxClaim);
    CHECK(text.find('\n') == text.size() - 1);
    CHECK(read_claim(text).pid == ::getpid());
  }
}

TEST_CASE("a claim that anybody may have written is read as far as it makes sense") {
  for (const std::string text : {"", "not JSON", "[1, 2]", "{\"pid\": 1, \"pid\": 2}", "{\"pid\": \"one\"}",
                                 "{\"pid\": -5}", "{\"pid\": 1e3}", "{\"job\": 7, \"user\": {}}"}) {
    INFO(text);
    const Claim claim = read_claim(text);
    CHECK(claim.pid == 0);
    CHECK(in_words(claim) == "an unknown job (its ticket says nothing)");
  }
  CHECK(read_claim(std::string(1 << 20, '[')).pid == 0);
}

TEST_CASE("what a claim says drives no terminal and stays on one line") {
  Claim claim;
  claim.pid = 7;
  claim.job = "\x1b[2Jpwned\nkgate: all is well";
  claim.user = "eve\r";
  claim.host = "gpu-3";
  CHECK(in_words(claim) == "\"\\x1b[2Jpwned\\x0akgate: all is well\" of eve\\x0d (process 7 on gpu-3)");
}

TEST_CASE("how long it has been is told in the unit that a person would use") {
  CHECK(duration_in_words(0) == "0 s");
  CHECK(duration_in_words(119) == "119 s");
  CHECK(duration_in_words(120) == "2 min");
  CHECK(duration_in_words(7199) == "119 min");
  CHECK(duration_in_words(7200) == "2 h 0 min");
  CHECK(duration_in_words(-5) == "0 s");
}

TEST_CASE("a claim from the future is as old as nothing") {
  Claim claim = own_claim("job");
  claim.since_boot_ms += 1000000000;
  CHECK(seconds_since(claim) == 0);
}

TEST_CASE("priorities have names, and no others") {
  for (const char* name : kPriorityNames) CHECK(std::string(name_of(*priority_from_name(name))) == name);
  CHECK(!priority_from_name("urgent"));
  CHECK(!priority_from_name(""));
}
