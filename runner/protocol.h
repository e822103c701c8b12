#pragma once

#include "base/error.h"
#include "base/json.h"
#include "runner/job.h"
#include "runner/sandbox.h"

// The bodies of the messages: docs/protocol.md, "Requests". Decoding throws Error(internal, "runner protocol", ...) for
// a missing key, a wrong type or a number out of range; each side treats the other's bytes as unchecked input.
namespace kgate::runner {

constexpr int kProtocolVersion = 1;

Json encode(const CompileJob& job);
Json encode(const Compiled& compiled);
Json encode(const Disassembly& disassembly);
Json encode(const LoadJob& job);
Json encode(const Loaded& loaded);
Json encode(const Allocation& allocation);
Json encode(const WriteJob& job);
Json encode(const TimedArm& arm);
Json encode(const RunOutcome& outcome);
Json encode(const std::vector<GuardReport>& reports);
Json encode(const TimeJob& job);
Json encode(const TimeOutcome& outcome);
Json encode(const DeviceInfo& info);
Json encode(const SandboxReport& report);
Json encode(const SandboxTrial& trial);
Json encode(const Error& error);

CompileJob decode_compile_job(const Json& body);
Compiled decode_compiled(const Json& body);
Disassembly decode_disassembly(const Json& body);
LoadJob decode_load_job(const Json& body);
Loaded decode_loaded(const Json& body);
Allocation decode_allocation(const Json& body);
WriteJob decode_write_job(const Json& body);
TimedArm decode_timed_arm(const Json& body);
RunOutcome decode_run_outcome(const Json& body);
std::vector<GuardReport> decode_guard_reports(const Json& body);
TimeJob decode_time_job(const Json& body);
TimeOutcome decode_time_outcome(const Json& body);
DeviceInfo decode_device_info(const Json& body);
// Of a reply that says nothing about a sandbox: none.
SandboxReport decode_sandbox_report(const Json& reply);
SandboxTrial decode_sandbox_trial(const Json& body);
Error decode_error(const Json& body);

}  // namespace kgate::runner
