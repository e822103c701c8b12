// A child that misbehaves as its --device says, for the client's tests.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include "base/error.h"
#include "base/philox.h"
#include "base/shared_memory.h"
#include "runner/protocol.h"
#include "runner/wire.h"

namespace {

// Also under a sanitizer, which would turn the signal into an exit code.
void crash() {
  ::signal(SIGSEGV, SIG_DFL);
  ::raise(SIGSEGV);
}

using namespace kgate;

// A device that answers at once: "BYTES:RATIO" is one of that much memory, on which arm 0 takes RATIO times as long as
// the others, which take 100 us, to the last digit. Behind it fields, each ":KEY=VALUE":
//   us=MICROSECONDS   of the other arms; us2=MICROSECONDS is arm 2's alone
//   regime=WORD       of batches, "graph" where nothing is said
//   fresh=RATIO       in the fresh regime
//   noise=SPREAD      of ln time, each sample by itself, the same in every run; noise2=SPREAD is arm 2's alone
//   sleep=MS          that a request takes at least
//   variants=0        there is no room for further inputs
//   moved=0           the pool is too small
//   short=1           one arm is missing in the answers
//   log=PATH          a file that gets a line for each child that times, and one for each request
//   dies=N+M          the children that are the N-th and the M-th in the log crash as they are to time or run
//   killed=N+M        the same, by SIGKILL
//   faults=N+M        the same find a fault of the kernel's as they are to run it
//   fails=N+M         the same report that the GPU's memory has an error
//   hangs=N+M         the same never answer, when they are to compile
//   gone=1            there is no GPU for who probes
//   lies=N+M          the same answer with times that cannot be:
//   lie=WORD          "nan", "inf", "zero", "negative", "long" (than it took), "many" (samples)
//   left=WORD         "samples", "digests", "wholes": what it leaves out of the samples that it is to check, of which
//                     it shows buffer 0 of the first arm: "looked at", and "all"; "other": shows that in place of "all"
// It takes at least as long to answer as the times that it answers with.
class FakeDevice {
 public:
  explicit FakeDevice(const std::string& what) {
    memory_ = std::strtoull(what.c_str(), nullptr, 10);
    std::istringstream fields(what.substr(what.find(':') + 1));
    std::string field;
    std::getline(fields, field, ':');
    ratio_ = std::strtod(field.c_str(), nullptr);
    while (std::getline(fields, field, ':'))
      fields_[field.substr(0, field.find('='))] = field.substr(field.find('=') + 1);
  }

  // The answer to a request.
  Json answer(const Json& body) {
    const std::string asked = body["do"];
    if (asked == "load") return runner::encode(runner::Loaded{});
    if (asked == "time") return runner::encode(time(runner::decode_time_job(body)));
    if (asked == "run") return run();
    if (asked == "compile") return compile();
    if (asked == "probe") return probe();
    if (asked != "allocate") return Json::object();
    std::uint64_t bytes = 0;
    sizes_.clear();
    for (const auto& buffer : runner::decode_allocation(body).buffers) {
      sizes_.push_back(buffer.bytes);
      bytes += buffer.bytes;
    }
    if (bytes > memory_)
      return {{"error", runner::encode(Error(ErrorKind::environment, "device memory", "is too small"))}};
    return {{"pool_bytes", std::uint64_t{0}}};
  }

  // What every buffer holds: zeros.
  SharedMemory read(std::uint32_t buffer) const {
    auto memory = SharedMemory::create("fake-output", sizes_.at(buffer));
    memory.seal();
    return memory;
  }

 private:
  Json run() {
    log("run");
    if (is_one("fails")) throw memory_error();
    if (is_one("faults"))
      return {{"outcome", runner::encode(runner::RunOutcome{false, false, "a fault"})}, {"guards", Json::array()}};
    return {{"outcome", runner::encode(runner::RunOutcome{})}, {"guards", Json::array()}};
  }

  Json compile() {
    log("compile");
    while (is_one("hangs")) ::pause();
    runner::Compiled compiled;
    compiled.status = runner::Compiled::Status::ok;
    compiled.code = Bytes(1);
    return runner::encode(compiled);
  }

  Json probe() const {
    if (number("gone", 0) != 0) throw Error(ErrorKind::environment, "cuda driver", "sees no GPU");
    runner::DeviceInfo info;
    info.backend = "cuda";
    info.memory_bytes = memory_;
    info.multiprocessors = 4;
    return runner::encode(info);
  }

  static Error memory_error() {
    return {ErrorKind::environment, "cuda driver",
            "cuEventSynchronize failed with CUDA_ERROR_ECC_UNCORRECTABLE (214): the GPU's memory has an error"};
  }

  runner::TimeOutcome time(const runner::TimeJob& job) {
    const bool fresh = job.regime == runner::Regime::fresh;
    log(fmt::format("{} {} stretch {}", fresh ? "fresh" : "batch", job.blocks, job.stretch_ms));
    if (fresh && number("variants", 1) == 0) {
      runner::TimeOutcome none;
      none.run = {false, true, "no room for 2 variants of the inputs"};
      return none;
    }
    if (is_one("fails")) throw memory_error();
    ::usleep(static_cast<unsigned>(1000 * number("sleep", 0)));
    runner::TimeOutcome outcome;
    if (job.arms.front().arm != 0 && text("alone", "") == "fails") {
      outcome.run = {false, false, "a fault of its own"};
      return outcome;
    }
    outcome.launches_per_sample = 4;
    outcome.regime = fresh ? "fresh" : text("regime", "graph");
    outcome.moved = number("moved", 1) != 0;
    for (const auto& arm : job.arms) {
      const double ratio = arm.arm != 0 ? 1 : fresh ? number("fresh", ratio_) : ratio_;
      // A candidate that slows down what runs beside it.
      const double beside = arm.arm != 0 && job.arms.front().arm == 0 ? number("beside", 1) : 1;
      const double noise = number(fmt::format("noise{}", arm.arm), number("noise", 0));
      auto& samples =
          outcome.us.emplace_back(job.blocks, number(fmt::format("us{}", arm.arm), number("us", 100)) * ratio * beside);
      RandomStream random(job.seed + arm.arm, job.first_block);
      for (double& us : samples) us *= std::exp(noise * normal(random));
    }
    if (number("short", 0) != 0) outcome.us.pop_back();
    check(job, outcome);
    double sum = 0;
    for (const auto& samples : outcome.us) {
      for (const double us : samples) sum += us * outcome.launches_per_sample;
    }
    if (std::isfinite(sum) && sum > 0) ::usleep(static_cast<unsigned>(sum));
    if (is_one("lies")) lie(outcome);
    return outcome;
  }

  void check(const runner::TimeJob& job, runner::TimeOutcome& outcome) const {
    const std::string left = text("left", "");
    if (left == "samples") return;
    bool whole = job.whole.has_value();
    for (const auto block : job.checked) {
      runner::CheckedSample sample;
      sample.block = block;
      if (left != "digests") sample.digests[0] = "looked at";
      if (whole && left != "wholes") sample.wholes[0] = left == "other" ? "other" : "all";
      whole = false;
      outcome.checked.push_back(std::move(sample));
    }
  }

  void lie(runner::TimeOutcome& outcome) const {
    const std::map<std::string, double> lies{{"nan", std::nan("")}, {"inf", HUGE_VAL}, {"zero", 0},
                                             {"negative", -3},      {"long", 1e9},     {"many", 1}};
    const std::string word = text("lie", "nan");
    outcome.us.front().front() = lies.at(word);
    if (word == "many") outcome.us.front().push_back(1);
  }

  static double normal(RandomStream& random) {
    return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
  }

  void log(const std::string& line) {
    if (fields_.count("log") == 0) return;
    const auto write = [&](const std::string& text) { std::ofstream(fields_["log"], std::ios::app) << text << '\n'; };
    if (!known_) write("child");
    if (!known_) self_ = children();
    if (!known_ && is_one("dies")) crash();
    if (!known_ && is_one("killed")) ::raise(SIGKILL);
    known_ = true;
    write(line);
  }

  // Whether this child's number in the log is one of a field's.
  bool is_one(const std::string& key) const {
    std::istringstream numbers(text(key, ""));
    for (std::string one; std::getline(numbers, one, '+');) {
      if (std::atoi(one.c_str()) == self_) return true;
    }
    return false;
  }

  int children() {
    int count = 0;
    std::ifstream file(fields_["log"]);
    for (std::string line; std::getline(file, line);) count += line == "child" ? 1 : 0;
    return count;
  }

  std::string text(const std::string& key, const std::string& otherwise) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? otherwise : found->second;
  }
  double number(const std::string& key, double otherwise) const {
    const auto found = fields_.find(key);
    return found == fields_.end() ? otherwise : std::strtod(found->second.c_str(), nullptr);
  }

  std::uint64_t memory_ = 0;
  double ratio_ = 1;
  std::map<std::string, std::string> fields_;
  std::vector<std::uint64_t> sizes_;  // of the buffers
  bool known_ = false;                // this child is in the log
  int self_ = 0;                      // its number there
};

int be_a_device(const std::string& what) {
  FakeDevice device(what);
  runner::Message request;
  while (runner::receive_message(3, request, std::nullopt, nullptr) == runner::Received::message) {
    Json answer;
    SharedMemory out;
    std::vector<int> descriptors;
    try {
      answer = device.answer(request.body);
      if (request.body["do"] == "read") {
        out = device.read(request.body["buffer"]);
        descriptors.push_back(out.fd());
      }
    } catch (const Error& error) {
      answer = {{"error", runner::encode(error)}};
    }
    if (!runner::send_message(3, answer, descriptors, std::nullopt, nullptr)) return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  std::string manner;
  for (int i = 1; i + 1 < argc; ++i) {
    if (std::string(argv[i]) == "--device") manner = argv[i + 1];
  }
  if (manner == "exit") return 3;
  if (manner.starts_with("device:")) return be_a_device(manner.substr(7));
  runner::Message request;
  while (runner::receive_message(3, request, std::nullopt, nullptr) == runner::Received::message) {
    if (manner == "crash") crash();
    if (manner == "killed") ::raise(SIGKILL);
    if (manner == "hang") {
      // With a grandchild that would outlive a plain kill.
      if (::fork() == 0) ::pause();
      while (true) ::pause();
    }
    if (manner == "garbage") {
      if (::write(3, "\x05\x00\x00\x00hello", 9) != 9) return 1;
      continue;
    }
    if (manner == "huge") {
      if (::write(3, "\xff\xff\xff\xff", 4) != 4) return 1;
      continue;
    }
    if (manner == "half") {
      if (::write(3, "\xff\x00\x00\x00zzz", 7) != 7) return 1;
      return 0;
    }
    if (manner == "empty") runner::send_message(3, Json::object(), {}, std::nullopt, nullptr);
    if (manner == "negative") {
      runner::TimeOutcome outcome;
      outcome.us = {{1.0, -1.0}};
      runner::send_message(3, runner::encode(outcome), {}, std::nullopt, nullptr);
    }
    if (manner == "odd error") {
      runner::send_message(3, {{"error", runner::encode(Error(ErrorKind::interrupted, "x", "y"))}}, {}, std::nullopt,
                           nullptr);
    }
    if (manner == "error") {
      runner::send_message(
          3, {{"error", runner::encode(Error(ErrorKind::environment, "the device", "fell off the bus", "reboot"))}}, {},
          std::nullopt, nullptr);
    }
  }
  return 0;
}
