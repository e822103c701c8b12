#include "tests/attacks/folder.h"

#include <fstream>

#include <sys/stat.h>

#include "base/file.h"
#include "tests/support/catch.h"

namespace fs = std::filesystem;

std::string Folder::read(const std::string& path) const {
  return std::string(kgate::text_of(kgate::read_file(at(path), 64 << 20)));
}

void Folder::write(const std::string& path, std::string_view content) const {
  fs::create_directories(at(path).parent_path());
  fs::remove(at(path));  // not through a link that may lie there
  std::ofstream(at(path), std::ios::binary) << content;
}

void Folder::replace(const std::string& path, const std::string& old_text, const std::string& new_text) const {
  std::string content = read(path);
  const auto place = content.find(old_text);
  INFO(path << ": " << old_text);
  REQUIRE(place != std::string::npos);
  write(path, content.replace(place, old_text.size(), new_text));
}

void Folder::remove(const std::string& path) const {
  INFO(path);
  REQUIRE(fs::remove_all(at(path)) > 0);
}

void Folder::move(const std::string& from, const std::string& to) const {
  fs::create_directories(at(to).parent_path());
  fs::rename(at(from), at(to));
}

void Folder::copy(const std::string& from, const std::string& to) const {
  fs::create_directories(at(to).parent_path());
  fs::copy(at(from), at(to), fs::copy_options::recursive | fs::copy_options::overwrite_existing);
}

void Folder::link(const std::string& path, const fs::path& target) const {
  fs::remove_all(at(path));
  fs::create_symlink(target, at(path));
}

void Folder::fifo(const std::string& path) const {
  fs::remove_all(at(path));
  REQUIRE(::mkfifo(at(path).c_str(), 0600) == 0);
}

void Folder::enlarge(const std::string& path, std::uintmax_t bytes) const {
  fs::resize_file(at(path), bytes);
}
