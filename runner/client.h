#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "base/file.h"
#include "base/interrupt.h"
#include "base/process.h"
#include "base/shared_memory.h"
#include "runner/job.h"
#include "runner/sandbox.h"
#include "runner/wire.h"

namespace kgate::runner {

// A program that runs the child and looks over its shoulder: compute-sanitizer, Nsight Compute.
struct Observer {
  std::vector<std::string> launcher;  // put before the child's command line
  // Its working and home folder, for its temporary files; what it prints goes to kObserverOutput there. Absolute.
  std::filesystem::path folder;
  // It reads the GPU's performance counters: the child keeps the one capability that this may take (CAP_PERFMON), if it
  // has it.
  bool counts = false;
};
constexpr const char* kObserverOutput = "output";

struct ClientOptions {
  std::filesystem::path runner;  // the kgate-runner program
  std::string backend;           // "cuda" or "host"
  std::string device;            // index or UUID
  std::uint32_t threads = 0;     // host: worker threads
  // Set: this child compiles, and may read this toolkit, or disassembles where that names a disassembler. Else it
  // loads, runs and times.
  std::optional<ToolkitPaths> compiles = std::nullopt;
  SandboxWish sandbox = {};
  // Set: the child is started by it, under a weaker sandbox (docs/sandbox.md), and holds buffers as an observer wants
  // them: each an allocation of its exact size, and unwritten where a kernel has to write. It is never timed, and its
  // outputs are compared with nothing.
  std::optional<Observer> observer = std::nullopt;
  std::filesystem::path scratch;  // where the private folder of a child that compiles is made; empty: the system's
  bool warm = false;              // open the device at once, so that a child made early is ready when it is needed
  const Interrupt* interrupt = nullptr;
  // Told of every child's process number, when it was started and when it ends; empty: nobody.
  std::function<void(unsigned pid, bool begins)> on_process = {};
};

struct RunReport {
  RunOutcome outcome;
  std::vector<GuardReport> guards;
};

// The judge's hold on one child. Every call has a deadline; a child that overruns it, ends, or answers what the
// protocol does not know is killed with its process group and the client is lost(): run, time and load then report a
// fault (a finding about the kernel that ran), every other call throws Error(environment). Errors that the child
// reports are thrown here. Not for use by two threads at once.
class Client {
 public:
  using Seconds = std::chrono::duration<double>;

  // Starts the child and returns without waiting for it.
  explicit Client(const ClientOptions& options);
  Client(Client&&) noexcept = default;
  Client& operator=(Client&&) noexcept = default;

  bool lost() const { return lost_; }
  // Lost by its own end or by rubbish in place of an answer, not by a deadline. One such end does not tell whose doing
  // it was: the kernel's, or that of something outside which killed the child.
  bool died() const { return lost_ && !late_; }
  bool late() const { return late_; }
  // died() by a SIGKILL that was not ours: the system's, for want of memory, or a person's.
  bool killed() const { return killed_; }

  // As the child told it with its last answer to probe, compile or try_sandbox.
  const SandboxReport& sandbox() const { return sandbox_; }

  DeviceInfo probe(Seconds limit);
  Compiled compile(const CompileJob& job, Seconds limit);
  // Of a child that was given a disassembler. How it fails is in the answer; what is lost with the child is too.
  Disassembly disassemble(ByteView code, Seconds limit);
  Loaded load(const LoadJob& job, Seconds limit);
  std::uint64_t allocate(const Allocation& allocation, Seconds limit);
  // What an input or inout holds before each run; the memory is shared with the child, sealed. Variants 1 to
  // kMostVariants - 1 are further contents, for timing in the fresh regime alone.
  void write(std::uint32_t buffer, const SharedMemory& content, Seconds limit, std::uint32_t variant = 0);
  // One run on fresh contents, outputs poisoned with the given pattern, guard zones and inputs verified afterwards.
  RunReport run(const TimedArm& arm, std::uint8_t poison, Seconds limit);
  // Exactly as many bytes as the buffer was allocated with.
  SharedMemory read(std::uint32_t buffer, Seconds limit);
  // Throws Error(environment) for times that cannot be (plausible.h).
  TimeOutcome time(const TimeJob& job, Seconds limit);
  // Lets the child end by itself, with all that started it, and waits. The client is lost then; where the time was not
  // enough it is killed, and the answer is nothing.
  std::optional<ExitStatus> finish(Seconds limit);
  // What the child can do from inside its sandbox; `home` and `repository` are folders of the judge's that it tries.
  SandboxTrial try_sandbox(const std::filesystem::path& home, const std::filesystem::path& repository, Seconds limit);

 private:
  // What `decode` makes of the answer; nothing where the child was lost: reason_ then says how.
  template <typename Decode>
  auto ask(Json request, const std::vector<int>& descriptors, Seconds limit, Decode decode)
      -> std::optional<std::invoke_result_t<Decode, Message&>>;
  // The same where no kernel runs, so that a lost child is a failure of the machine.
  template <typename Decode>
  auto must(const char* what, Json request, const std::vector<int>& descriptors, Seconds limit, Decode decode)
      -> std::invoke_result_t<Decode, Message&>;
  std::optional<Message> exchange(Json request, const std::vector<int>& descriptors, Seconds limit);
  void lose(std::string reason);

  // Tells of the end, wherever the client was moved to.
  struct Notice {
    std::function<void(unsigned pid, bool begins)> tell;
    unsigned pid = 0;
    Notice(std::function<void(unsigned, bool)> whom, unsigned process);
    ~Notice();
    Notice(const Notice&) = delete;
    Notice& operator=(const Notice&) = delete;
  };

  std::unique_ptr<TemporaryFolder> folder_;  // of a child that compiles; goes after it
  Process process_;
  std::unique_ptr<Notice> notice_;
  UniqueFd socket_;
  const Interrupt* interrupt_ = nullptr;
  SandboxReport sandbox_;
  std::vector<std::uint64_t> buffer_bytes_;  // of the last allocation
  bool lost_ = false, late_ = false, killed_ = false;
  std::string reason_;
};

}  // namespace kgate::runner
