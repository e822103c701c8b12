#include "gate/trust/push_remedy.h"

#include "tests/support/catch.h"

using kgate::trust::push_remedy;

TEST_CASE("each reason for not writing a branch has its own remedy") {
  const auto remedy = [](const std::string& reason) { return push_remedy(reason, "kgate/ledger", "origin"); };
  CHECK(remedy("cannot lock ref 'refs/heads/kgate/ledger': Unable to create '/srv/r.git/refs/heads/kgate/ledger.lock': "
               "File exists.") ==
        "a git that died may have left that file: where no git is at work there, remove "
        "/srv/r.git/refs/heads/kgate/ledger.lock");
  CHECK(remedy("cannot lock ref 'refs/heads/kgate/ledger': 'refs/heads/kgate' exists; cannot create "
               "'refs/heads/kgate/ledger'")
            .find("refs/heads/kgate is in the way") == 0);
  CHECK(remedy("cannot lock ref 'refs/remotes/origin/kgate/ledger': 'refs/remotes/origin/kgate' exists; cannot create "
               "'refs/remotes/origin/kgate/ledger'") == "git remote prune origin");
  CHECK(remedy("unable to access 'https://host/r/': Could not resolve host: host") ==
        "see that origin can be reached from here, and try again");
  CHECK(remedy("Authentication failed for 'https://host/r/'").find("give git credentials that may write") == 0);
  CHECK(remedy("[remote rejected] (pre-receive hook declined): no").find("the server's own rule refused it") == 0);
  CHECK(remedy("[remote rejected] (failed to update ref)").find("see what holds the branch kgate/ledger of origin") ==
        0);
  CHECK(remedy("unable to write loose object file: No space left on device") ==
        "make room on the disk that this names");
  CHECK(remedy("something else") == "who pushes here needs the right to write the branch kgate/ledger of origin");
}
