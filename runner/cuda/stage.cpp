#include "runner/cuda/stage.h"

#include <cerrno>
#include <fstream>
#include <string_view>

#include "base/error.h"
#include "base/file_tree.h"

namespace kgate::runner::cuda {
namespace {

constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

std::string quoted(const std::string& path) {
  std::string text = "\"";
  for (const char c : path) {
    if (c == '"' || c == '\\') text += '\\';
    text += c;
  }
  return text + '"';
}

void write_staged(const std::filesystem::path& to, const std::string& name, ByteView content) {
  std::filesystem::create_directories(to.parent_path());
  std::string_view text = text_of(content);
  if (text.substr(0, kByteOrderMark.size()) == kByteOrderMark) text.remove_prefix(kByteOrderMark.size());
  std::ofstream file(to, std::ios::binary);
  file << "#line 1 " << quoted(name) << '\n' << text;
  file.close();
  if (!file) throw system_error(to.string(), "cannot be written", errno != 0 ? errno : EIO);
}

}  // namespace

Stage::Stage(const std::map<std::string, Bytes>& files) : folder_("kgate-compile-") {
  try {
    for (const auto& [name, content] : files) write_staged(folder_.path() / join_beneath("", name), name, content);
  } catch (const std::filesystem::filesystem_error& error) {
    throw system_error(folder_.path().string(), "cannot be written", error.code().value());
  }
}

}  // namespace kgate::runner::cuda
