#include "gate/lint/elf_symbols.h"

#include <cstdlib>
#include <memory>
#include <string_view>

#include <cxxabi.h>
#include <gelf.h>
#include <libelf.h>

namespace kgate::lint {
namespace {

// Files of the C runtime that every shared object is linked with; their few variables are nobody's kernel's.
bool is_start_file(std::string_view name) {
  return name.starts_with("crt");
}

std::string text(const char* value) {
  return value != nullptr ? value : "";
}

class Reader {
 public:
  // libelf may write to what it reads: a copy.
  explicit Reader(ByteView file) : bytes_(file.begin(), file.end()) {
    if (::elf_version(EV_CURRENT) == EV_NONE) return;
    elf_.reset(::elf_memory(reinterpret_cast<char*>(bytes_.data()), bytes_.size()));
  }

  ElfSymbols read() {
    ElfSymbols found;
    if (!elf_ || ::elf_kind(elf_.get()) != ELF_K_ELF || ::elf_getshdrstrndx(elf_.get(), &names_) != 0) {
      found.trouble = "its ELF headers do not hold";
      return found;
    }
    bool table = false;
    for (Elf_Scn* section = ::elf_nextscn(elf_.get(), nullptr); section != nullptr;
         section = ::elf_nextscn(elf_.get(), section)) {
      GElf_Shdr header{};
      if (::gelf_getshdr(section, &header) == nullptr || header.sh_type != SHT_SYMTAB) continue;
      table = true;
      read_table(section, header, found);
    }
    if (!table) found.trouble = "its symbol table was stripped";
    return found;
  }

 private:
  void read_table(Elf_Scn* section, const GElf_Shdr& header, ElfSymbols& found) {
    Elf_Data* const data = ::elf_getdata(section, nullptr);
    if (data == nullptr || header.sh_entsize == 0) {
      found.trouble = "its symbol table does not hold";
      return;
    }
    const auto count = static_cast<int>(data->d_size / header.sh_entsize);
    bool ours = true;
    for (int i = 0; i < count; ++i) {
      GElf_Sym symbol{};
      if (::gelf_getsym(data, i, &symbol) == nullptr) return;
      const std::string name = text(::elf_strptr(elf_.get(), header.sh_link, symbol.st_name));
      // A file's name stands before its local symbols.
      if (GELF_ST_TYPE(symbol.st_info) == STT_FILE) ours = !is_start_file(name);
      if (GELF_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_size == 0 || !ours) continue;
      Elf_Scn* const home = symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= SHN_LORESERVE
                                ? nullptr
                                : ::elf_getscn(elf_.get(), symbol.st_shndx);
      GElf_Shdr place{};
      if (home == nullptr || ::gelf_getshdr(home, &place) == nullptr) continue;
      found.objects.push_back({name, text(::elf_strptr(elf_.get(), names_, place.sh_name)), symbol.st_size,
                               (place.sh_flags & SHF_WRITE) != 0});
    }
  }

  struct End {
    void operator()(Elf* elf) const { ::elf_end(elf); }
  };

  Bytes bytes_;
  std::unique_ptr<Elf, End> elf_;
  std::size_t names_ = 0;
};

}  // namespace

ElfSymbols read_elf_symbols(ByteView file) {
  return Reader(file).read();
}

std::string readable_name(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> words(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                          &std::free);
  // Nothing else would be taken for a name of C++: "i" is a type to the demangler.
  if (status != 0 || !name.starts_with("_Z")) return name;
  std::string readable = words.get();
  constexpr std::string_view kUnit = "_INTERNAL_", kEnd = "::";
  if (readable.starts_with(kUnit)) {
    const auto end = readable.find(kEnd);
    if (end != std::string::npos) readable.erase(0, end + kEnd.size());
  }
  return readable;
}

}  // namespace kgate::lint
