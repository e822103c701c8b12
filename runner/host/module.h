#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/unique_fd.h"
#include "runner/host/include/kgate_host_abi.h"
#include "runner/job.h"

namespace kgate::runner::host {

// A kernel's shared object, loaded from memory and bound to the services. Two modules of the same symbols do not see
// each other.
class Module {
 public:
  // Throws Error(environment) where the object cannot be loaded here, Error(usage) for a symbol that it lacks.
  explicit Module(const LoadJob& job);
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  ~Module();

  // Null where there is no such entry.
  const kgate_host_entry* entry(const std::string& name) const;
  std::size_t entries() const { return entries_.size(); }
  // Static shared memory of all entries together; exact where there is one.
  std::uint32_t shared_bytes() const { return shared_bytes_; }
  Loaded description() const;

 private:
  UniqueFd file_;  // open for as long as the object is loaded: the loader knows objects by their path, and this one's
                   // has the descriptor in it
  void* handle_ = nullptr;
  std::map<std::string, const kgate_host_entry*> entries_;
  std::uint32_t shared_bytes_ = 0;
  std::uint64_t code_bytes_ = 0;
};

// Size of the section .tbss of an ELF object, which is where __shared__ variables live; 0 where it has none or is no
// ELF object.
std::uint64_t zeroed_thread_bytes(ByteView object);

}  // namespace kgate::runner::host
