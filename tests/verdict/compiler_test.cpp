// A compiler that ends or does not answer: its second try, in a fresh process.
#include "gate/verdict/compile/compiler.h"

#include <fstream>

#include <fmt/format.h>

#include "base/file.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

using Status = runner::Compiled::Status;

struct Tried {
  Status status = Status::failed;
  std::string log;
  int processes = 0;
};

// One source, compiled by the fake device's processes, which fail as the fields say.
Tried compile(const std::string& fields, double timeout_s) {
  const TemporaryFolder folder("kgate-compiler");
  const auto asked = folder.path() / "asked";
  verdict::CompilerOptions options;
  options.child.runner = KGATE_FAKE_RUNNER;
  options.child.backend = "host";
  options.child.device = fmt::format("device:4096:1{}:log={}", fields, asked.string());
  options.timeout_s = timeout_s;
  cases::SourceSet set;
  set.kind = "cuda";
  set.sources = {"k.cu"};
  const std::map<std::string, Bytes> files{{"k.cu", Bytes(1)}};
  const auto compiled = verdict::compile_all({{&set, &files, {"k"}}}, options).front();
  Tried tried{compiled->status, compiled->log, 0};
  std::ifstream log(asked);
  for (std::string line; std::getline(log, line);) tried.processes += line == "child" ? 1 : 0;
  return tried;
}

constexpr double kAmple = 60;

}  // namespace

TEST_CASE("a compiler that answers is asked once") {
  const auto tried = compile("", kAmple);
  CHECK(tried.status == Status::ok);
  CHECK(tried.processes == 1);
}

TEST_CASE("a compiler that is too slow once gets a second try, and what that compiles counts") {
  Tried tried;
  // The second has to answer in time, however slow this machine is.
  for (const double limit : {0.5, 5.0, 50.0}) {
    tried = compile(":hangs=1", limit);
    if (tried.status == Status::ok) break;
  }
  CHECK(tried.status == Status::ok);
  CHECK(tried.log.empty());
  CHECK(tried.processes == 2);
}

TEST_CASE("a source whose compiler is too slow twice does not compile, and the limit is named") {
  const auto tried = compile(":hangs=1+2", 0.5);
  CHECK(tried.status == Status::failed);
  CHECK(tried.log == "tried twice: the compiler did not finish within 0.5 s");
}

TEST_CASE("a compiler that crashes or is killed once gets a second try") {
  for (const char* fields : {":dies=1", ":killed=1"}) {
    INFO(fields);
    const auto tried = compile(fields, kAmple);
    CHECK(tried.status == Status::ok);
    CHECK(tried.processes == 2);
  }
}

TEST_CASE("a compiler that crashes twice is the source's doing; of one that is killed twice nothing is known") {
  const auto crashed = compile(":dies=1+2", kAmple);
  CHECK(crashed.status == Status::failed);
  CHECK(crashed.log == "tried twice: the compiler crashed (SIGSEGV)");
  const auto killed = compile(":killed=1+2", kAmple);
  CHECK(killed.status == Status::unsupported);
  CHECK(killed.log.find("tried twice: ") == 0);
  CHECK(killed.log.find("was killed while it compiled") != std::string::npos);
}
