#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/error.h"

// What judge and child say to each other about the child's sandbox; how it is made is in runner/child/sandbox.h, what
// it holds and what it does not in docs/sandbox.md.
namespace kgate::runner {

// In the policy's order, weakest first. seccomp: no network, no other process, no new privileges, limits; a kernel can
// write and execute nothing, but read what its user can. landlock: that, and nothing can be read but what is listed.
enum class SandboxLevel { none, seccomp, landlock };

const char* name_of(SandboxLevel level);
// Throws Error(usage) for a word that name_of never returned.
SandboxLevel sandbox_level_from_name(const std::string& name);

struct SandboxWish {
  SandboxLevel most = SandboxLevel::landlock;  // less than the machine could: for people who look for a fault
  SandboxLevel least = SandboxLevel::none;     // a child that reaches less answers every request with an error
};

struct SandboxReport {
  SandboxLevel level = SandboxLevel::none;
  std::uint32_t landlock_abi = 0;  // in force; 0: none
  std::string note;                // why the level is less than landlock; empty: it is not
  std::string relaxed;             // what this build of the child leaves open within its level; empty: nothing
};

// What came of trying something inside a sandbox.
struct SandboxProbe {
  std::string what;
  int error = 0;       // 0: it went; kNotThere: there is nothing to try it on; else the errno
  std::string needed;  // why this kind of child may do it; empty: it need not
};
constexpr int kNotThere = -1;

// Everything that was tried in one child.
struct SandboxTrial {
  std::vector<SandboxProbe> probes;
  std::vector<std::string> limits;  // "open files: 1024"
  bool used_device = false;         // a child that measures opens its device and runs a kernel on it
  std::string trouble;              // why the device could not be used; empty: it could
};

// Error(environment) for a child that reached less than `least`.
Error weaker_sandbox(const SandboxReport& report, SandboxLevel least);

}  // namespace kgate::runner
