#include "runner/child/paths.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "runner/child/sanitized.h"
#include "runner/cuda/driver_folder.h"

namespace kgate::runner {
namespace {

namespace fs = std::filesystem;
using landlock::kControl;
using landlock::kCreate;
using landlock::kExecute;
using landlock::kRead;
using landlock::kWrite;
using landlock::PathRule;
using Rules = std::vector<PathRule>;

constexpr const char* kMachine = "how much memory and how many CPUs there are";

void add(Rules& rules, std::initializer_list<std::string> paths, unsigned access, const char* why) {
  for (const std::string& path : paths) {
    if (!path.empty()) rules.push_back({path, access, why});
  }
}

// Figures that glibc, the C++ library, NVRTC and the host backend size themselves by.
void add_machine(Rules& rules) {
  add(rules,
      {"/proc/meminfo", "/proc/cpuinfo", "/sys/devices/system/cpu", "/sys/fs/cgroup/memory.max",
       "/sys/fs/cgroup/memory.current"},
      kRead, kMachine);
}

bool starts_with(const std::string& text, std::string_view start) {
  return text.compare(0, start.size(), start) == 0;
}

void add_libraries(Rules& rules, unsigned access) {
  add(rules, {"/lib", "/lib64", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/local/lib", "/etc/ld.so.cache"}, access,
      "the system's libraries");
}

fs::path real(const fs::path& path) {
  std::error_code failed;
  const fs::path found = fs::canonical(path, failed);
  return failed ? path : found;
}

// The compiler starts these by name. The folder that holds them holds much else, so each is named.
void add_programs(Rules& rules, const fs::path& folder, const std::string& target) {
  static constexpr std::array<const char*, 14> kTools{"as",  "ld",       "ld.bfd",  "ld.gold", "ld.lld",
                                                      "lld", "collect2", "g++",     "gcc",     "c++",
                                                      "cc",  "clang",    "clang++", "ccache"};
  std::error_code ignored;
  const auto grant = [&](const fs::path& path) {
    if (fs::exists(path, ignored)) rules.push_back({path.string(), kRead | kExecute, "the compiler's programs"});
  };
  for (const char* const tool : kTools) {
    grant(folder / tool);
    if (!target.empty()) grant(folder / (target + tool));
  }
}

// A program can be a script that starts the real one: its interpreter ("#!/bin/sh", "#!/usr/bin/env bash"), and what
// lies beside it under its name and more ("g++-real").
void add_wrapper(Rules& rules, const fs::path& program) {
  constexpr unsigned kRun = kRead | kExecute;
  constexpr const char* kWhy = "the program is a script";
  std::string line;
  std::ifstream script(program);
  if (script.get() != '#' || script.get() != '!' || !std::getline(script, line)) return;
  std::istringstream words(line);
  std::string interpreter, name;
  words >> interpreter >> name;
  rules.push_back({real(interpreter).string(), kRun, kWhy});
  if (fs::path(interpreter).filename() == "env" && !name.empty())
    rules.push_back({real("/usr/bin/" + name).string(), kRun, kWhy});
  std::error_code ignored;
  const std::string own = program.filename().string();
  for (fs::directory_iterator entry(program.parent_path(), ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    if (starts_with(entry->path().filename().string(), own)) rules.push_back({entry->path().string(), kRun, kWhy});
  }
}

// "/opt/gcc-14/bin/x86_64-linux-gnu-g++" keeps its files in /opt/gcc-14/lib and so on. Not the whole of /opt/gcc-14:
// a compiler in ~/bin would open the home folder.
void add_compiler(Rules& rules, const std::string& compiler) {
  for (const fs::path& program : {fs::path(compiler), real(compiler)}) {
    rules.push_back({program.string(), kRead | kExecute, "the compiler"});
    add_wrapper(rules, program);
    const std::string name = program.filename().string();
    const std::string target = name.substr(0, name.rfind('-') == std::string::npos ? 0 : name.rfind('-') + 1);
    add_programs(rules, program.parent_path(), target);
    const fs::path prefix = program.parent_path().parent_path();
    if (program.parent_path().filename() != "bin" || prefix == "/" || prefix == "/usr") continue;
    for (const char* const part : {"lib", "lib64", "libexec", "include"})
      rules.push_back({(prefix / part).string(), kRead | kExecute, "the compiler's own files"});
    if (!target.empty())
      rules.push_back(
          {(prefix / target.substr(0, target.size() - 1)).string(), kRead | kExecute, "the compiler's own files"});
  }
  for (const char* const folder : {"/usr/bin", "/bin", "/usr/local/bin"}) add_programs(rules, folder, "");
  add(rules, {"/usr/include", "/usr/local/include"}, kRead, "the system's headers");
  add(rules, {"/usr/libexec"}, kRead | kExecute, "the compiler's own files");
}

void add_compiling(Rules& rules, const Role& role) {
  add(rules, {role.folder.string()}, kRead | kWrite | kCreate, "where the job is staged and its object is made");
  add(rules, {"/dev/null"}, kRead | kWrite, "what is not wanted goes there");
  add(rules, {"/dev/urandom"}, kRead, "names of temporary files");
  if (!role.toolkit.disassembler.empty()) {
    add_libraries(rules, kRead | kExecute);
    for (const fs::path& program : {fs::path(role.toolkit.disassembler), real(role.toolkit.disassembler)}) {
      rules.push_back({program.string(), kRead | kExecute, "the disassembler"});
      add_wrapper(rules, program);
    }
    return;
  }
  if (!role.cuda()) {
    add_libraries(rules, kRead | kExecute);
    add_compiler(rules, role.toolkit.host_compiler);
    return;
  }
  add_libraries(rules, kRead);
  for (const std::string& folder : role.toolkit.include_dirs) rules.push_back({folder, kRead, "the toolkit's headers"});
  if (!role.toolkit.nvrtc.empty())
    rules.push_back({real(role.toolkit.nvrtc).parent_path().string(), kRead, "NVRTC's libraries"});
}

void add_entries(Rules& rules, const char* folder, std::string_view start, unsigned access, const char* why) {
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (starts_with(entry->path().filename().string(), start)) rules.push_back({entry->path().string(), access, why});
  }
}

// NVIDIA's, where they lie elsewhere than below /sys/devices/pci*, as on some virtual machines and on ARM.
void add_pci_devices(Rules& rules) {
  std::error_code ignored;
  for (fs::directory_iterator entry("/sys/bus/pci/devices", ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    std::string vendor;
    std::ifstream(entry->path() / "vendor") >> vendor;
    if (vendor == "0x10de") rules.push_back({real(entry->path()).string(), kRead, "where the GPU is on the bus"});
  }
}

// What NVIDIA's user-space driver opens when it starts and runs kernels. It is not documented: this is what users
// report and what the profiles of other sandboxes grant. A denied thread name alone ends cuInit with error 304.
void add_driver(Rules& rules) {
  add_libraries(rules, kRead);
  add(rules, {cuda::driver_folder(), "/usr/local/nvidia", "/usr/share/nvidia", "/etc/nvidia"}, kRead,
      "the driver's libraries and settings");
  // /dev/nvidia0, nvidiactl, nvidia-uvm, nvidia-uvm-tools, nvidia-caps/ ...; under WSL dxg.
  add_entries(rules, "/dev", "nvidia", kRead | kWrite | kControl, "the GPU");
  add(rules, {"/dev/dxg"}, kRead | kWrite | kControl, "the GPU");
  add(rules,
      {"/proc/driver/nvidia", "/proc/driver/nvidia-uvm", "/proc/driver/nvidia-caps", "/proc/devices", "/proc/modules",
       "/proc/version", "/proc/filesystems", "/proc/stat", "/proc/self"},
      kRead, "what the driver asks about itself");
  add(rules, {"/proc/self/task"}, kRead | kWrite, "the driver names its threads");
  add(rules,
      {"/proc/sys/vm", "/proc/sys/kernel/osrelease", "/proc/sys/kernel/numa_balancing", "/sys/devices/system",
       "/sys/kernel/mm"},
      kRead, kMachine);
  add(rules, {"/sys/bus/pci"}, kRead, "where the GPU is on the bus");
  add_entries(rules, "/sys/module", "nvidia", kRead, "the driver's settings");
  add_entries(rules, "/sys/devices", "pci", kRead, "where the GPU is on the bus");
  add_pci_devices(rules);
  add(rules, {"/dev/null", "/dev/zero"}, kRead | kWrite, "what is not wanted goes there");
  add(rules, {"/dev/urandom"}, kRead, "random numbers");
  add(rules, {real("/proc/self/exe").string()}, kRead, "which program it is");
}

}  // namespace

std::vector<landlock::PathRule> paths_for(const Role& role) {
  Rules rules;
  add_machine(rules);
  if (role.compiles) {
    add_compiling(rules, role);
  } else if (role.cuda()) {
    add_driver(rules);
  }
  if (kSanitizer != nullptr) {
    add_libraries(rules, kRead);
    add(rules, {"/proc/self", real("/proc/self/exe").string()}, kRead, "the sanitizer's reports");
  }
  return rules;
}

}  // namespace kgate::runner
