#include "gate/scaffold/ci_files.h"

#include "tests/support/catch.h"

using namespace kgate::scaffold;

TEST_CASE("the host of a remote is known by its name, however the URL is written") {
  for (const char* url : {"git@github.com:team/repo.git", "https://github.com/team/repo",
                          "https://x:y@github.example.org/a/b", "ssh://git@github.com:22/team/repo.git"}) {
    INFO(url);
    CHECK(ci_host_of(url) == CiHost::github);
  }
  for (const char* url : {"git@gitlab.com:team/repo.git", "https://gitlab.example.org/group/sub/repo.git"}) {
    INFO(url);
    CHECK(ci_host_of(url) == CiHost::gitlab);
  }
}

TEST_CASE("a path or a user that is called like a host is none") {
  for (const char* url :
       {"git@example.org:github/repo.git", "https://github@example.org/repo", "/srv/git/gitlab.git", "", "://"}) {
    INFO(url);
    CHECK(!ci_host_of(url));
  }
}
