#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/bytes.h"

namespace kgate::lint {

// A variable of a compiled file.
struct ElfObject {
  std::string name;     // as it stands there, mangled
  std::string section;  // ".nv.global"
  std::uint64_t bytes = 0;
  bool writable = false;
};

struct ElfSymbols {
  std::vector<ElfObject> objects;
  std::string trouble;  // why it cannot be told; empty: it can
};

// The variables (symbols of type OBJECT) that an ELF file defines: a cubin, a shared object. Those of the C runtime's
// own start files are left out. Never throws for what is in the file: it comes from the change.
ElfSymbols read_elf_symbols(ByteView file);

// "_ZN12_GLOBAL__N_17counterE" -> "(anonymous namespace)::counter"; names that are not mangled stay. The name of the
// translation unit, which NVIDIA's compiler puts around file-local variables, is left out.
std::string readable_name(const std::string& name);

}  // namespace kgate::lint
