#include "fingerprint/nvrtc_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <gelf.h>
#include <libelf.h>
#include <unistd.h>

namespace kgate::fingerprint {
namespace {

struct Descriptor {
  explicit Descriptor(const std::string& path) : number(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int number;
};

struct End {
  void operator()(Elf* elf) const { ::elf_end(elf); }
};

// A section's bytes where they lie in the mapped file: only what is looked at is read from disk.
std::string_view bytes_of(Elf* elf, const GElf_Shdr& header) {
  std::size_t size = 0;
  const char* file = ::elf_rawfile(elf, &size);
  if (file == nullptr || header.sh_offset > size || header.sh_size > size - header.sh_offset) return {};
  return {file + header.sh_offset, header.sh_size};
}

// The description of the note "GNU" of type NT_GNU_BUILD_ID.
std::string build_id_in(std::string_view notes) {
  constexpr std::size_t kHeader = sizeof(GElf_Nhdr);
  GElf_Nhdr note{};
  if (notes.size() < kHeader + 4) return {};
  std::memcpy(&note, notes.data(), kHeader);
  if (note.n_type != NT_GNU_BUILD_ID || note.n_namesz != 4 || note.n_descsz == 0) return {};
  if (notes.size() - kHeader - 4 < note.n_descsz) return {};
  std::string hex;
  for (const char c : notes.substr(kHeader + 4, note.n_descsz))
    hex += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return hex;
}

// "Cuda compilation tools, release 13.0, V13.0.88" -> "13.0.88". The format that prints such lines is in the library
// too.
std::string release_in(std::string_view text) {
  constexpr std::string_view kMark = "Cuda compilation tools, release ";
  const auto is_version = [](char c) { return c == '.' || (c >= '0' && c <= '9'); };
  // 13 MB are looked through: a searcher that skips.
  const std::boyer_moore_horspool_searcher mark(kMark.begin(), kMark.end());
  for (auto at = std::search(text.begin(), text.end(), mark); at != text.end();
       at = std::search(at + 1, text.end(), mark)) {
    const auto place = static_cast<std::size_t>(at - text.begin());
    const std::string_view line = text.substr(place + kMark.size(), 64);
    const auto release = line.find(", V");
    if (release == std::string_view::npos ||
        !std::all_of(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(release), is_version))
      continue;
    const std::string_view rest = line.substr(release + 3);
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_version);
    if (end != rest.begin()) return std::string(rest.begin(), end);
  }
  return {};
}

}  // namespace

NvrtcFile read_nvrtc_file(const std::string& path) {
  const auto nothing = [](const std::string& why) {
    return NvrtcFile{"unknown, because " + why, "unknown, because " + why};
  };
  if (path.empty()) return nothing("no libnvrtc.so was found");
  const Descriptor file(path);
  if (file.number < 0) return nothing(fmt::format("{} cannot be opened: {}", path, std::strerror(errno)));
  ::elf_version(EV_CURRENT);
  const std::unique_ptr<Elf, End> elf(::elf_begin(file.number, ELF_C_READ_MMAP, nullptr));
  std::size_t names = 0;
  if (!elf || ::elf_kind(elf.get()) != ELF_K_ELF || ::elf_getshdrstrndx(elf.get(), &names) != 0)
    return nothing(path + " is no ELF file");
  NvrtcFile found;
  for (Elf_Scn* section = ::elf_nextscn(elf.get(), nullptr); section != nullptr;
       section = ::elf_nextscn(elf.get(), section)) {
    GElf_Shdr header{};
    if (::gelf_getshdr(section, &header) == nullptr) continue;
    const char* name = ::elf_strptr(elf.get(), names, header.sh_name);
    if (name == nullptr) continue;
    if (header.sh_type == SHT_NOTE && found.build_id.empty()) found.build_id = build_id_in(bytes_of(elf.get(), header));
    if (std::string_view(name).starts_with(".rodata") && found.ptxas.empty())
      found.ptxas = release_in(bytes_of(elf.get(), header));
  }
  if (found.build_id.empty()) found.build_id = "unknown, because the library holds no build ID";
  if (found.ptxas.empty()) found.ptxas = "unknown, because the library does not name the release of its ptxas";
  return found;
}

}  // namespace kgate::fingerprint
