#include <algorithm>
#include <filesystem>
#include <thread>

#include <fmt/format.h>

#include "base/parallel.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"
#include "tests/trust/ledger_fixture.h"

using namespace kgate;
using namespace kgate::trust;

namespace {

// A bare repository with clones, as a host and its jobs have it.
class Shared : public LedgerFixture {
 public:
  Shared() {
    init("seed");
    git("", {"clone", "-q", "--bare", "seed", "host.git"});
  }
  std::string clone(const std::string& name) const {
    git("", {"clone", "-q", "host.git", name});
    return name;
  }
  std::string error(const std::string& folder, const Draft& draft, unsigned key = 1) const {
    return error_of([&] { append(folder, draft, key); });
  }
};

}  // namespace

TEST_CASE("writers with clones of their own lose no record, however they meet") {
  const Shared shared;
  constexpr int kWriters = 4, kRecords = 5;
  for (int i = 0; i < kWriters; ++i) shared.clone(fmt::format("w{}", i));
  std::vector<std::string> errors(kWriters);
  for_each_parallel(kWriters, kWriters, [&](std::size_t writer, unsigned) {
    errors[writer] = error_of([&] {
      for (int i = 0; i < kRecords; ++i) {
        // Two of them write one kernel, the others one each.
        const std::string kernel = fmt::format("kernel_{}", writer / 2 == 0 ? 0 : writer);
        shared.append(fmt::format("w{}", writer), shared.draft(kernel, 1000.0 * static_cast<double>(writer) + i + 1));
      }
    });
  });
  CHECK(errors == std::vector<std::string>(kWriters, "no error"));
  shared.clone("reader");
  const Ledger ledger = shared.open("reader");
  CHECK(ledger.sequence() == kWriters * kRecords);
  CHECK(ledger.verify(2).records == kWriters * kRecords);
  CHECK(shared.git("reader", {"rev-list", "--count", "origin/kgate/ledger"}) == "20");
  std::vector<double> times;
  for (const auto& kernel : ledger.kernels()) {
    ledger.records(kernel, [&](const LedgerEntry& entry) {
      times.push_back(entry.record.measurements[0].cases.at("wide").us);
      return true;
    });
  }
  std::sort(times.begin(), times.end());
  CHECK(times.size() == kWriters * kRecords);
  CHECK(std::adjacent_find(times.begin(), times.end()) == times.end());
}

TEST_CASE("writers in one clone without a remote lose no record either, the first one included") {
  const LedgerFixture fixture;
  fixture.init("r");
  constexpr int kWriters = 4, kRecords = 3;
  std::vector<std::string> errors(kWriters);
  for_each_parallel(kWriters, kWriters, [&](std::size_t writer, unsigned) {
    errors[writer] = error_of([&] {
      for (int i = 0; i < kRecords; ++i)
        fixture.append("r", fixture.draft(fmt::format("kernel_{}", writer), static_cast<double>(i + 1)));
    });
  });
  CHECK(errors == std::vector<std::string>(kWriters, "no error"));
  CHECK(fixture.open("r").verify(2).records == kWriters * kRecords);
}

TEST_CASE("a record reaches the remote and this clone's view of it, in clones of one branch too") {
  const Shared shared;
  shared.git("", {"clone", "-q", "--single-branch", "--branch", "main", "host.git", "one"});
  shared.append("one", shared.draft("sum", 10));
  const std::string second = shared.append("one", shared.draft("sum", 9)).digest;
  const std::string head = shared.git("host.git", {"rev-parse", "kgate/ledger"});
  CHECK(shared.git("one", {"rev-parse", "origin/kgate/ledger"}) == head);
  CHECK(shared.open("one").digest() == second);
  CHECK(shared.git("one", {"for-each-ref", "--format=%(refname)", "refs/heads"}) == "refs/heads/main");
}

TEST_CASE("a shallow clone can append") {
  const Shared shared;
  shared.append(shared.clone("a"), shared.draft("sum", 10));
  shared.append("a", shared.draft("sum", 9));
  shared.git("", {"clone", "-q", "--depth", "1", "--no-single-branch", "file://" + shared.path("host.git"), "s"});
  shared.append("s", shared.draft("sum", 8));
  CHECK(shared.open("s").sequence() == 3);
  CHECK(shared.open(shared.clone("b")).verify(2).records == 3);
}

TEST_CASE("without pushing only the local branch moves, from where the remote's is") {
  const Shared shared;
  shared.append(shared.clone("a"), shared.draft("sum", 10));
  AppendOptions options;
  options.push = false;
  const auto local = [&](double us) {
    return append(Repository::open(shared.path("a")), shared.program("a"), shared.keyring(), options,
                  shared.draft("sum", us), shared.signer());
  };
  CHECK(local(9).record.sequence == 2);
  CHECK(local(8).record.sequence == 3);
  CHECK(shared.open("a").sequence() == 1);  // what is the remote's counts
  LedgerOptions own;
  own.remote.clear();
  CHECK(shared.open("a", own).verify(1).records == 3);
  CHECK(shared.git("host.git", {"rev-list", "--count", "kgate/ledger"}) == "1");
  shared.git("a", {"push", "-q", "origin", "kgate/ledger"});
  CHECK(shared.open(shared.clone("b")).verify(1).records == 3);
}

TEST_CASE("a ledger that was begun without a remote is published whole") {
  const Shared shared;
  shared.clone("a");
  AppendOptions options;
  options.push = false;
  append(Repository::open(shared.path("a")), shared.program("a"), shared.keyring(), options, shared.draft("sum", 10),
         shared.signer());
  CHECK(shared.append("a", shared.draft("sum", 9)).record.sequence == 2);
  CHECK(shared.open(shared.clone("b")).verify(1).records == 2);
}

TEST_CASE("dates never go back, whatever a writer's clock says") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum", 10, "2026-02-01T00:00:00Z"));
  CHECK(fixture.append("r", fixture.draft("sum", 9, "2026-01-01T00:00:00Z")).record.time == "2026-02-01T00:00:00Z");
  CHECK(fixture.append("r", fixture.draft("sum", 8, "")).record.time > "2026-02-01T00:00:00Z");
}

TEST_CASE("drafts that make no sense are refused, and the ledger stays as it was") {
  const LedgerFixture fixture;
  fixture.init("r");
  const auto error = [&](const Draft& draft) { return error_of([&] { fixture.append("r", draft); }); };
  const auto retirement = [](const std::string& kernel) {
    Draft draft;
    draft.record.kernel = kernel;
    draft.record.retired = true;
    return draft;
  };
  const auto rename = [&](const std::string& from, const std::string& to) {
    Draft draft = fixture.draft(to);
    draft.record.renamed_from = from;
    return draft;
  };
  CHECK(error(retirement("sum")) ==
        "missing: kernel \"sum\": is not in the ledger, and cannot be retired; see kgate log");
  CHECK(error(rename("sum", "total")) ==
        "missing: kernel \"sum\": is not in the ledger, and cannot be renamed; see kgate log");
  CHECK(fixture.open("r").commit().empty());

  Draft release = fixture.draft("sum");
  release.record.release = "v1";
  fixture.append("r", release);
  release.record.measurements[0].cases["wide"].us = 9;
  CHECK(error(release) == "usage: release \"v1\" of sum: is record 1 already; take another name for it, or none");
  fixture.append("r", fixture.draft("scan"));
  CHECK(error(rename("sum", "scan")) ==
        "usage: kernel \"scan\": is in the ledger, and no other kernel can go on under its name; take another name, or "
        "retire it first");
  Draft renamed = rename("sum", "total");
  renamed.record.release = "v1";
  CHECK(error(renamed) == "usage: release \"v1\" of total: is record 1 already; take another name for it, or none");
  fixture.append("r", rename("sum", "total"));
  fixture.append("r", retirement("scan"));
  CHECK(error(retirement("scan")) ==
        "usage: kernel \"scan\": was retired by record 4, and cannot be retired; see kgate log");
  CHECK(error(retirement("sum")) == "usage: kernel \"sum\": goes on as \"total\" since record 3; name that one");
  CHECK(error(rename("sum", "other")) == "usage: kernel \"sum\": goes on as \"total\" since record 3; name that one");
  CHECK(fixture.open("r").verify(1).records == 4);
}

TEST_CASE("what is written is read back before anybody sees it") {
  const LedgerFixture fixture;
  fixture.init("r");
  const auto error = [&](const Draft& draft, const Sign& sign) {
    return error_of(
        [&] { append(Repository::open(fixture.path("r")), fixture.program("r"), fixture.keyring(), {}, draft, sign); });
  };
  const Draft good = fixture.draft("sum");
  CHECK(error(good, fixture.signer(4)) ==
        "untrusted: record 1 of sum: its signature does not count: keys/4.pub.pem has the role cases, not accept; have "
        "it signed with keys/1.pub.pem or keys/2.pub.pem");
  CHECK(error(good, fixture.signer(5)) ==
        "untrusted: record 1 of sum: no key that the policy knows has signed it; have it signed with keys/1.pub.pem or "
        "keys/2.pub.pem");
  CHECK(error(fixture.draft("sum", 10, "2026-07-01T00:00:00Z"), fixture.signer(2)) ==
        "untrusted: record 1 of sum: its signature does not count: keys/2.pub.pem was valid until 2026-06-30, and this "
        "is about 2026-07-01; have it signed with keys/1.pub.pem");
  CHECK(error(good, [](Envelope&) {}) ==
        "untrusted: record 1 of sum: is no DSSE envelope: it has no signatures; restore the file as it was signed, or "
        "sign anew");
  CHECK(error(good, [](Envelope& envelope) {
          envelope.payload.push_back(std::byte{' '});
          add_signature(envelope, test_key(1));
        }) == "internal: record 1 of sum: was changed by who was to sign it");
  CHECK(error(fixture.draft("sum", 10, "2999-01-01T00:00:00Z"), fixture.signer()) ==
        "untrusted: record 1 of sum: is dated 2999-01-01T00:00:00Z, which is in the future; set this machine's clock; "
        "where it is right, the record has to go: docs/ledger.md says how");
  Draft wrong = fixture.draft("Sum of all");
  CHECK(
      error(wrong, fixture.signer())
          .find(
              "untrusted: record 1 of Sum of all: is no record: \"kernel\" is \"Sum of all\", not a kernel's name; ") ==
      0);
  wrong = good;
  const std::string code = wrong.record.measurements[0].code;
  wrong.objects[code] = bytes_of("other");
  CHECK(error(wrong, fixture.signer()) ==
        "internal: record 1 of sum: brings an object that has not the digest " + code);
  wrong.objects.erase(code);
  CHECK(error(wrong, fixture.signer()) == "internal: record 1 of sum: names an object that it does not bring: " + code);
  CHECK(fixture.open("r").commit().empty());

  // What the ledger has need not be brought again.
  fixture.append("r", good);
  Draft again = good;
  again.objects.clear();
  CHECK(fixture.append("r", again).record.sequence == 2);
  CHECK(fixture.open("r").verify(1).objects == 5);
}

TEST_CASE("a writer that others are always faster than gives up with a remedy") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum"));
  AppendOptions options;
  options.attempts = 2;
  int signatures = 0;
  const auto slow = [&](Envelope& envelope) {
    fixture.append("r", fixture.draft("scan", ++signatures));
    add_signature(envelope, test_key(1));
  };
  CHECK(error_of([&] {
          append(Repository::open(fixture.path("r")), fixture.program("r"), fixture.keyring(), options,
                 fixture.draft("sum", 9), slow);
        }) == "environment: kgate/ledger: other writers were faster 2 times; try again");
  CHECK(signatures == 2);
  CHECK(fixture.open("r").verify(1).records == 3);
}

TEST_CASE("a lock that a git left in this clone is told with its file, and soon") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.append("r", fixture.draft("sum"));
  const std::string lock = fixture.path("r/.git/refs/heads/kgate/ledger.lock");
  fixture.write("r/.git/refs/heads/kgate/ledger.lock", "");
  int signatures = 0;
  const auto error = error_of([&] {
    append(Repository::open(fixture.path("r")), fixture.program("r"), fixture.keyring(), {}, fixture.draft("sum", 9),
           [&](Envelope& envelope) {
             ++signatures;
             add_signature(envelope, test_key(1));
           });
  });
  CHECK(error.find("environment: kgate/ledger: cannot be written: ") == 0);
  CHECK(error.find("; a git that died may have left that file: where no git is at work there, remove " + lock) !=
        std::string::npos);
  CHECK(signatures == 2);
  std::filesystem::remove(lock);
  CHECK(fixture.append("r", fixture.draft("sum", 9)).record.sequence == 2);
}

TEST_CASE("a lock that a git left at the remote is told with its file, and soon") {
  const Shared shared;
  shared.append(shared.clone("a"), shared.draft("sum"));
  shared.write("host.git/refs/heads/kgate/ledger.lock", "");
  const std::string error = shared.error("a", shared.draft("sum", 9));
  CHECK(error.find("environment: kgate/ledger: cannot be written: ") == 0);
  CHECK(error.find("refs/heads/kgate/ledger.lock': File exists") != std::string::npos);
  CHECK(error.find("where no git is at work there, remove ") != std::string::npos);
}

TEST_CASE("a branch in the way of the ledger's is told by its name, here and at the remote") {
  const LedgerFixture fixture;
  fixture.init("r");
  fixture.git("r", {"branch", "kgate"});
  const auto error_here = error_of([&] { fixture.append("r", fixture.draft("sum")); });
  CHECK(error_here.find("; refs/heads/kgate is in the way, since a branch is a file or a folder: rename it, or have "
                        "[ledger] branch in the policy name another") != std::string::npos);
  const Shared shared;
  shared.git("host.git", {"update-ref", "refs/heads/kgate", "refs/heads/main"});
  CHECK(shared.error(shared.clone("a"), shared.draft("sum")).find("refs/heads/kgate") != std::string::npos);
}

TEST_CASE("a remote that is another repository for pushes is told with both addresses, at once") {
  const Shared shared;
  shared.append(shared.clone("a"), shared.draft("sum"));
  shared.git("", {"init", "-q", "--bare", "other.git"});
  shared.git("a", {"remote", "set-url", "--push", "origin", shared.path("other.git")});
  CHECK(shared.error("a", shared.draft("sum", 9))
            .find("fetches of origin come from " + shared.path("host.git") + " and pushes go to " +
                  shared.path("other.git") +
                  ": let both be one repository (git config --unset-all "
                  "remote.origin.pushurl)") != std::string::npos);
}

TEST_CASE("a remote that refuses says so, and nothing is left behind that counts") {
  const Shared shared;
  shared.append(shared.clone("a"), shared.draft("sum"));
  shared.write("host.git/hooks/update", "#!/bin/sh\necho approvers only >&2\nexit 1\n");
  std::filesystem::permissions(shared.path("host.git/hooks/update"), std::filesystem::perms::owner_all);
  CHECK(shared.error("a", shared.draft("sum", 9)) ==
        "environment: git push origin kgate/ledger: [remote rejected] (hook declined): approvers only; the server's "
        "own rule refused it: have it let who pushes here add to the branch kgate/ledger of origin, without force");
  CHECK(shared.open("a").sequence() == 1);
  std::filesystem::remove_all(shared.path("host.git"));
  CHECK(shared.error("a", shared.draft("sum", 9))
            .find("environment: git ls-remote origin: '" + shared.path("host.git") +
                  "' does not appear to be a git repository; see that git fetch origin works here, with the same user "
                  "and credentials") == 0);
}

TEST_CASE("the repository's hooks do not run") {
  const Shared shared;
  shared.clone("a");
  for (const char* hook : {"pre-push", "reference-transaction", "post-checkout", "pre-auto-gc"}) {
    const std::string file = fmt::format("a/.git/hooks/{}", hook);
    shared.write(file, "#!/bin/sh\ntouch " + shared.path("ran") + "\nexit 1\n");
    std::filesystem::permissions(shared.path(file), std::filesystem::perms::owner_all);
  }
  shared.append("a", shared.draft("sum"));
  shared.append("a", shared.draft("sum", 9));
  CHECK_FALSE(std::filesystem::exists(shared.path("ran")));
}

TEST_CASE("a branch that was deleted, rolled back or rewritten at the remote is told by a clone that has seen more") {
  const Shared shared;
  for (const double us : {10, 9, 8}) shared.append("seed", shared.draft("sum", us));
  shared.git("seed", {"push", "-q", "../host.git", "kgate/ledger"});
  shared.clone("a");
  const std::string before = shared.git("a", {"rev-parse", "origin/kgate/ledger"});
  const auto fetched = [&] {
    return error_of(
        [&] { fetch_ledger(Repository::open(shared.path("a")), shared.program("a"), {}, shared.keyring()); });
  };
  CHECK(fetched() == "no error");
  const std::string restore =
      "this clone keeps what it had; to restore that: git push --force origin "
      "refs/remotes/origin/kgate/ledger:refs/heads/kgate/ledger; where the branch was reset on purpose: git update-ref "
      "-d refs/remotes/origin/kgate/ledger";
  const std::string gone =
      "untrusted: origin/kgate/ledger: record 3, which this clone has seen, is no longer in it: the branch was rolled "
      "back or rewritten; " +
      restore;
  SECTION("deleted") {
    shared.git("host.git", {"update-ref", "-d", "refs/heads/kgate/ledger"});
    CHECK(
        fetched() ==
        "untrusted: origin/kgate/ledger: was deleted at origin, and this clone has it; to restore it: git push origin "
        "refs/remotes/origin/kgate/ledger:refs/heads/kgate/ledger; where it was deleted on purpose: git update-ref -d "
        "refs/remotes/origin/kgate/ledger");
    CHECK(shared.error("a", shared.draft("sum", 7)) == fetched());
  }
  SECTION("rolled back") {
    shared.git("host.git", {"update-ref", "refs/heads/kgate/ledger", "kgate/ledger~1"});
    CHECK(fetched() == gone);
    CHECK(fetched() == gone);  // the alarm stays
    CHECK(shared.error("a", shared.draft("sum", 7)) == gone);
  }
  SECTION("rewritten") {
    shared.git("host.git", {"update-ref", "refs/heads/kgate/ledger", "kgate/ledger~1"});
    shared.append(shared.clone("b"), shared.draft("sum", 7));
    CHECK(fetched() == gone);
  }
  SECTION("replaced by what is no ledger") {
    shared.git("host.git", {"update-ref", "refs/heads/kgate/ledger", "main"});
    CHECK(fetched() == gone);
  }
  CHECK(shared.git("a", {"rev-parse", "origin/kgate/ledger"}) == before);
  // The remedies work.
  shared.git("a", {"push", "-q", "--force", "origin", "refs/remotes/origin/kgate/ledger:refs/heads/kgate/ledger"});
  CHECK(fetched() == "no error");
  CHECK(shared.append("a", shared.draft("sum", 6)).record.sequence == 4);
}

TEST_CASE("where a branch was reset on purpose, a clone that forgot what it had goes on") {
  const Shared shared;
  for (const double us : {10, 9, 8}) shared.append("seed", shared.draft("sum", us));
  shared.git("seed", {"push", "-q", "../host.git", "kgate/ledger~1:refs/heads/kgate/ledger"});
  shared.clone("a");
  shared.git("a", {"fetch", "-q", "../seed", "+kgate/ledger:refs/remotes/origin/kgate/ledger"});
  CHECK(shared.error("a", shared.draft("sum", 7)).find("is no longer in it") != std::string::npos);
  shared.git("a", {"update-ref", "-d", "refs/remotes/origin/kgate/ledger"});
  CHECK(shared.append("a", shared.draft("sum", 7)).record.sequence == 3);
}
