#include <cerrno>

#include "base/error.h"
#include "tests/support/errors.h"

using namespace kgate;

TEST_CASE("an error reads subject, fact, remedy") {
  CHECK(std::string(Error(ErrorKind::usage, "a.toml", "is empty", "write something").what()) ==
        "a.toml: is empty; write something");
  CHECK(std::string(Error(ErrorKind::usage, "a.toml", "is empty").what()) == "a.toml: is empty");
  CHECK(std::string(Error(ErrorKind::interrupted, "", "interrupted").what()) == "interrupted");
}

TEST_CASE("a full disk is the machine's fault, a missing file the user's, the rest ours") {
  const auto full = system_error("out/r.json", "cannot be written", ENOSPC);
  CHECK(full.kind() == ErrorKind::environment);
  CHECK(std::string(full.what()) ==
        "out/r.json: cannot be written: No space left on device; free some space on the disk that it lies on");
  CHECK(system_error("x", "cannot be opened", ENOENT).kind() == ErrorKind::usage);
  CHECK(system_error("x", "cannot be polled", EINVAL).kind() == ErrorKind::internal);
}

TEST_CASE("kinds of errors have names that read back") {
  for (const ErrorKind kind : {ErrorKind::usage, ErrorKind::untrusted, ErrorKind::environment, ErrorKind::missing,
                               ErrorKind::interrupted, ErrorKind::internal}) {
    CHECK(error_kind_from_name(name_of(kind)) == kind);
  }
  CHECK(error_of([] { error_kind_from_name("oops"); }) == "internal: error kind \"oops\": is not known");
}
