#include "gate/lint/device_variables.h"

#include <array>
#include <string_view>

#include <fmt/format.h>

#include "gate/lint/elf_symbols.h"
#include "gate/lint/ptx_variables.h"

namespace kgate::lint {
namespace {

// Where a linker or NVIDIA's assembler puts variables that can be written. Shared memory, constant banks and tables
// that are read-only after relocation (.data.rel.ro) lie elsewhere.
bool holds_variables(const std::string& section) {
  static constexpr std::array<std::string_view, 4> kSections{".nv.global", ".nv.global.init", ".bss", ".data"};
  for (const std::string_view name : kSections) {
    // ".bss.counter", where every variable has a section of its own.
    if (section == name ||
        (section.starts_with(name) && section[name.size()] == '.' && !section.starts_with(".data.rel.ro")))
      return true;
  }
  return false;
}

Finding unreadable(const std::string& why) {
  return {kDeviceVariables, "machine code", "it cannot be looked through for variables: " + why, false};
}

std::string size_of(std::uint64_t bytes) {
  return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s");
}

Findings in_elf(ByteView code) {
  const ElfSymbols elf = read_elf_symbols(code);
  Findings findings;
  if (!elf.trouble.empty()) return {unreadable(elf.trouble)};
  for (const ElfObject& object : elf.objects) {
    if (!object.writable || !holds_variables(object.section)) continue;
    findings.push_back({kDeviceVariables, object.section,
                        fmt::format("{}, {}", readable_name(object.name), size_of(object.bytes)), false});
  }
  return findings;
}

}  // namespace

Findings device_variables(ByteView code) {
  const std::string_view text = text_of(code);
  if (text.starts_with("\x7f"
                       "ELF"))
    return in_elf(code);
  // The assembler wants this directive before all others, after comments.
  if (text.find(".version") == std::string_view::npos) return {unreadable("it is neither ELF nor PTX")};
  Findings findings;
  for (const PtxVariable& variable : ptx_variables(text)) {
    findings.push_back(
        {kDeviceVariables, fmt::format("PTX, line {}", variable.line), readable_name(variable.name), false});
  }
  return findings;
}

}  // namespace kgate::lint
