#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/dtype.h"

// What the judge asks of a child, with every expression already worked out: the runner knows nothing of kernel.toml or
// cases.toml.
namespace kgate::runner {

// Where the CUDA toolkit is. The judge finds it (fingerprint/toolkit.h); the child, whose environment is empty, is
// told.
struct ToolkitPaths {
  std::string nvrtc;                      // path of libnvrtc.so.*; empty: there is none
  std::vector<std::string> include_dirs;  // the toolkit's own headers, with CUB and libcu++
  std::string host_compiler;              // path of the C++ compiler of the host backend; empty: there is none
  std::string disassembler = {};          // path of nvdisasm, for a child that uses it in place of a compiler
};

struct CompileJob {
  std::string backend;                    // "cuda" or "host"
  std::map<std::string, Bytes> files;     // path from the repository's root -> content; nothing else can be included
  std::vector<std::string> sources;       // paths in `files`, compiled in this order as one translation unit
  std::vector<std::string> include_dirs;  // folders of the repository
  std::string standard = "c++17";
  std::vector<std::string> options;            // already checked against the policy
  std::map<std::string, std::string> defines;  // name -> value
  std::vector<std::string> entries;            // "softmax" or "softmax<256>", defines substituted
  std::string architecture;                    // "sm_90"; empty on the host
  ToolkitPaths toolkit;
};

// What came of it. A source that does not compile is a finding, not an Error; a missing compiler is an
// Error(environment).
struct Compiled {
  enum class Status { ok, failed, unsupported };  // unsupported: beyond what this backend can do; the log says what
  Status status = Status::failed;
  std::string log;                             // the compiler's words, file names as in the repository, at most 64 KiB
  Bytes code;                                  // a cubin, or a shared object of the host backend
  std::map<std::string, std::string> symbols;  // entry -> its name in `code`
  int warnings = 0;
};

// Machine code as text, in the words of nvdisasm.
struct Disassembly {
  std::string text;
  std::string trouble;  // why it is not there, or not whole; empty: it is
};

enum class BufferRole { input, output, inout, workspace };

struct Buffer {
  std::string name;
  BufferRole role = BufferRole::input;
  DType dtype = DType::f32;
  std::uint64_t bytes = 0;
  // What it holds before each launch sequence. Inputs and inouts have content (written once with `write`); outputs are
  // poisoned, or zeroed where the interface says so; workspaces are poisoned, or zeroed as part of the timed work (it
  // is the candidate's cost).
  bool zeroed = false;
};

struct Argument {
  std::optional<std::uint32_t> buffer;  // index into the buffers of the allocation
  Bytes scalar;                         // or the value itself, little-endian
};

struct Launch {
  std::string entry;
  // The loaded arm whose machine code has the entry; absent: the arm's own. So one arm can launch what was compiled
  // apart from it, as a delay of a known size.
  std::optional<std::uint32_t> code = std::nullopt;
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> block{1, 1, 1};
  std::uint32_t shared_bytes = 0;  // dynamic shared memory
  std::optional<std::array<std::uint32_t, 3>> cluster;
  bool cooperative = false;
  std::vector<Argument> arguments;
};

// One version of a kernel, ready to be launched. Equal code and launches make equal arms.
using Launches = std::vector<Launch>;

struct Resources {
  std::uint32_t registers = 0;     // a thread
  std::uint32_t shared_bytes = 0;  // static, a block
  std::uint32_t spill_bytes = 0;   // local memory, a thread
  std::uint64_t code_bytes = 0;    // the whole artifact
};

struct LoadJob {
  std::uint32_t arm = 0;  // the number by which run and time name it; loading again replaces it
  Bytes code;
  std::map<std::string, std::string> symbols;
};

// How running ended. `ok` false is a finding about the kernel: an illegal address, a launch over the limits, a trap.
struct RunOutcome {
  bool ok = true;
  bool unsupported = false;  // the backend cannot run this at all (host: what its subset leaves out)
  std::string fault;
};

// For each entry its resources, and the sizes of its parameters in bytes where the backend can tell.
struct Loaded {
  RunOutcome outcome;  // not ok: loading it ended the child (a host arm's constructors crashed)
  std::map<std::string, Resources> resources;
  std::map<std::string, std::vector<std::uint32_t>> parameter_bytes;
};

struct Allocation {
  std::vector<Buffer> buffers;
  std::uint64_t pool_bytes = 0;  // for timing: where buffers are placed anew for each block; 0: none
};

// How many contents the inputs and inouts can have: variant 0, which `run` and batches use, and further ones, which the
// fresh regime draws from as well.
constexpr std::uint32_t kMostVariants = 8;

// Names the buffer that a content is for; the content travels beside it.
struct WriteJob {
  std::uint32_t buffer = 0;
  std::uint32_t variant = 0;
};

// What the child sees after a run, beside the outputs.
struct GuardReport {
  std::uint32_t buffer = 0;
  std::string finding;  // "wrote 4 bytes past its end, first at byte +0", "changed its input, first at element 17"
};

enum class Placement { any, segment, fixed };  // 4 KiB steps, 2 MiB steps, one place
enum class CacheState { warm, cold };

struct TimedArm {
  std::uint32_t arm = 0;
  Launches launches;
  // Launched once at the end of each sample, inside the timed part: how a slowdown of known size is planted. Nothing of
  // `run`.
  Launches tail = {};
};

// batch: as many launches as last about sample_us between two events, on the same inputs; single launches from about 50
// us on. fresh: single launches, each on a variant of the inputs that the launch before did not see.
enum class Regime { batch, fresh };
constexpr double kLongestStretchMs = 10000;

struct TimeJob {
  std::vector<TimedArm> arms;
  std::uint32_t blocks = 8;
  std::uint32_t launches_per_sample = 0;  // 0: found by a pilot, so that a sample lasts about sample_us
  double sample_us = 350;
  Placement placement = Placement::any;
  CacheState cache = CacheState::warm;
  std::uint64_t seed = 0;         // of orders and places
  std::uint64_t first_block = 0;  // blocks of this process timed before: the streams go on
  Regime regime = Regime::batch;
  // 0: none. Else a sample's work is repeated for at least so long and its mean taken: arms that alternate quickly
  // share their heat, so at the power cap one arm's clock depends on the other. At most kLongestStretchMs.
  double stretch_ms = 0;
  // Numbers of blocks of this job, ascending, whose samples are checked: outputs are poisoned and red zones laid before
  // every arm's sample, and what the block's last arm left behind is looked at.
  std::vector<std::uint32_t> checked = {};
  std::uint64_t looks = 0;    // the secret of where large buffers are looked at: looked_at.h
  bool check_inputs = false;  // in the last of them inputs are looked at as well
  // Index of the arm of which one sample, the first that comes last in a checked block, is looked at whole, and inputs
  // with it: a version may have most of its work in few bytes.
  std::optional<std::uint32_t> whole = std::nullopt;
  // Index of the arm whose outputs are kept whole, for `read`: of the last checked block in which it came last.
  std::optional<std::uint32_t> keep = std::nullopt;
};

// What the last launch of a checked sample left behind.
struct CheckedSample {
  std::uint32_t arm = 0;      // index in the job
  std::uint32_t block = 0;    // number in the job
  std::uint32_t variant = 0;  // the content that the launch saw
  bool kept = false;          // `read` gives its outputs
  // By buffer, digest_of_looked: outputs and inouts, and inputs where the job says so.
  std::map<std::uint32_t, std::string> digests = {};
  std::map<std::uint32_t, std::string> wholes = {};  // digest_of_whole, where the job asks for that
  std::vector<GuardReport> guards = {};
};

struct TimeOutcome {
  RunOutcome run;
  std::uint32_t launches_per_sample = 0;  // of one repetition in a stretch; in the fresh regime: repeats
  // "graph" ("batch" on the host): launches back to back; "single": one launch; "fresh": one launch on new inputs.
  std::string regime;
  bool moved = true;                    // false: the pool could not hold the buffers, they stayed at their home places
  std::vector<std::vector<double>> us;  // [arm][block]: microseconds a launch sequence
  std::vector<CheckedSample> checked;   // one for each checked block, in order
};

struct DeviceInfo {
  std::string backend;       // "cuda" or "host"
  std::string name;          // "NVIDIA H200"
  std::string uuid;          // "GPU-..."; empty on the host
  std::string architecture;  // "sm_90"; the machine's name on the host
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0, free_bytes = 0, l2_bytes = 0;
  int driver_api = 0;  // 13000 is 13.0
  std::uint32_t max_shared_bytes = 0;
};

}  // namespace kgate::runner
