#include "gate/verdict/version_diff.h"

#include <cmath>

#include "base/memory_tree.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

// One version: its source, its block's size, its options.
verdict::Version version(const std::string& source, int block, const std::string& options = "") {
  std::map<std::string, Bytes> files;
  files["k/kernel.toml"] =
      bytes_of("schema = \"kgate.kernel/1\"\nkind = \"cuda\"\nsources = [\"k.cu\"]\n" + options +
               "[[launch]]\nentry = \"k\"\ngrid = [1, 1, 1]\nblock = [" + std::to_string(block) + ", 1, 1]\n");
  files["k/k.cu"] = bytes_of(source);
  return verdict::read_version(MemoryTree(std::move(files), "tree"), "k/kernel.toml");
}

verdict::AcceptedVersion accepted(const std::string& source, int block, const std::string& against = "accepted") {
  verdict::AcceptedVersion one;
  one.against = against;
  one.sequence = 7;
  one.version = version(source, block);
  return one;
}

verdict::Baseline baseline(const verdict::AcceptedVersion& accepted, verdict::Artifact code = nullptr,
                           bool recorded = false) {
  return {accepted.against, "", "", accepted.sequence, recorded, &accepted.version, std::move(code)};
}

verdict::Artifact compiled(const std::string& code) {
  auto one = std::make_shared<runner::Compiled>();
  one->status = runner::Compiled::Status::ok;
  one->code = bytes_of(code);
  return one;
}

verdict::KernelResult with_errors(const std::vector<std::pair<double, double>>& candidate_and_base) {
  verdict::KernelResult kernel;
  for (const auto& [rms, base_rms] : candidate_and_base) {
    auto& numerics = kernel.cases.emplace_back().numerics["y"];
    numerics.rms = rms;
    numerics.base_rms = base_rms;
  }
  return kernel;
}

Json fingerprint_with(const std::string& driver) {
  return {{"schema", "kgate.fingerprint/1"},
          {"driver", {{"version", driver}}},
          {"toolkit", Json::object()},
          {"device", Json::object()},
          {"host", Json::object()}};
}

}  // namespace

TEST_CASE("the accepted version is set beside the candidate: source, options, launches") {
  verdict::Subject subject;
  subject.candidate = version("__global__ void k() { }\n", 64, "options = [\"--use_fast_math\"]\n");
  subject.accepted = {accepted("__global__ void k() {}\n", 32)};
  // The base is beside it elsewhere, and the toolkit's own part is not the candidate's.
  auto base = baseline(subject.accepted[0]), toolkit = base;
  base.against = "base";
  toolkit.against = verdict::kToolkit;
  const auto diffs = verdict::accepted_diffs(subject, {base, baseline(subject.accepted[0]), toolkit}, {});
  REQUIRE(diffs.size() == 1);
  CHECK(diffs[0].against == "accepted");
  CHECK(diffs[0].sequence == 7);
  CHECK(diffs[0].source.find("-__global__ void k() {}\n+__global__ void k() { }\n") != std::string::npos);
  CHECK(diffs[0].options == std::vector<std::string>{"+ --use_fast_math"});
  CHECK(diffs[0].launch == std::vector<std::string>{"- k grid [1, 1, 1] block [32, 1, 1] shared 0",
                                                    "+ k grid [1, 1, 1] block [64, 1, 1] shared 0"});
  CHECK_FALSE(diffs[0].resources);
  CHECK_FALSE(diffs[0].fingerprint);
}

TEST_CASE("a record's resources count for its own machine code, and its machine is compared with this one") {
  verdict::Subject subject;
  subject.candidate = version("__global__ void k() { }\n", 64);
  subject.accepted = {accepted("__global__ void k() {}\n", 32)};
  trust::Measurement measured;
  measured.registers = 40;
  measured.code_bytes = 1024;
  subject.accepted[0].measured = measured;
  subject.accepted[0].fingerprint = fingerprint_with("570.1");
  const auto beside = [&](bool recorded) {
    return verdict::accepted_diffs(subject, {baseline(subject.accepted[0], compiled("code"), recorded)},
                                   fingerprint_with("580.1"))
        .at(0);
  };
  CHECK_FALSE(beside(false).resources);
  const auto diff = beside(true);
  REQUIRE(diff.resources);
  CHECK(diff.resources->registers == 40);
  CHECK(diff.resources->code_bytes == 1024);
  REQUIRE(diff.fingerprint);
  REQUIRE(diff.fingerprint->size() == 1);
  CHECK(diff.fingerprint->front().axis == "driver");
  CHECK(diff.fingerprint->front().before == "570.1");
  CHECK(diff.fingerprint->front().after == "580.1");
}

TEST_CASE("the error's growth is the geometric mean over the cases that have both errors") {
  const auto growth = verdict::error_growth(with_errors({{2e-8, 1e-8}, {8e-8, 1e-8}, {0, 1e-8}, {1e-8, 0}}));
  REQUIRE(growth.size() == 1);
  CHECK(std::abs(growth.at("y").mean - 4) < 1e-9);
  CHECK(growth.at("y").cases == 2);
}

TEST_CASE("the error's growth against an accepted version is known where it does the same as the base") {
  verdict::Subject subject;
  subject.candidate = version("__global__ void k() { }\n", 64);
  subject.base = version("__global__ void k() {}\n", 32);
  subject.cases.cases.emplace_back();
  subject.accepted = {accepted("__global__ void k() {  }\n", 32, "one"),
                      accepted("__global__ void k() {}\n", 64, "two"),
                      accepted("__global__ void k() {}\n", 32, "three")};
  const auto base = compiled("old");
  // The same code and launch; the same code launched in another way; other code.
  const std::vector<verdict::Baseline> baselines{baseline(subject.accepted[0], compiled("old")),
                                                 baseline(subject.accepted[1], compiled("old")),
                                                 baseline(subject.accepted[2], compiled("other"))};
  auto kernel = with_errors({{2e-8, 1e-8}});
  kernel.accepted_diffs = verdict::accepted_diffs(subject, baselines, {});
  REQUIRE(kernel.accepted_diffs.size() == 3);
  verdict::add_error_growth(kernel, subject, base.get(), baselines);
  CHECK(std::abs(kernel.error_growth.at("y") - 2) < 1e-9);
  CHECK(kernel.accepted_diffs[0].error_growth == kernel.error_growth);
  CHECK(kernel.accepted_diffs[1].error_growth.empty());
  CHECK(kernel.accepted_diffs[2].error_growth.empty());
}
