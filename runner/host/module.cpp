#include "runner/host/module.h"

#include <cerrno>
#include <cstring>
#include <string>

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "runner/host/fibers.h"

namespace kgate::runner::host {
namespace {

std::string loader_message() {
  const char* const message = ::dlerror();
  return message != nullptr ? message : "unknown failure";
}

UniqueFd memory_file(ByteView content) {
  UniqueFd file(::memfd_create("kgate-kernel", MFD_CLOEXEC));
  if (!file) throw system_error("host backend", "cannot make a file in memory", errno);
  for (std::size_t written = 0; written < content.size();) {
    const ssize_t count = ::write(file.get(), content.data() + written, content.size() - written);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) throw system_error("host backend", "cannot write a file in memory", errno);
    written += static_cast<std::size_t>(count);
  }
  return file;
}

template <typename T>
bool read_at(ByteView bytes, std::uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

}  // namespace

std::uint64_t zeroed_thread_bytes(ByteView object) {
  Elf64_Ehdr header{};
  if (!read_at(object, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return 0;
  std::uint64_t bytes = 0;
  for (std::uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section{};
    if (!read_at(object, header.e_shoff + i * header.e_shentsize, section)) return bytes;
    if ((section.sh_flags & SHF_TLS) != 0 && section.sh_type == SHT_NOBITS) bytes += section.sh_size;
  }
  return bytes;
}

Module::Module(const LoadJob& job) : file_(memory_file(job.code)), code_bytes_(job.code.size()) {
  handle_ = ::dlopen(fmt::format("/proc/self/fd/{}", file_.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ == nullptr) {
    throw Error(ErrorKind::environment, "host backend", "cannot load the compiled kernel: " + loader_message(),
                "compile it again on this machine");
  }
  try {
    auto* const bound = static_cast<const kgate_host_services**>(::dlsym(handle_, "kgate_host_bound"));
    if (bound == nullptr) {
      throw Error(ErrorKind::environment, "host backend", "the object is not a kernel of kgate's host backend",
                  "compile it with this kgate");
    }
    *bound = &BlockRunner::services();
    for (const auto& [entry, symbol] : job.symbols) {
      const auto* const found = static_cast<const kgate_host_entry*>(::dlsym(handle_, symbol.c_str()));
      if (found == nullptr)
        throw Error(ErrorKind::usage, fmt::format("entry \"{}\"", entry),
                    fmt::format("the object has no symbol {}", symbol));
      entries_[entry] = found;
    }
  } catch (...) {
    ::dlclose(handle_);
    throw;
  }
  shared_bytes_ = static_cast<std::uint32_t>(zeroed_thread_bytes(job.code));
}

Module::~Module() {
  ::dlclose(handle_);
}

const kgate_host_entry* Module::entry(const std::string& name) const {
  const auto found = entries_.find(name);
  return found == entries_.end() ? nullptr : found->second;
}

Loaded Module::description() const {
  Loaded loaded;
  for (const auto& [name, entry] : entries_) {
    Resources resources;
    resources.shared_bytes = shared_bytes_;
    resources.code_bytes = code_bytes_;
    loaded.resources[name] = resources;
    loaded.parameter_bytes[name] = {entry->parameter_bytes, entry->parameter_bytes + entry->parameters};
  }
  return loaded;
}

}  // namespace kgate::runner::host
