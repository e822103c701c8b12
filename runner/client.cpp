#include "runner/client.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/socket.h>

#include "base/error.h"
#include "runner/fields.h"
#include "runner/plausible.h"
#include "runner/protocol.h"

namespace kgate::runner {
namespace {

constexpr int kChildSocket = 3;

std::string describe(const ExitStatus& status) {
  if (status.signal == 0) return fmt::format("ended by itself with code {}", status.code);
  const char* name = ::sigabbrev_np(status.signal);
  return fmt::format("crashed (SIG{})", name != nullptr ? name : std::to_string(status.signal).c_str());
}

UniqueFd output_file(const std::filesystem::path& path) {
  UniqueFd file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600));
  if (!file) throw system_error(path.string(), "cannot be written", errno);
  return file;
}

RunOutcome fault(std::string text) {
  return {false, false, std::move(text)};
}

// What a child reports as its own error is one of a few kinds; nobody else's words come from there.
Error reported_error(const Json& body) {
  Error error = decode_error(body);
  const ErrorKind kind = error.kind();
  if (kind != ErrorKind::usage && kind != ErrorKind::environment && kind != ErrorKind::internal)
    throw Error(ErrorKind::internal, "runner protocol", std::string("an error of the kind ") + name_of(kind));
  return error;
}

}  // namespace

Client::Client(const ClientOptions& options) : interrupt_(options.interrupt) {
  int pair[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0) {
    throw system_error("kgate-runner", "cannot make a socket", errno);
  }
  socket_ = UniqueFd(pair[0]);
  const UniqueFd theirs(pair[1]);
  ProcessOptions process;
  if (options.observer) process.command = options.observer->launcher;
  process.command.insert(process.command.end(), {options.runner.string(), "--backend", options.backend});
  const auto add = [&](const char* flag, const std::string& value) {
    if (!value.empty()) process.command.insert(process.command.end(), {flag, value});
  };
  add("--device", options.device);
  if (options.threads != 0) add("--threads", std::to_string(options.threads));
  if (options.warm) process.command.emplace_back("--warm");
  if (options.sandbox.most != SandboxLevel::landlock) add("--sandbox", name_of(options.sandbox.most));
  if (options.sandbox.least != SandboxLevel::none) add("--sandbox-least", name_of(options.sandbox.least));
  // The whole of it; kgate and the driver keep no cache of compiled code where a kernel could change it.
  process.environment = {{"PATH", process.search_path}, {"LC_ALL", "C"}, {"CUDA_CACHE_DISABLE", "1"}};
  if (options.compiles) {
    folder_ = std::make_unique<TemporaryFolder>("kgate-child-", options.scratch);
    process.environment["TMPDIR"] = folder_->path().string();
    add("--compile", folder_->path().string());
    add("--nvrtc", options.compiles->nvrtc);
    for (const std::string& folder : options.compiles->include_dirs) add("--include", folder);
    add("--compiler", options.compiles->host_compiler);
    add("--disassembler", options.compiles->disassembler);
  }
  process.descriptors = {{theirs.get(), kChildSocket}};
  UniqueFd output;
  if (options.observer) {
    process.command.emplace_back("--observed");
    if (options.observer->counts) process.command.emplace_back("--counted");
    process.environment["TMPDIR"] = options.observer->folder.string();
    // Between two processes of this machine, no port.
    process.environment["NV_COMPUTE_SANITIZER_LOCAL_CONNECTION_OVERRIDE"] = "uds";
    process.environment["NV_COMPUTE_PROFILER_LOCAL_CONNECTION_OVERRIDE"] = "uds";
    // Nsight Compute reads files of settings from its working folder, which may be the repository that is judged, and
    // from the home folder, where it would also leave files of its own.
    process.folder = options.observer->folder;
    process.environment["HOME"] = options.observer->folder.string();
    process.environment["NV_COMPUTE_PROFILER_DISABLE_STOCK_FILE_DEPLOYMENT"] = "1";
    output = output_file(options.observer->folder / kObserverOutput);
    process.descriptors.insert(process.descriptors.end(), {{output.get(), 1}, {output.get(), 2}});
  }
  process_ = Process::start(process);
  if (options.on_process) notice_ = std::make_unique<Notice>(options.on_process, static_cast<unsigned>(process_.id()));
}

Client::Notice::Notice(std::function<void(unsigned, bool)> whom, unsigned process)
    : tell(std::move(whom)), pid(process) {
  tell(pid, true);
}

Client::Notice::~Notice() {
  tell(pid, false);
}

void Client::lose(std::string reason) {
  lost_ = true;
  reason_ = std::move(reason);
  process_.kill();
}

std::optional<Message> Client::exchange(Json request, const std::vector<int>& descriptors, Seconds limit) {
  if (lost_) throw Error(ErrorKind::internal, "kgate-runner", "was asked again after it was lost (" + reason_ + ")");
  request["version"] = kProtocolVersion;
  const auto start = std::chrono::steady_clock::now();
  const Deadline deadline = start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(limit);
  Message reply;
  Received received = Received::closed;
  if (send_message(socket_.get(), request, descriptors, deadline, interrupt_)) {
    try {
      received = receive_message(socket_.get(), reply, deadline, interrupt_);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::internal) throw;
      lose("answered with rubbish (" + error.fact() + ")");
      return std::nullopt;
    }
  } else if (std::chrono::steady_clock::now() >= *deadline) {
    received = Received::late;
  }
  if (received == Received::message) return reply;
  if (received == Received::late) {
    late_ = true;
    lose(fmt::format("did not finish within {:.3g} s", limit.count()));
    return std::nullopt;
  }
  // The socket closes a moment before the process is gone.
  const auto status = process_.wait(std::chrono::milliseconds(2000));
  const ExitStatus ended = status ? *status : process_.kill();
  killed_ = status && ended.signal == SIGKILL;
  lose(describe(ended));
  return std::nullopt;
}

template <typename Decode>
auto Client::ask(Json request, const std::vector<int>& descriptors, Seconds limit, Decode decode)
    -> std::optional<std::invoke_result_t<Decode, Message&>> {
  auto reply = exchange(std::move(request), descriptors, limit);
  if (!reply) return std::nullopt;
  std::optional<Error> reported;
  try {
    if (!reply->body.contains("error")) return decode(*reply);
    reported = reported_error(reply->body["error"]);
  } catch (const Error& error) {
    // The child's bytes are unchecked input: a kernel that runs beside it may have written them.
    if (error.kind() != ErrorKind::internal) throw;
    lose("answered with rubbish (" + error.fact() + ")");
    return std::nullopt;
  }
  throw Error(*reported);
}

template <typename Decode>
auto Client::must(const char* what, Json request, const std::vector<int>& descriptors, Seconds limit, Decode decode)
    -> std::invoke_result_t<Decode, Message&> {
  auto answer = ask(std::move(request), descriptors, limit, decode);
  if (!answer)
    throw Error(ErrorKind::environment, "kgate-runner", fmt::format("{} while it was asked to {}", reason_, what));
  return std::move(*answer);
}

DeviceInfo Client::probe(Seconds limit) {
  const auto info = must("open the device", {{"do", "probe"}}, {}, limit, [this](Message& reply) {
    sandbox_ = decode_sandbox_report(reply.body);
    return decode_device_info(reply.body);
  });
  require_plausible(info);
  return info;
}

Compiled Client::compile(const CompileJob& job, Seconds limit) {
  Json request = encode(job);
  request["do"] = "compile";
  auto answer = ask(std::move(request), {}, limit, [this](Message& reply) {
    sandbox_ = decode_sandbox_report(reply.body);
    return decode_compiled(reply.body);
  });
  if (answer) return std::move(*answer);
  if (killed_) {
    // Not by us, and nothing that a source does to a compiler: the system, for want of memory, or a person.
    throw Error(ErrorKind::environment, "kgate-runner", "was killed while it compiled",
                "look for the out-of-memory killer in the system's log");
  }
  Compiled compiled;
  compiled.log = "the compiler " + reason_;
  return compiled;
}

Disassembly Client::disassemble(ByteView code, Seconds limit) {
  auto answer = ask({{"do", "disassemble"}, {"code", binary(code)}}, {}, limit, [this](Message& reply) {
    sandbox_ = decode_sandbox_report(reply.body);
    return decode_disassembly(reply.body);
  });
  return answer ? std::move(*answer) : Disassembly{"", "the disassembler " + reason_};
}

Loaded Client::load(const LoadJob& job, Seconds limit) {
  Json request = encode(job);
  request["do"] = "load";
  auto answer = ask(std::move(request), {}, limit, [](Message& reply) { return decode_loaded(reply.body); });
  if (answer) return std::move(*answer);
  Loaded loaded;
  loaded.outcome = fault("loading it: the process " + reason_);
  return loaded;
}

std::uint64_t Client::allocate(const Allocation& allocation, Seconds limit) {
  Json request = encode(allocation);
  request["do"] = "allocate";
  const auto pool = must("allocate buffers", std::move(request), {}, limit,
                         [](Message& reply) { return field<std::uint64_t>(reply.body, "pool_bytes"); });
  buffer_bytes_.clear();
  for (const auto& buffer : allocation.buffers) buffer_bytes_.push_back(buffer.bytes);
  return pool;
}

void Client::write(std::uint32_t buffer, const SharedMemory& content, Seconds limit, std::uint32_t variant) {
  Json request = encode(WriteJob{buffer, variant});
  request["do"] = "write";
  must("take an input", std::move(request), {content.fd()}, limit, [](Message&) { return true; });
}

RunReport Client::run(const TimedArm& arm, std::uint8_t poison, Seconds limit) {
  auto report = ask({{"do", "run"}, {"arm", encode(arm)}, {"poison", poison}}, {}, limit, [](Message& reply) {
    return RunReport{decode_run_outcome(member(reply.body, "outcome")),
                     decode_guard_reports(member(reply.body, "guards"))};
  });
  return report ? std::move(*report) : RunReport{fault("the kernel " + reason_), {}};
}

SharedMemory Client::read(std::uint32_t buffer, Seconds limit) {
  return must("give an output", {{"do", "read"}, {"buffer", buffer}}, {}, limit, [&](Message& reply) {
    if (reply.descriptors.size() != 1) throw broken("an output without its memory");
    auto memory = SharedMemory::open_sealed(std::move(reply.descriptors.front()));
    if (buffer < buffer_bytes_.size() && memory.size() != buffer_bytes_[buffer]) {
      throw broken(fmt::format("{} bytes of an output of {}", memory.size(), buffer_bytes_[buffer]));
    }
    return memory;
  });
}

TimeOutcome Client::time(const TimeJob& job, Seconds limit) {
  Json request = encode(job);
  request["do"] = "time";
  const auto start = std::chrono::steady_clock::now();
  const auto answer =
      ask(std::move(request), {}, limit, [](Message& reply) { return decode_time_outcome(reply.body); });
  if (answer) {
    require_plausible(job, *answer, Seconds(std::chrono::steady_clock::now() - start).count());
    return *answer;
  }
  TimeOutcome outcome;
  outcome.run = fault("the kernel " + reason_);
  return outcome;
}

std::optional<ExitStatus> Client::finish(Seconds limit) {
  lost_ = true;
  reason_ = "was asked to end";
  socket_ = UniqueFd();
  // In steps, so that a signal to the judge need not wait for it.
  const auto deadline = std::chrono::steady_clock::now() + limit;
  std::optional<ExitStatus> status;
  while (!status && std::chrono::steady_clock::now() < deadline) {
    if (interrupt_ != nullptr) interrupt_->check();
    status = process_.wait(std::chrono::milliseconds(50));
  }
  process_.kill();
  return status;
}

SandboxTrial Client::try_sandbox(const std::filesystem::path& home, const std::filesystem::path& repository,
                                 Seconds limit) {
  return must("try its sandbox", {{"do", "sandbox"}, {"home", home.string()}, {"repository", repository.string()}}, {},
              limit, [this](Message& reply) {
                sandbox_ = decode_sandbox_report(reply.body);
                return decode_sandbox_trial(reply.body);
              });
}

}  // namespace kgate::runner
