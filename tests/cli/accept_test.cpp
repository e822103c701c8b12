#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "gate/trust/key.h"
#include "tests/cli/cli_fixture.h"
#include "tests/support/catch.h"

using kgate::Json;

namespace {

constexpr const char* kSource = "kernels/scale/scale.cu";

// What is measured here is whether versions are compared and recorded, not how fast this machine is: the budget is
// small, and "regressed" comes from the error's growth, which no other load on the machine can change.
constexpr const char* kPolicy = R"(schema = "kgate.policy/1"
[budget]
seconds_per_case = 0.2
[trust]
unsigned = "warn"
[[key]]
file = "keys/cases.pub.pem"
roles = ["cases"]
[[key]]
file = "keys/accept.pub.pem"
roles = ["accept"]
)";

constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-5 } }
)";

constexpr const char* kReference = R"(__global__ void scale_reference(double* y, const float* x, int n) {
  for (int i = 0; i < n; ++i) y[i] = x[i] / 3.0;
}
)";
constexpr const char* kFine = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / 3.0f;
}
)";
// Right within the tolerance, with several times the error: over the policy's limit on the error's growth.
constexpr const char* kCoarse = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / 3.0f * 1.000001f;
}
)";

// A repository with keys and a ledger to be; the approver's key is at hand.
class Accepting : public CliFixture {
 public:
  Accepting() {
    for (const char* name : {"cases", "accept"}) {
      const auto key = kgate::trust::PrivateKey::generate();
      write(fmt::format(".kgate/keys/{}.pub.pem", name), key.public_key().pem());
      write(fmt::format("private/{}.key.pem", name), key.pem(""));
      std::filesystem::permissions(root() / fmt::format("private/{}.key.pem", name),
                                   std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    }
    write(".gitignore", "private/\n");
    write(".kgate/policy.toml", kPolicy);
    std::string cases(kgate::text_of(kgate::read_file(root() / "kernels/scale/cases.toml", 1 << 20)));
    write({{"kernels/scale/cases.toml", cases + kTimed}, {"kernels/scale/reference.cu", kReference}, {kSource, kFine}});
    replace("kernels/scale/cases.toml", "rtol = 1e-6", "rtol = 1e-5");
    replace("kernels/scale/cases.toml", "[reference]\n", "[reference]\nout_dtype = { y = \"f64\" }\n");
    commit("keys");
    use("accept");
  }
  void use(const std::string& key) {
    environment["KGATE_KEY_FILE"] = (root() / "private" / (key + ".key.pem")).string();
  }

  Answer accept(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "accept");
    arguments.insert(arguments.end(), {"--out", out().string(), "--backend", "host", "--cache", ""});
    return kgate(std::move(arguments));
  }
  Answer run(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"run", "--policy-ref", "main"});
    return kgate(std::move(more));
  }
  Json kernel() const { return result()["kernels"][0]; }
};

bool says(const CliFixture::Answer& answer, const std::string& text) {
  return answer.output.find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("a first version is accepted with its figures, and the log shows it") {
  const Accepting cli;
  const auto answer = cli.accept({"scale", "--reason", "first version"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "scale: accepted as record 1 of kgate/ledger, signed by keys/accept.pub.pem, sha256:"));
  const auto verified = cli.kgate({"verify"});
  CHECK(verified.code == 0);
  CHECK(says(verified, "ok         kgate/ledger: 1 record, 5 objects, newest sha256:"));
  CHECK(cli.run().code == 0);
  CHECK(cli.result()["ledger"]["sequence"] == 1);
}

TEST_CASE("what is not committed, or has no reason, is not accepted") {
  const Accepting cli;
  CHECK(says(cli.accept({"scale"}),
             "kgate accept: got no reason; write --reason TEXT: kgate log shows it to whoever asks later\n"));
  CHECK(says(cli.accept({"--reason", "x"}),
             "kgate accept: got no kernel; name those that are to be accepted, or a pattern in quotes\n"));
  cli.replace(kSource, "x[i] / 3.0f", "(x[i] / 3.0f)");
  const auto answer = cli.accept({"scale", "--reason", "x"});
  CHECK(answer.code == 64);
  CHECK(says(answer, "kgate: kernels/scale/kernel.toml: or what belongs to it differs from HEAD; commit it first\n"));
  CHECK_FALSE(says(answer, "compile"));
  CHECK(says(cli.kgate({"verify"}), "none       kgate/ledger: nothing was accepted yet"));
}

TEST_CASE("a key without the role cannot accept, and is told so before anything is measured") {
  Accepting cli;
  cli.use("cases");
  const auto answer = cli.accept({"scale", "--reason", "x"});
  CHECK(answer.code == 4);
  CHECK(says(answer, ": keys/cases.pub.pem has the role cases, not accept; have it signed with keys/accept.pub.pem\n"));
  CHECK_FALSE(says(answer, "compile"));
}

TEST_CASE("a wrong kernel is never accepted, whatever reason is given") {
  const Accepting cli;
  cli.replace(kSource, "3.0f", "3.1f");
  cli.commit("wrong");
  const auto answer = cli.accept({"scale", "--slower", "it is needed"});
  CHECK(answer.code == 2);
  CHECK(says(answer, "scale: not accepted: wrong: case \"small\": "));
}

TEST_CASE("what costs more is accepted by its content before the merge, and is preapproved then") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.git({"checkout", "-q", "-b", "coarse"});
  cli.write(kSource, kCoarse);
  cli.commit("coarse");

  auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 1);
  const Json comparisons = cli.kernel()["comparisons"];
  REQUIRE(comparisons.size() == 2);
  CHECK(comparisons[0]["against"] == "base");
  CHECK(comparisons[1]["against"] == "accepted");
  CHECK(comparisons[1]["sequence"] == 1);
  CHECK(comparisons[1]["artifact"] == "recompiled");
  // What the record has beside what is judged, in one place, and the times of each case.
  const Json diff = cli.kernel()["accepted_diffs"][0];
  CHECK(diff["against"] == "accepted");
  CHECK(diff["sequence"] == 1);
  CHECK(diff["source"] == cli.kernel()["diff"]["source"]);
  CHECK(diff["error_growth"] == cli.kernel()["diff"]["error_growth"]);
  CHECK(diff["fingerprint"] == Json::array());
  const Json beside = cli.kernel()["cases"].back()["comparisons"];
  REQUIRE(beside.size() == 2);
  CHECK(beside[1]["against"] == "accepted");
  CHECK(beside[1]["time"]["ratio"].get<double>() > 0);

  answer = cli.accept({"scale", "--policy-ref", "main", "--reason", "just because"});
  CHECK(answer.code == 1);
  CHECK(says(answer, ": accept that with --slower REASON, or mend it\n"));
  answer = cli.accept({"scale", "--policy-ref", "main", "--slower", "fewer registers"});
  CHECK(answer.code == 0);
  CHECK(says(answer, "scale: accepted as record 2 of kgate/ledger"));

  answer = cli.run();
  CHECK(answer.code == 0);
  CHECK(cli.kernel()["verdict"] == "preapproved");
  CHECK(cli.kernel()["reason"].get<std::string>().starts_with(
      "accepted by record 2 (keys/accept.pub.pem): fewer registers ("));

  // The squash merge makes another commit of the same content.
  cli.git({"checkout", "-q", "main"});
  cli.git({"merge", "-q", "--squash", "coarse"});
  cli.commit("squashed");
  CHECK(cli.run().code == 0);
  CHECK(cli.kernel()["verdict"] == "unchanged");
}

TEST_CASE("a kernel that a change leaves alone is not timed beside what was accepted, and that is said") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.write(kSource, kCoarse);
  cli.commit("coarse, merged against the gate's word");
  const auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.kernel()["verdict"] == "unchanged");
  CHECK(cli.kernel()["not_compared"] == kgate::Json{"accepted (record 1)"});
  CHECK(says(answer,
             "not what was accepted, and left as the base has it, so not compared: scale with accepted (record 1);"));
  cli.run({"--time-unchanged"});
  CHECK(!cli.kernel().contains("not_compared"));
  CHECK(cli.kernel()["comparisons"][1]["against"] == "accepted");
}

TEST_CASE("going back to what was accepted long ago is a change like any other") {
  const Accepting cli;
  cli.write(kSource, kCoarse);
  cli.commit("the coarse old version");
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.write(kSource, kFine);
  cli.commit("finer");
  REQUIRE(cli.accept({"scale", "--slower", "finer"}).code == 0);
  cli.write(kSource, kCoarse);
  const auto answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 1);
  CHECK(cli.kernel()["verdict"] == "regressed");
}

TEST_CASE("a kernel that the ledger knows is missing until it is retired") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.git({"checkout", "-q", "-b", "gone"});
  cli.git({"rm", "-rq", "kernels/scale"});
  cli.write("kernels/other/kernel.toml",
            "schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"o.cu\"]\n[[launch]]\n"
            "entry = \"o\"\ngrid = [1, 1, 1]\nblock = [1, 1, 1]\n");
  cli.write("kernels/other/o.cu", "__global__ void o(int* y) { y[0] = 1; }\n");
  cli.write("kernels/other/cases.toml",
            "schema = \"kgate.cases/1\"\nkernel = \"other\"\nrevision = 1\n[[param]]\nname = \"y\"\nkind = \"out\"\n"
            "dtype = \"i32\"\nshape = [\"n\"]\n[reference]\nsources = [\"o.cu\"]\nentry = \"o\"\ngrid = [1, 1, 1]\n"
            "block = [1, 1, 1]\n[[case]]\nname = \"one\"\nrole = \"correctness\"\nsizes = { n = 1 }\n");
  cli.commit("gone");
  auto answer = cli.run({"scale", "--profile", "release"});
  CHECK(answer.code == 6);
  CHECK(cli.kernel()["reason"].get<std::string>().ends_with("(main) has it, this tree does not"));
  // Merged against the gate's word, it is still known.
  answer = cli.kgate({"run", "scale", "--policy-ref", "gone", "--profile", "release"});
  CHECK(answer.code == 6);
  CHECK(cli.kernel()["reason"] == "record 1 of the ledger has accepted it, this tree does not have it");
  answer = cli.accept({"scale", "--retire", "--reason", "nobody calls it"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "scale: retired as record 2 of kgate/ledger"));
  answer = cli.run({"--profile", "release"});
  CHECK(says(answer, "kernel \"scale\" was retired by record 2 of the ledger: nobody calls it"));
  CHECK(cli.kernel()["name"] == "other");
}

TEST_CASE("a renamed kernel keeps its history, and the old name is not missing") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.replace("kernels/scale/cases.toml", "kernel = \"scale\"", "kernel = \"twice\"");
  cli.commit("renamed");
  CHECK(cli.run({"--profile", "release"}).code == 6);
  const auto answer = cli.accept({"twice", "--renamed-from", "scale", "--reason", "a better name"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  const auto after = cli.run({"--profile", "release"});
  INFO(after.output);
  CHECK(after.code == 0);
  CHECK(cli.kernel()["name"] == "twice");
}

TEST_CASE("a rename does not hide that the kernel costs more") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.git({"checkout", "-q", "-b", "renamed"});
  cli.replace("kernels/scale/cases.toml", "kernel = \"scale\"", "kernel = \"twice\"");
  cli.write(kSource, kCoarse);
  cli.commit("renamed, and coarse");
  auto answer = cli.accept({"twice", "--policy-ref", "main", "--renamed-from", "scale", "--reason", "a better name"});
  INFO(answer.output);
  CHECK(answer.code == 1);
  CHECK(says(answer, ": accept that with --slower REASON, or mend it\n"));
  answer = cli.accept({"twice", "--policy-ref", "main", "--renamed-from", "scale", "--slower", "fewer registers"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  answer = cli.run();
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(cli.kernel()["code"] == "changed");
  CHECK(cli.kernel()["verdict"] == "preapproved");
  CHECK(cli.kernel()["comparisons"][0]["against"] == "base");
  CHECK(says(answer, "twice: compared with the base's \"scale\", which goes on as this one"));
}

TEST_CASE("what ends is what was named: not the kernel that goes on, and nothing twice") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.replace("kernels/scale/cases.toml", "kernel = \"scale\"", "kernel = \"twice\"");
  cli.commit("renamed");
  REQUIRE(cli.accept({"twice", "--renamed-from", "scale", "--reason", "a better name"}).code == 0);
  auto answer = cli.accept({"scale", "--retire", "--reason", "gone"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: kernel \"scale\": goes on as \"twice\" since record 2; name that one\n");
  answer = cli.accept({"twi*", "--retire", "--reason", "gone"});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "warning: kernel \"twice\": is still in this tree (kernels/scale/kernel.toml)\n"));
  CHECK(says(answer, "twice: retired as record 3 of kgate/ledger"));
  answer = cli.accept({"twice", "--retire", "--reason", "gone"});
  CHECK(answer.code == 64);
  CHECK(answer.output == "kgate: kernel \"twice\": was retired by record 3, and cannot be retired; see kgate log\n");
}

TEST_CASE("who measures need not hold the key: drafts are signed elsewhere, and not when they were touched") {
  Accepting cli;
  const auto drafts = (cli.root() / "private/drafts").string();
  cli.environment.erase("KGATE_KEY_FILE");
  auto answer = cli.accept({"scale", "--reason", "first version", "--prepare", drafts});
  INFO(answer.output);
  CHECK(answer.code == 0);
  CHECK(says(answer, "next, where the key is: kgate accept --sign " + drafts));
  CHECK(says(cli.kgate({"verify"}), "nothing was accepted yet"));
  cli.use("accept");
  SECTION("as measured") {
    answer = cli.accept({"--sign", drafts});
    INFO(answer.output);
    CHECK(answer.code == 0);
    CHECK(says(answer, "scale: accepted as record 1 of kgate/ledger"));
    CHECK(cli.kgate({"verify"}).code == 0);
    CHECK_FALSE(std::filesystem::exists(std::filesystem::path(drafts) / "scale"));
  }
  SECTION("a copy of what is a record already makes no second one") {
    const auto copy = cli.root() / "private/copy";
    std::filesystem::copy(drafts, copy, std::filesystem::copy_options::recursive);
    REQUIRE(cli.accept({"--sign", drafts}).code == 0);
    answer = cli.accept({"--sign", copy.string()});
    CHECK(answer.code == 64);
    CHECK(says(answer, ": this draft is record 1 already; remove it\n"));
  }
  SECTION("with words that stand in the draft, or do not") {
    answer = cli.accept({"--sign", drafts, "--slower", "it is"});
    CHECK(answer.code == 64);
    CHECK(answer.output ==
          "kgate accept --sign: got --slower too; what is signed stands in the drafts; give it to --prepare\n");
  }
  SECTION("with an object that was swapped") {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(drafts)) {
      if (entry.is_regular_file() && entry.path().filename() != "statement.json")
        kgate::write_file_atomic(entry.path(), std::string_view("something else"));
    }
    answer = cli.accept({"--sign", drafts});
    CHECK(answer.code == 4);
    CHECK(says(answer, ": is not what was measured; measure again: kgate accept --prepare\n"));
  }
}

TEST_CASE("where two must sign, the second signature makes the record, and one key twice does not") {
  Accepting cli;
  const auto second = kgate::trust::PrivateKey::generate();
  cli.write(".kgate/keys/second.pub.pem", second.public_key().pem());
  cli.write("private/second.key.pem", second.pem(""));
  std::filesystem::permissions(cli.root() / "private/second.key.pem",
                               std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  cli.write(".kgate/policy.toml", std::string(kPolicy) +
                                      "[[key]]\nfile = \"keys/second.pub.pem\"\nroles = [\"accept\"]\n"
                                      "[threshold]\naccept = 2\n");
  cli.commit("two must sign");
  CHECK(says(cli.accept({"scale", "--reason", "first version"}),
             "kgate accept: 2 keys must sign, by the policy's [threshold]; write drafts with --prepare DIR; then "
             "each signs them: kgate accept --sign DIR\n"));
  const auto drafts = (cli.root() / "private/drafts").string();
  REQUIRE(cli.accept({"scale", "--reason", "first version", "--prepare", drafts}).code == 0);
  for (int i = 0; i < 2; ++i) {
    const auto answer = cli.accept({"--sign", drafts});
    INFO(answer.output);
    CHECK(answer.code == 0);
    CHECK(says(answer, std::string("scale: ") + (i == 0 ? "signed" : "signature renewed") +
                           ", and not accepted yet: 2 distinct keys with the role accept must sign, and 1 did "
                           "(keys/accept.pub.pem)\nnext, by the owner of keys/second.pub.pem: kgate accept --sign "));
  }
  CHECK(says(cli.kgate({"verify"}), "nothing was accepted yet"));
  cli.use("second");
  const auto answer = cli.accept({"--sign", drafts});
  INFO(answer.output);
  CHECK(says(answer,
             "scale: accepted as record 1 of kgate/ledger, signed by keys/accept.pub.pem and "
             "keys/second.pub.pem, sha256:"));
  CHECK(cli.kgate({"verify"}).code == 0);
}

TEST_CASE("a record that was not pushed is said to be where nobody reads it, until it is pushed") {
  const Accepting cli;
  const auto origin = (cli.root() / "private/origin.git").string();
  cli.git({"init", "-q", "--bare", origin});
  cli.git({"remote", "add", "origin", origin});
  auto answer = cli.accept({"scale", "--reason", "first version"});
  INFO(answer.output);
  CHECK(says(answer, "scale: pushed to origin\n"));
  answer = cli.accept({"scale", "--reason", "again", "--no-push"});
  CHECK(says(answer, "scale: on the local branch alone; push it: git push origin kgate/ledger\n"));
  const std::string lacks =
      "warning: the local branch kgate/ledger has records that origin lacks, and nobody reads them; push them: git "
      "push "
      "origin kgate/ledger\n";
  CHECK(says(cli.kgate({"log", "--policy-ref", "main"}), lacks));
  CHECK(says(cli.run(), lacks));
  cli.git({"push", "-q", "origin", "kgate/ledger"});
  answer = cli.kgate({"log", "--policy-ref", "main"});
  CHECK_FALSE(says(answer, "lacks"));
  CHECK(says(answer, "kgate/ledger: 2 records"));
}

TEST_CASE("a change of keys is told what it breaks, before it is merged") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--reason", "first version"}).code == 0);
  cli.git({"checkout", "-q", "-b", "stricter"});
  cli.write(".kgate/policy.toml", std::string(kPolicy) +
                                      "[[key]]\nfile = \"keys/second.pub.pem\"\nroles = [\"accept\"]\n"
                                      "[threshold]\naccept = 2\n");
  cli.write(".kgate/keys/second.pub.pem", kgate::trust::PrivateKey::generate().public_key().pem());
  cli.replace(".kgate/policy.toml", "unsigned = \"warn\"", "unsigned = \"block\"");
  const auto warned = [&](const std::string& start) {
    const Json warnings = cli.result()["warnings"];
    return std::any_of(warnings.begin(), warnings.end(),
                       [&](const Json& one) { return one.get<std::string>().starts_with(start); });
  };
  CHECK(cli.run().code == 0);
  CHECK(
      warned("once merged, kgate/ledger is untrusted: kgate/ledger:newest.json: 2 distinct keys with the role accept "
             "must sign, and 1 did (keys/accept.pub.pem); records cannot be signed again"));
  CHECK(warned("once merged, the cases of scale are untrusted: kernels/scale/cases.toml: is not signed"));
  // The way out that it names.
  cli.replace(".kgate/policy.toml", "[threshold]", "[ledger]\nbranch = \"kgate/ledger-2\"\n[threshold]");
  cli.run();
  CHECK_FALSE(warned("once merged, kgate/ledger"));
}

TEST_CASE("a release is compared with the last release") {
  const Accepting cli;
  REQUIRE(cli.accept({"scale", "--release", "v1.0"}).code == 0);
  const auto again = cli.accept({"scale", "--release", "v1.0"});
  CHECK(again.code == 64);
  CHECK(again.output == "kgate: release \"v1.0\" of scale: is record 1 already; take another name for it, or none\n");
  cli.write(kSource, kCoarse);
  cli.commit("coarse");
  cli.run({"--profile", "release"});
  const Json comparisons = cli.kernel()["comparisons"];
  REQUIRE(comparisons.size() == 2);
  CHECK(comparisons[0]["against"] == "accepted");
  CHECK(comparisons[1]["against"] == "last-release");
}

TEST_CASE("unchanged kernels are timed where that is asked for") {
  const Accepting cli;
  CHECK(cli.run({"--time-unchanged"}).code == 0);
  CHECK(cli.kernel()["code"] == "unchanged");
  CHECK(cli.kernel()["cases"][1]["time"]["blocks"].get<int>() > 0);
}
