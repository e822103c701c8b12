// Problem: a process that ends while a kernel runs in it says only how: by SIGSEGV, by SIGKILL. A kernel of the host
// backend that reads through a null pointer ends so; so does an honest one whose process the system's out-of-memory
// killer, or a person, has picked. And a driver that reports an uncorrectable memory error may never do so again.
// Nobody may be called wrong for what happened to him, and nobody may get away with what he did. Choice: once more, in
// a fresh process. What happens by chance does not happen twice; what does is put to a control, which is given the same
// memory and the same inputs but no kernel. Where the control ends as well it is the machine. Rejected: to trust the
// signal (a kernel can raise SIGKILL, and anybody can send SIGSEGV); to read the system's log for the killer's name (it
// is closed to most users and not there in a container); to try until it goes well (what fails one time in three would
// pass).
//
// A hang is not tried again: it costs its whole deadline each time, and nothing but the kernel makes it likely.
#include "gate/verdict/check/second_try.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

namespace kgate::verdict {
namespace {

struct Attempt {
  std::optional<Worker::Ran> ran;
  std::optional<Error> error;  // of the machine, in place of a run
  bool died = false, killed = false, placing = false;

  bool settled() const { return ran && !died; }
  std::string words() const { return error ? error->what() : ran->report.outcome.fault; }
};

Attempt attempt(Worker& worker, const RunJob& job) {
  Attempt one;
  try {
    one.ran = worker.run(job.binding, job.inputs, job.outputs, job.poison, job.limit_s);
    one.died = one.ran->died;
    one.killed = one.ran->killed;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    one.error = error;
    one.died = worker.process_died();
    one.killed = worker.process_killed();
    one.placing = worker.placing();
    worker.replace();
  }
  return one;
}

bool has_scratch(const RunJob& job) {
  const auto& buffers = job.binding.buffers;
  return std::any_of(buffers.begin(), buffers.end(),
                     [](const auto& one) { return one.role == runner::BufferRole::workspace; });
}

// Whether the machine's failure, if that is what it was, could be the kernel's making.
bool may_be_the_kernels(const Attempt& last, const Worker& worker, const RunJob& job,
                        const runner::ClientOptions& child) {
  if (last.placing) return has_scratch(job);  // memory that nothing has room for
  if (last.died) return true;
  if (last.error->subject() == "kernel") return true;  // its fault, found by a later call of the driver
  // On the host a kernel is native code beside the one that answers, and may have said anything. On a GPU the driver's
  // words are the driver's.
  return child.backend == "host" && worker.has_run();
}

// Throws Error(environment) where the machine fails without the kernel too.
void try_without_kernel(const RunJob& job, const runner::ClientOptions& child) {
  auto buffers = job.binding.buffers;
  std::erase_if(buffers, [](const auto& one) { return one.role == runner::BufferRole::workspace; });
  runner::Client control(child);
  control.probe(runner::Client::Seconds(kHandOverLimit));
  place_case(control, buffers, job.inputs, 0);
}

}  // namespace

Error tried_twice(const Error& second, const std::string& first) {
  const bool same = first == second.what() || first == second.fact();
  return {second.kind(), second.subject(),
          fmt::format("tried twice: {}{}", second.fact(), same ? "" : fmt::format(" (at first: {})", first)),
          second.hint()};
}

Worker::Ran run_with_second_try(Worker& worker, const RunJob& job, const runner::ClientOptions& child,
                                std::vector<std::string>& notes) {
  Attempt first = attempt(worker, job);
  if (first.settled()) return std::move(*first.ran);
  Attempt second = attempt(worker, job);
  if (second.settled()) {
    notes.push_back(fmt::format("tried twice: at first {}", first.words()));
    return std::move(*second.ran);
  }
  const Error machine = second.error ? *second.error
                                     : Error(ErrorKind::environment, "kgate-runner", second.words(),
                                             "look for the out-of-memory killer in the system's log");
  if (!may_be_the_kernels(second, worker, job, child)) throw tried_twice(machine, first.words());
  try {
    try_without_kernel(job, child);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    throw tried_twice(machine, first.words());
  }
  Worker::Ran ran;
  ran.report.outcome = {
      false, false,
      second.died ? second.words() + ", in two processes; without the kernel neither ends" : second.words()};
  return ran;
}

}  // namespace kgate::verdict
