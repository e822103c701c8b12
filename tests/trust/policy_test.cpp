#include "gate/trust/policy.h"

#include "tests/support/catch.h"
#include "tests/support/errors.h"

using kgate::trust::default_policy;
using kgate::trust::parse_policy;
using kgate::trust::Policy;

namespace {

using Words = std::vector<std::string>;
const std::string kSchema = "schema = \"kgate.policy/1\"\n";

Policy parse(const std::string& text) {
  return parse_policy(kSchema + text, "policy.toml");
}

// The message for a file that begins with the schema line: the first line of `text` is line 2.
std::string error(const std::string& text) {
  return error_of([&] { parse(text); });
}

void check_defaults(const Policy& policy) {
  CHECK(policy.kernels == Words{"kernels/**/kernel.toml"});
  CHECK(policy.zone.tolerate == 0.005);
  CHECK(policy.zone.block == 0.02);
  CHECK(policy.zone.absolute_us == 0.02);
  CHECK(policy.zone.creep == 0.03);
  CHECK(policy.budget.seconds_per_case == 5);
  CHECK_FALSE(policy.budget.seconds_per_suite);
  CHECK(policy.budget.min_rounds == 2);
  CHECK(policy.budget.max_rounds == 8);
  CHECK(policy.budget.placement == "any");
  CHECK(policy.budget.pool_gib == 24);
  CHECK(policy.error_growth == 2.0);
  CHECK(policy.compile.allow_options == Words{"--use_fast_math", "-lineinfo", "--maxrregcount=*", "-D*"});
  CHECK(policy.compile.timeout_s == 120);
  CHECK(policy.compile.forbid.empty());
  CHECK_FALSE(policy.compile.refuse_variables);
  CHECK_FALSE(policy.compile.refuse_launches);
  CHECK(policy.environment.backend.empty());
  CHECK(policy.environment.driver.empty());
  CHECK(policy.environment.require.empty());
  CHECK(policy.environment.sandbox.empty());
  CHECK(policy.new_blocks);
  CHECK(policy.any_class);
  CHECK(policy.unsigned_blocks);
  CHECK(policy.lease.folder.empty());
  CHECK(policy.lease.wait_s == 1800);
  CHECK(policy.ledger_branch == "kgate/ledger");
  CHECK(policy.history_branch == "kgate/history");
  CHECK_FALSE(policy.ledger_sequence);
  CHECK(policy.profiles.at("pr").compare == Words{"base", "accepted"});
  CHECK(policy.profiles.at("pr").block_on == Words{"change", "creep"});
  CHECK(policy.profiles.at("release").compare == Words{"accepted", "last-release"});
  CHECK(policy.profiles.at("release").block_on ==
        Words{"change", "creep", "toolkit", "inconclusive", "environment", "missing", "new"});
  CHECK(policy.profiles.at("nightly").compare == Words{"accepted"});
  CHECK(policy.profiles.at("nightly").block_on == Words{"environment", "missing"});
  CHECK(policy.keys.empty());
  CHECK(policy.thresholds == std::map<std::string, std::int64_t>{{"accept", 1}, {"cases", 1}});
  CHECK(policy.overrides.empty());
  CHECK_FALSE(policy.search.on_regression);
  CHECK(policy.search.iterations == 0);
}

}  // namespace

TEST_CASE("a policy that says nothing, and no policy, mean the documented defaults") {
  check_defaults(parse(""));
  check_defaults(default_policy());
}

TEST_CASE("every key of a policy is read") {
  const Policy policy = parse(R"(
kernels = ["gpu/*/kernel.toml"]
[zone]
tolerate    = 0.01
block       = 0.05
absolute_us = 1
creep       = 0.1
[budget]
seconds_per_case = 2.5
seconds_per_suite = 900
rounds = [3, 12]
placement = "segment"
pool_gib = 8
[resources]
max_registers = 255
spill_bytes_growth = 0
warnings_growth = 3
[numerics]
error_growth = 1.5
[compile]
allow_options = ["-lineinfo"]
timeout_s = 60
forbid = ["asm"]
device_variables = "refuse"
device_launches = "report"
[environment]
backend = "cuda"
driver  = ">=550.54,<600"
toolkit = "==13.0"
require = ["exclusive", "not-throttled"]
sandbox = "landlock"
[baseline]
new = "pass"
any_class = false
[trust]
unsigned = "warn"
[ledger]
branch = "ledger"
at_least = { sequence = 120, digest = "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef" }
[profile.pr]
block_on = ["change"]
[profile.nightly]
compare = ["base"]
[[key]]
file = "keys/reviewers.pub.pem"
roles = ["cases", "history"]
[[key]]
file = "keys/release.pub.pem"
roles = ["accept"]
not_before = 2024-01-02
not_after = 2027-12-31
[threshold]
cases = 2
[[override]]
kernels = ["tiny_*"]
zone = { tolerate = 0.02, block = 0.06 }
[search]
on_regression = true
iterations = 7
seconds = 1800
gpu_seconds = 600
tokens = 500000
cost_usd = 5.5
)");
  CHECK(policy.kernels == Words{"gpu/*/kernel.toml"});
  CHECK(policy.zone.tolerate == 0.01);
  CHECK(policy.zone.block == 0.05);
  CHECK(policy.zone.absolute_us == 1);
  CHECK(policy.zone.creep == 0.1);
  CHECK(policy.budget.seconds_per_case == 2.5);
  CHECK(policy.budget.seconds_per_suite == 900);
  CHECK(policy.budget.min_rounds == 3);
  CHECK(policy.budget.max_rounds == 12);
  CHECK(policy.budget.placement == "segment");
  CHECK(policy.budget.pool_gib == 8);
  CHECK(policy.resources.max_registers == 255);
  CHECK(policy.resources.spill_bytes_growth == 0);
  CHECK(policy.resources.warnings_growth == 3);
  CHECK(policy.error_growth == 1.5);
  CHECK(policy.compile.allow_options == Words{"-lineinfo"});
  CHECK(policy.compile.timeout_s == 60);
  CHECK(policy.compile.forbid == Words{"asm"});
  CHECK(policy.compile.refuse_variables);
  CHECK_FALSE(policy.compile.refuse_launches);
  CHECK(policy.environment.backend == "cuda");
  CHECK(policy.environment.driver == ">=550.54,<600");
  CHECK(policy.environment.toolkit == "==13.0");
  CHECK(policy.environment.require == Words{"exclusive", "not-throttled"});
  CHECK(policy.environment.sandbox == "landlock");
  CHECK_FALSE(policy.new_blocks);
  CHECK_FALSE(policy.any_class);
  CHECK_FALSE(policy.unsigned_blocks);
  CHECK(policy.ledger_branch == "ledger");
  CHECK(policy.ledger_sequence == 120);
  CHECK(policy.ledger_digest == "sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef");
  CHECK(policy.profiles.at("pr").compare == Words{"base", "accepted"});  // what is not said keeps its default
  CHECK(policy.profiles.at("pr").block_on == Words{"change"});
  CHECK(policy.profiles.at("nightly").compare == Words{"base"});
  REQUIRE(policy.keys.size() == 2);
  CHECK(policy.keys[0].file == "keys/reviewers.pub.pem");
  CHECK(policy.keys[0].roles == Words{"cases", "history"});
  CHECK_FALSE(policy.keys[0].not_after);
  CHECK(policy.keys[1].not_before == "2024-01-02");
  CHECK(policy.keys[1].not_after == "2027-12-31");
  CHECK(policy.thresholds.at("cases") == 2);
  CHECK(policy.thresholds.at("accept") == 1);
  CHECK(policy.search.on_regression);
  CHECK(policy.search.iterations == 7);
  CHECK(policy.search.seconds == 1800);
  CHECK(policy.search.gpu_seconds == 600);
  CHECK(policy.search.tokens == 500000);
  CHECK(policy.search.cost_usd == 5.5);
  CHECK(policy.zone_of("tiny_copy").block == 0.06);
  CHECK(policy.zone_of("tiny_copy").creep == 0.1);
  CHECK(policy.zone_of("softmax").block == 0.05);
}

TEST_CASE("of several overrides that match a kernel the last one holds, alone") {
  const Policy policy = parse(R"(
[[override]]
kernels = ["tiny_*"]
zone = { tolerate = 0.01, block = 0.04 }
[[override]]
kernels = ["other", "tiny_c?py"]
zone = { block = 0.1 }
)");
  CHECK(policy.zone_of("tiny_add").tolerate == 0.01);
  CHECK(policy.zone_of("tiny_add").block == 0.04);
  CHECK(policy.zone_of("tiny_copy").tolerate == 0.005);
  CHECK(policy.zone_of("tiny_copy").block == 0.1);
  CHECK(policy.zone_of("tiny").block == 0.02);
}

TEST_CASE("the schema comes first") {
  CHECK(error_of([] { parse_policy("", "p.toml"); }) ==
        "usage: p.toml:1: schema: is missing; write schema = \"kgate.policy/1\"");
  CHECK(error_of([] { parse_policy("schema = \"kgate.policy/2\"\nfuture = 1", "p.toml"); }) ==
        "usage: p.toml:1: schema: \"kgate.policy/2\" is of another version of kgate; this kgate knows kgate.policy/1");
  CHECK(
      error_of([] { parse_policy("schema = \"kgate.kernel/1\"", "p.toml"); }) ==
      "usage: p.toml:1: schema: \"kgate.kernel/1\" is not the schema of this file; write schema = \"kgate.policy/1\"");
  CHECK(error_of([] { parse_policy("schema = ", "p.toml"); }).rfind("usage: p.toml:1: is not TOML: ", 0) == 0);
}

TEST_CASE("a misspelt key of any table is an error that names the nearest one") {
  const auto unknown = [](const std::string& place, const std::string& meant) {
    return "usage: policy.toml:" + place + ": is not a key that kgate knows; did you mean \"" + meant + "\"?";
  };
  CHECK(error("kernel = []") == unknown("2: kernel", "kernels"));
  CHECK(error("[zones]") == unknown("2: zones", "zone"));
  CHECK(error("[zone]\ntolerated = 0.1") == unknown("3: zone.tolerated", "tolerate"));
  CHECK(error("[budget]\nround = [2, 8]") == unknown("3: budget.round", "rounds"));
  CHECK(error("[resources]\nmax_register = 1") == unknown("3: resources.max_register", "max_registers"));
  CHECK(error("[numerics]\nerror_grow = 1") == unknown("3: numerics.error_grow", "error_growth"));
  CHECK(error("[compile]\ntimeout = 1") == unknown("3: compile.timeout", "timeout_s"));
  CHECK(error("[environment]\ndrivers = 1") == unknown("3: environment.drivers", "driver"));
  CHECK(error("[baseline]\nany_clas = true") == unknown("3: baseline.any_clas", "any_class"));
  CHECK(error("[trust]\nunsign = \"warn\"") == unknown("3: trust.unsign", "unsigned"));
  CHECK(error("[ledger]\nbranches = \"x\"") == unknown("3: ledger.branches", "branch"));
  for (const char* name :
       {"HEAD",   "@",        "-x", "refs/heads/x", "a b", "a..b", "a/", "/a", "a//b", ".a",   "a/.b",
        "a.lock", "a.lock/b", "a.", "a~1",          "a^",  "a:b",  "a*", "a?", "a[b",  "a@{0}"}) {
    INFO(name);
    CHECK(error("[ledger]\nbranch = \"" + std::string(name) + "\"").find("no name that a branch can have; write it") !=
          std::string::npos);
    CHECK(error("[ledger]\nremote = \"" + std::string(name) + "\"").find("no name that a remote can have; write it") !=
          std::string::npos);
  }
  for (const char* name : {"ledger", "a/b-c_d.e", "HEADS", "a@b", "ä"})
    CHECK(error("[ledger]\nbranch = \"" + std::string(name) + "\"") == "no error");
  CHECK(error("[history]\nbranches = \"x\"") == unknown("3: history.branches", "branch"));
  CHECK(error("[history]\nbranch = \"kgate/ledger\"") ==
        "usage: policy.toml:3: history.branch: is the ledger's branch; give the nights one of their own, for example "
        "\"kgate/history\"");
  CHECK(error("[history]\nbranch = \"nights\"") == "no error");
  CHECK(error("[profile.night]") == unknown("2: profile.night", "nightly"));
  CHECK(error("[profile.pr]\nblockon = []") == unknown("3: profile.pr.blockon", "block_on"));
  CHECK(error("[[key]]\nfiles = \"a\"") == unknown("3: key[0].files", "file"));
  CHECK(error("[threshold]\naccepts = 1") == unknown("3: threshold.accepts", "accept"));
  CHECK(error("[[override]]\nkernel = \"a\"") == unknown("3: override[0].kernel", "kernels"));
  CHECK(error("[search]\niteration = 1") == unknown("3: search.iteration", "iterations"));
}

TEST_CASE("a zone must make sense") {
  const std::string remedy =
      "; between the two lies what the measurement may leave open; the defaults are 0.005 and 0.02";
  CHECK(error("[zone]\ntolerate = 0.02") ==
        "usage: policy.toml:2: zone: tolerate (0.02) is not below block (0.02)" + remedy);
  CHECK(error("[zone]\nblock = 0.001") ==
        "usage: policy.toml:2: zone: tolerate (0.005) is not below block (0.001)" + remedy);
  CHECK(error("[[override]]\nkernels = [\"a\"]\nzone = { tolerate = 0.5 }") ==
        "usage: policy.toml:4: override[0].zone: tolerate (0.5) is not below block (0.02)" + remedy);
  CHECK(error("[zone]\ntolerate = 0.03\nblock = 0.02") ==
        "usage: policy.toml:2: zone: tolerate (0.03) is not below block (0.02)" + remedy);
  CHECK(error("[zone]\ntolerate = -0.01") ==
        "usage: policy.toml:3: zone.tolerate: is out of range; write a share: 0.02 is 2 %");
  CHECK(error("[zone]\nabsolute_us = -1") ==
        "usage: policy.toml:3: zone.absolute_us: is out of range; write microseconds from 0 to 1000000");
  CHECK(error("[zone]\nblock = -0.1") ==
        "usage: policy.toml:3: zone.block: is out of range; write a share: 0.02 is 2 %");
  CHECK(error("[zone]\nblock = 20") == "usage: policy.toml:3: zone.block: is out of range; write a share: 0.02 is 2 %");
  CHECK(error("[zone]\ncreep = nan") ==
        "usage: policy.toml:3: zone.creep: is out of range; write a share: 0.02 is 2 %");
  CHECK(error("[zone]\nblock = \"2 %\"") == "usage: policy.toml:3: zone.block: must be a number, not a string");
}

TEST_CASE("a budget must leave room to measure") {
  for (const char* seconds : {"0", "-5", "3601", "nan", "inf"}) {
    CHECK(error(std::string("[budget]\nseconds_per_case = ") + seconds) ==
          "usage: policy.toml:3: budget.seconds_per_case: is out of range; write seconds above 0, at most 3600");
  }
  for (const char* seconds : {"0", "-5", "86401", "nan", "inf"}) {
    CHECK(error(std::string("[budget]\nseconds_per_suite = ") + seconds) ==
          "usage: policy.toml:3: budget.seconds_per_suite: is out of range; write seconds above 0, at most 86400");
  }
  CHECK(error("[budget]\nseconds_per_suite = \"10 min\"") ==
        "usage: policy.toml:3: budget.seconds_per_suite: must be a number, not a string");
  CHECK(parse("[budget]\nseconds_per_suite = 86400").budget.seconds_per_suite == 86400);
  CHECK(error("[budget]\nseconds_per_suit = 5") ==
        "usage: policy.toml:3: budget.seconds_per_suit: is not a key that kgate knows; did you mean "
        "\"seconds_per_suite\"?");
  CHECK(error("[budget]\npool_gib = 0") ==
        "usage: policy.toml:3: budget.pool_gib: is out of range; write GiB above 0, at most 4096");
  CHECK(error("[budget]\nplacement = \"fix\"") ==
        "usage: policy.toml:3: budget.placement: \"fix\" is not one of \"any\", \"segment\", \"fixed\"; did you mean "
        "\"fixed\"?");
  CHECK(error("[budget]\npool_gib = -1") ==
        "usage: policy.toml:3: budget.pool_gib: is out of range; write GiB above 0, at most 4096");
  const std::string remedy = "; write the least and the most, for example rounds = [2, 8]";
  CHECK(error("[budget]\nrounds = [3, 2]") ==
        "usage: policy.toml:3: budget.rounds: the least is over the most" + remedy);
  CHECK(error("[budget]\nrounds = [0, 1]") ==
        "usage: policy.toml:3: budget.rounds[0]: is out of range; a regression is confirmed in a second round: write 2 "
        "or more, at most 1000");
  CHECK(error("[budget]\nrounds = [2, 1001]") ==
        "usage: policy.toml:3: budget.rounds[1]: is out of range; write 1000 at most");
  CHECK(error("[budget]\nrounds = [2]") == "usage: policy.toml:3: budget.rounds: must be two numbers" + remedy);
  CHECK(error("[budget]\nrounds = [4, 3]") ==
        "usage: policy.toml:3: budget.rounds: the least is over the most" + remedy);
  CHECK(error("[budget]\nrounds = 3") == "usage: policy.toml:3: budget.rounds: must be an array, not an integer");
  CHECK(error("[budget]\nrounds = [1, 3]") ==
        "usage: policy.toml:3: budget.rounds[0]: is out of range; a regression is confirmed in a second round: write 2 "
        "or more, at most "
        "1000");
}

TEST_CASE("keys, rules and lists say what they miss") {
  CHECK(error("kernels = []") ==
        "usage: policy.toml:2: kernels: is empty; a gate over nothing passes everything; leave the key out for the "
        "default");
  CHECK(error("[[key]]\nroles = [\"cases\"]") ==
        "usage: policy.toml:2: key[0].file: is missing; name the public key, for example file = "
        "\"keys/reviewers.pub.pem\"");
  CHECK(error("[[key]]\nfile = \"a.pem\"") ==
        "usage: policy.toml:2: key[0].roles: is missing; write for example roles = [\"cases\"]");
  CHECK(error("[[key]]\nfile = \"../a.pem\"\nroles = [\"cases\"]") ==
        "usage: policy.toml:3: key[0].file: lies outside .kgate; keys are read from the folder of the policy");
  CHECK(error("[[key]]\nfile = \"a\\u0000.pem\"\nroles = [\"cases\"]") ==
        "usage: policy.toml:3: key[0].file: \"a\\x00.pem\" is followed by a zero byte, which no path may hold");
  CHECK(error("[[key]]\nfile = \"/a.pem\"\nroles = [\"cases\"]") ==
        "usage: policy.toml:3: key[0].file: \"/a.pem\" is an absolute path; name it relative to the file that uses it");
  CHECK(error("[[key]]\nfile = \"a.pem\"\nroles = []") ==
        "usage: policy.toml:4: key[0].roles: is empty; name at least one of \"cases\", \"accept\", \"history\"");
  CHECK(error("[[key]]\nfile = \"a.pem\"\nroles = [\"case\"]") ==
        "usage: policy.toml:4: key[0].roles[0]: \"case\" is not one of \"cases\", \"accept\", \"history\"; did you "
        "mean \"cases\"?");
  CHECK(error("[[key]]\nfile = \"a.pem\"\nroles = [\"cases\", \"cases\"]") ==
        "usage: policy.toml:4: key[0].roles[1]: is there twice");
  CHECK(error("[[key]]\nfile = \"a.pem\"\nroles = [\"cases\"]\nnot_after = \"2027-12-31\"") ==
        "usage: policy.toml:5: key[0].not_after: must be a date, not a string");
  CHECK(error("[[key]]\nfile = \"a.pem\"\nroles = [\"cases\"]\nnot_after = 2027-12-31T10:00:00") ==
        "usage: policy.toml:5: key[0].not_after: must be a date without a time of day; write it as 2027-12-31");
  CHECK(
      error("[[key]]\nfile = \"a.pem\"\nroles = [\"cases\"]\nnot_before = 2028-01-01\nnot_after = 2027-12-31") ==
      "usage: policy.toml:2: key[0]: not_before is later than not_after; no day is left on which the key would count");
  CHECK(
      error("[environment]\ndriver = \"550\"") ==
      "usage: policy.toml:3: environment.driver: \"550\" is no condition on a version; write for example \">=550\" or "
      "\">=550.54,<600\"");
  CHECK(error("[environment]\nrequire = [\"quiet\"]") ==
        "usage: policy.toml:3: environment.require[0]: \"quiet\" is not one of \"exclusive\", \"not-throttled\"");
  CHECK(error("[ledger]\nat_least = { sequence = 1, digest = \"sha256:12\" }") ==
        "usage: policy.toml:3: ledger.at_least.digest: is no digest; write sha256: and 64 lower-case hex digits");
  CHECK(error("[ledger]\nat_least = { sequence = 1, digest = \"\" }") ==
        "usage: policy.toml:3: ledger.at_least.digest: is no digest; write sha256: and 64 lower-case hex digits");
  CHECK(error("[threshold]\ncases = 0") ==
        "usage: policy.toml:3: threshold.cases: is out of range; write how many keys must sign, from 1");
  CHECK(
      error("[numerics]\nerror_growth = 0.5") ==
      "usage: policy.toml:3: numerics.error_growth: is out of range; write a factor from 1: 2.0 lets the error double");
  CHECK(error("[search]\ntokens = -1") ==
        "usage: policy.toml:3: search.tokens: is out of range; write 0 to 1000000000000");
  CHECK(
      error("[[override]]\nkernels = [\"a\"]") ==
      "usage: policy.toml:2: override[0].zone: is missing; write for example zone = { tolerate = 0.01, block = 0.04 }");
  CHECK(error("[profile.pr]\nblock_on = [\"changes\"]") ==
        "usage: policy.toml:3: profile.pr.block_on[0]: \"changes\" is not one of \"change\", \"creep\", \"toolkit\", "
        "\"machine\", "
        "\"inconclusive\", \"environment\", \"missing\", \"new\"; did you mean \"change\"?");
}

TEST_CASE("a policy says where the GPU queue is, and how long a job waits in it") {
  const Policy policy = parse("[lease]\nfolder = \"/srv/gpu queue\"\nwait_s = 0\n");
  CHECK(policy.lease.folder == "/srv/gpu queue");
  CHECK(policy.lease.wait_s == 0);
  CHECK(error("[lease]\nfolder = \"locks\"\n") ==
        "usage: policy.toml:3: lease.folder: is no absolute path; name a folder of the GPU's host, for example "
        "\"/var/lock/kgate\"");
  CHECK(error("[lease]\nwait_s = 604801\n") ==
        "usage: policy.toml:3: lease.wait_s: is out of range; write seconds from 0 to 604800, which is a week");
  CHECK(error("[lease]\nwait = 5\n").starts_with("usage: policy.toml:3: lease.wait: "));
}
