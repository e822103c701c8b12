// kgate_write_corpus FOLDER: makes the corpora anew, one folder a target. They are committed; this is how they came to
// be.
#include <array>
#include <filesystem>
#include <string>

#include "base/file.h"
#include "base/safetensors.h"
#include "gate/search/candidate.h"
#include "gate/search/history.h"
#include "gate/search/journal/journal.h"
#include "gate/trust/dsse.h"
#include "gate/trust/signed_cases.h"
#include "runner/protocol.h"
#include "tests/cases/fixtures.h"
#include "tests/search/kernels.h"

using namespace kgate;

namespace {

class Corpus {
 public:
  explicit Corpus(std::filesystem::path folder) : folder_(std::move(folder)) {}
  void add(const std::string& target, const std::string& name, std::string_view content) const {
    write_file_atomic(folder_ / target / name, content);
  }
  void add(const std::string& target, const std::string& name, ByteView content) const {
    add(target, name, text_of(content));
  }
  // A sequence of messages, as the targets of the protocol read it.
  void messages(const std::string& target, const std::string& name, const Json& list) const {
    const auto cbor = Json::to_cbor(list);
    add(target, name, "s" + std::string(cbor.begin(), cbor.end()));
  }
  void message(const std::string& target, const std::string& name, const Json& body) const {
    const auto cbor = Json::to_cbor(body);
    add(target, name, "f" + std::string(cbor.begin(), cbor.end()));
  }

 private:
  std::filesystem::path folder_;
};

Json asked(const char* what, Json body) {
  body["do"] = what;
  body["version"] = runner::kProtocolVersion;
  return body;
}

runner::Allocation buffers() {
  runner::Allocation allocation;
  runner::Buffer y, x, w;
  y.name = "y";
  y.role = runner::BufferRole::output;
  y.bytes = 64;
  x.name = "x";
  x.bytes = 16;
  w.name = "w";
  w.role = runner::BufferRole::workspace;
  w.bytes = 8;
  w.zeroed = true;
  allocation.buffers = {y, x, w};
  return allocation;
}

runner::TimedArm arm() {
  runner::Launch launch;
  launch.entry = "scale";
  launch.grid = {2, 1, 1};
  launch.block = {128, 1, 1};
  launch.cluster = std::array<std::uint32_t, 3>{1, 1, 1};
  for (const std::uint32_t buffer : {0u, 1u, 2u}) launch.arguments.push_back({buffer, {}});
  launch.arguments.push_back({std::nullopt, Bytes(4)});
  return {0, {launch}, {}};
}

void write_requests(const Corpus& corpus) {
  runner::TimeJob job;
  job.arms = {arm(), arm()};
  const Json allocate = asked("allocate", runner::encode(buffers()));
  const Json write = asked("write", runner::encode(runner::WriteJob{1, 0}));
  const Json run = asked("run", {{"arm", runner::encode(arm())}, {"poison", 255}});
  corpus.messages("request", "run", {allocate, write, run, asked("read", {{"buffer", 0}})});
  corpus.messages("request", "time", {allocate, write, asked("time", runner::encode(job))});
  job.regime = runner::Regime::fresh;
  corpus.messages(
      "request", "fresh",
      {allocate, write, asked("write", runner::encode(runner::WriteJob{1, 1})), asked("time", runner::encode(job))});
  runner::CompileJob compile;
  compile.backend = "cuda";
  compile.files["k/k.cu"] = bytes_of("__global__ void k() {}");
  compile.sources = {"k/k.cu"};
  compile.defines["N"] = "1";
  compile.entries = {"k"};
  corpus.message("request", "compile", asked("compile", runner::encode(compile)));
  corpus.message("request", "load", asked("load", runner::encode(runner::LoadJob{0, Bytes(16), {{"k", "_Z1kv"}}})));
  corpus.add("request", "bytes", std::string("r\x05\x00\x00\x00\xa1\x62\x64\x6f\xf6\x01\x00\x00\x00\xa0", 15));
}

void write_replies(const Corpus& corpus) {
  runner::Compiled compiled;
  compiled.log = "warning";
  compiled.code = Bytes(8);
  compiled.symbols = {{"k", "_Z1kv"}};
  corpus.message("reply", "compiled", runner::encode(compiled));
  runner::Loaded loaded;
  loaded.resources["k"] = {32, 48, 0, 4096};
  loaded.parameter_bytes["k"] = {8, 8, 4};
  corpus.message("reply", "loaded", runner::encode(loaded));
  runner::TimeOutcome times;
  times.launches_per_sample = 2;
  times.regime = "graph";
  times.us = {{5.25, 5.5}, {5, 6}};
  corpus.message("reply", "times", runner::encode(times));
  const std::vector<runner::GuardReport> guards{{0, "wrote out of bounds"}};
  corpus.messages("reply", "run",
                  {{{"outcome", runner::encode(runner::RunOutcome{})}, {"guards", runner::encode(guards)}},
                   {{"error", runner::encode(Error(ErrorKind::environment, "cuda driver", "failed", "reset it"))}}});
  runner::DeviceInfo info;
  info.backend = "cuda";
  info.name = "GPU";
  info.multiprocessors = 132;
  info.memory_bytes = 1ull << 37;
  Json probe = runner::encode(info);
  probe["sandbox"] = runner::encode(runner::SandboxReport{});
  corpus.message("reply", "probe", probe);
  runner::SandboxTrial trial;
  trial.probes = {{"open /etc/passwd", 13, ""}};
  trial.limits = {"files 64"};
  corpus.message("reply", "sandbox", runner::encode(trial));
}

void write_tensors(const Corpus& corpus) {
  const Tensor floats{DType::f32, {2, 2}, Bytes(16)}, flags{DType::boolean, {3}, Bytes(3)},
      none{DType::f64, {0, 4}, {}};
  corpus.add("safetensors", "empty", write_safetensors({}));
  corpus.add("safetensors", "one", write_safetensors({{"w", floats}}));
  corpus.add("safetensors", "three", write_safetensors({{"w", floats}, {"m", flags}, {"e", none}}));
}

void write_toml(const Corpus& corpus) {
  corpus.add("kernel", "softmax", test::kKernel);
  corpus.add("kernel", "small",
             "schema = \"kgate.kernel/1\"\nsources = [\"a.cu\"]\n[[launch]]\nentry = \"a\"\ngrid = [\"rows\", 1, 1]\n"
             "block = [\"min(cols, 32)\"]\nargs = [\"y\", \"x\", \"rows\"]\n");
  corpus.add(
      "kernel", "prebuilt",
      "schema = \"kgate.kernel/1\"\nkind = \"ptx\"\nsources = [\"a.ptx\"]\n[[launch]]\nentry = \"a\"\ngrid = [1]\n"
      "block = [32]\ncluster = [2, 1, 1]\ncooperative = true\n");
  corpus.add("cases", "softmax", test::kCases);
  corpus.add(
      "cases", "files",
      "schema = \"kgate.cases/1\"\nkernel = \"a\"\nrevision = 1\n[[param]]\nname = \"y\"\nkind = \"inout\"\n"
      "dtype = \"bf16\"\nshape = [\"n\"]\n[[case]]\nname = \"c\"\nrole = \"holdout\"\nsizes = { n = 8 }\n"
      "inputs = { y = { file = \"y.npy\" } }\nexpected = { y = \"z.npy\" }\ntolerance = { y = { atol = 0.1 } }\n");
  corpus.add(
      "cases", "integers",
      "schema = \"kgate.cases/1\"\nkernel = \"a\"\nrevision = 2\n[[param]]\nname = \"y\"\nkind = \"out\"\n"
      "dtype = \"i32\"\nshape = [\"n\", \"m + 1\"]\ndeterministic = false\n[[param]]\nname = \"n\"\nkind = \"scalar\"\n"
      "dtype = \"i64\"\nvalue = \"n * m\"\n[reference]\nsources = [\"r.cu\"]\nentry = \"r\"\ngrid = [\"n\"]\nblock = "
      "[1]\n"
      "[[case]]\nname = \"c\"\nrole = \"correctness\"\nsizes = { n = 8, m = 2 }\n");
  corpus.add("policy", "zones",
             "schema = \"kgate.policy/1\"\n[zone]\ntolerate = 0.01\nblock = 0.03\n[budget]\nseconds_per_case = 5\n"
             "rounds = [2, 8]\n[[override]]\nkernels = [\"soft*\"]\nzone = { tolerate = 0.02, block = 0.04 }\n");
  corpus.add("policy", "rules",
             "schema = \"kgate.policy/1\"\n[environment]\nbackend = \"cuda\"\ndriver = \">=550, !=560.1\"\n"
             "require = [\"exclusive\"]\nsandbox = \"landlock\"\n[trust]\nunsigned = \"warn\"\n[ledger]\n"
             "at_least = { sequence = 3, digest = "
             "\"sha256:0000000000000000000000000000000000000000000000000000000000000000\" }\n");
  corpus.add(
      "policy", "keys",
      "schema = \"kgate.policy/1\"\n[[key]]\nfile = \"keys/a.pub.pem\"\nroles = [\"cases\", \"accept\"]\n"
      "not_before = 2024-01-01\n[threshold]\ncases = 1\n[profile.pr]\ncompare = [\"base\"]\nblock_on = [\"change\"]\n");
}

void write_json(const Corpus& corpus) {
  corpus.add("json", "escapes", R"({"a":[1,-2.5e3,true,false,null],"b":{"c":"\u00e9\n\ud83d\ude00"}})");
  corpus.add("json", "nested", R"([[[[[[{"x":[0.1,1e-7]}]]]]]])");
  corpus.add("json", "text", R"("ü€ text")");
  corpus.add("json", "numbers", R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})");
}

void write_envelopes(const Corpus& corpus) {
  trust::CasesStatement cases{"softmax", 3, "2026-11-29T22:55:27Z", {}, {{"zeros", "a case of more"}}, "a reason"};
  cases.files = {{"cases.toml", std::string(64, 'a')}, {"../common/x.cuh", std::string(64, '0')}};
  const auto wrapped = trust::wrap(trust::to_statement(cases));
  const auto envelope = [&](ByteView payload) {
    return trust::write_envelope(
        {trust::kInTotoPayload, Bytes(payload.begin(), payload.end()), {{"k", Bytes(64)}, {"", Bytes(3)}}});
  };
  corpus.add("envelope", "cases", envelope(wrapped.payload));
  corpus.add("envelope", "object", envelope(bytes_of("{}")));
  corpus.add("envelope", "empty", envelope({}));
  corpus.add("statement", "cases", wrapped.payload);
  cases.weaknesses.clear();
  cases.weak_reason.clear();
  corpus.add("statement", "strong", trust::wrap(trust::to_statement(cases)).payload);
  corpus.add("statement", "object", std::string_view("{}"));
}

void write_proposals(const Corpus& corpus) {
  corpus.add(
      "proposal", "edits",
      R"({"direction": "vector loads", "differs": "smaller", "parts": [{"name": "one", )"
      R"("hypothesis": "fewer instructions", "expected_gain": 0.08, "risk": "tails", )"
      R"("edits": [{"file": "k/f.cu", "find": "int a;", "replace": "long a;"}], "parameters": {"BLOCK": "128"}}, )"
      R"({"hypothesis": "h", "files": {"k/f.cu": "int c;\n"}}]})");
  corpus.add("proposal", "fenced",
             "<think>hm {</think>\nI propose:\n```json\n{\"parent\": \"\", \"direction\": \"tuning\",\n\"parts\": "
             "[{\"hypothesis\": \"h\", \"parameters\": {\"BLOCK\": 64}}]}\n```\nDone.\n");
  corpus.add("proposal", "exhausted",
             R"({"schema":"kgate.agent/1","exhausted":"nothing left","model":"m",)"
             R"("usage":{"tokens_in":12,"tokens_out":3,"cost_usd":0.5}})");
}

void write_journals(const Corpus& corpus) {
  using namespace search;
  const Candidate baseline = make_candidate(test::search_files(), test::kSearchPath);
  History history(baseline, {});
  std::string text;
  const auto add = [&](const journal::Line& line) {
    history.take(line);
    text += canonical_json(journal::to_json(line)) + "\n";
  };
  const auto judged = [](std::int64_t number, const char* outcome, double ratio) {
    journal::Judged line;
    line.number = number;
    line.outcome = outcome;
    line.score = line.low = line.high = ratio;
    line.cases = {{"wide", 1, 10 * ratio, 10, 5, ratio, ratio, ratio}};
    line.gpu_s = 2;
    line.wall_s = static_cast<double>(number);
    return line;
  };
  const auto proposed = [&](std::int64_t number, std::int64_t repair_of, const journal::Part& part) {
    journal::Proposed line;
    line.number = number;
    line.iteration = 1;
    line.repair_of = repair_of;
    line.parent = baseline.digest;
    line.proposer = "http";
    line.direction = "tiling";
    line.parts = {part};
    line.usage = {100, 10, 0.01, 1};
    line.wall_s = static_cast<double>(number);
    line.candidate = history.resolved(line).candidate;
    return line;
  };
  journal::Header header;
  header.kernel = "scale";
  header.baseline = baseline.digest;
  header.proposers = {"http"};
  add(header);
  corpus.add("journal", "header", text);
  add(judged(0, "better", 1));
  journal::Part edits, tunes;
  edits.name = "a";
  edits.edits = {{"kernels/scale/scale.cu", "factor() * x[i]", "2.0f * x[i]"}};
  tunes.parameters = {{"BLOCK", "512"}};
  add(proposed(1, 0, edits));
  corpus.add("journal", "open", text);
  auto failed = judged(1, "wrong", 0);
  failed.cases.clear();
  failed.repairable = true;
  add(failed);
  add(proposed(2, 1, tunes));
  add(judged(2, "better", 0.9));
  add(journal::Unanswered{"http", 0, "exhausted", "that was all", {}, 3});
  add(journal::Stopped{"proposers", "http: that was all", 3});
  corpus.add("journal", "whole", text);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 64;
  const Corpus corpus(argv[1]);
  write_tensors(corpus);
  write_toml(corpus);
  write_json(corpus);
  write_envelopes(corpus);
  write_requests(corpus);
  write_replies(corpus);
  write_proposals(corpus);
  write_journals(corpus);
  return 0;
}
