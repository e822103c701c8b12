#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/interrupt.h"
#include "gate/cases/kernel_spec.h"
#include "gate/verdict/subject/subject.h"
#include "runner/client.h"

namespace kgate::verdict {

// A version's or a reference's code for one device, compiled.
using Artifact = std::shared_ptr<const runner::Compiled>;

struct CompilerOptions {
  runner::ClientOptions child;  // without a device, and with `compiles`
  runner::ToolkitPaths toolkit;
  std::string toolkit_identity;  // versions and library digests: part of the cache's key
  std::string architecture;      // "sm_90"; empty on the host
  double timeout_s = 120;
  unsigned parallel = 1;        // children at once
  std::filesystem::path cache;  // folder of compiled code by content; empty: none
};

// What there is to compile: a set of sources with their files, and the entries that are launched.
struct Source {
  const cases::SourceSet* set = nullptr;
  const std::map<std::string, Bytes>* files = nullptr;
  std::vector<std::string> entries;
};

// Compiles what is asked for once, in parallel, each child hermetic; keeps results in a cache that is addressed by
// everything that goes in. An entry of the cache that does not read back whole is compiled anew. Order of results as of
// sources. `on_compiled` hears of each source as soon as its code is known, from several threads; what it throws ends
// the rest. Throws Error(environment) where there is no compiler; what does not compile is a result.
using OnCompiled = std::function<void(std::size_t source, const Artifact& code)>;
std::vector<Artifact> compile_all(const std::vector<Source>& sources, const CompilerOptions& options,
                                  const OnCompiled& on_compiled = {});

}  // namespace kgate::verdict
