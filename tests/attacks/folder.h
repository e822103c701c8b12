#pragma once

#include <filesystem>
#include <string>
#include <string_view>

// A folder of files, as an editor has it: paths are relative to it.
class Folder {
 public:
  explicit Folder(std::filesystem::path root) : root_(std::move(root)) {}

  const std::filesystem::path& root() const { return root_; }
  std::filesystem::path at(const std::string& path) const { return root_ / path; }

  std::string read(const std::string& path) const;
  void write(const std::string& path, std::string_view content) const;
  // Replaces the first occurrence; fails the test where there is none.
  void replace(const std::string& path, const std::string& old_text, const std::string& new_text) const;
  void remove(const std::string& path) const;  // with all that is in it
  void move(const std::string& from, const std::string& to) const;
  void copy(const std::string& from, const std::string& to) const;
  void link(const std::string& path, const std::filesystem::path& target) const;  // in the place of what is there
  void fifo(const std::string& path) const;                                       // likewise
  void enlarge(const std::string& path, std::uintmax_t bytes) const;              // with zeros that take no room

 private:
  std::filesystem::path root_;
};
