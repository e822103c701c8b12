#include "fingerprint/toolkit.h"

#include <algorithm>
#include <cctype>
#include <chrono>
#include <filesystem>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"

namespace kgate::fingerprint {
namespace {

namespace fs = std::filesystem;
using Version = std::vector<int>;

constexpr const char* kLibrary = "libnvrtc.so";
constexpr const char* kBuiltins = "libnvrtc-builtins.so";

// "libnvrtc.so.13.0.88" -> {13, 0, 88}; nothing for "libnvrtc.alt.so.13", "libnvrtc_static.a" and the like.
std::optional<Version> version_after(const std::string& file, const std::string& prefix) {
  if (file.rfind(prefix, 0) != 0) return std::nullopt;
  Version version;
  for (std::size_t at = prefix.size(); at < file.size();) {
    if (file[at] != '.') return std::nullopt;
    std::size_t end = ++at;
    while (end < file.size() && std::isdigit(static_cast<unsigned char>(file[end])) != 0) ++end;
    if (end == at || end - at > 6) return std::nullopt;
    version.push_back(std::stoi(file.substr(at, end - at)));
    at = end;
  }
  return version;
}

std::vector<std::string> files_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    names.push_back(entry->path().filename().string());
  }
  return names;
}

// The newest NVRTC of a folder.
std::optional<fs::path> nvrtc_in(const fs::path& folder) {
  std::optional<std::pair<Version, std::string>> newest;
  for (const std::string& file : files_in(folder)) {
    const auto version = version_after(file, kLibrary);
    if (version && (!newest || *version > newest->first)) newest = {*version, file};
  }
  if (!newest) return std::nullopt;
  std::error_code failed;
  const fs::path real = fs::canonical(folder / newest->second, failed);
  return failed ? std::nullopt : std::optional(real);
}

// The library's own name may hold its ABI's number alone ("libnvrtc.so.12", "libnvrtc.so.11.2" for all of 11.2
// to 11.8), so what lies beside it counts too: the built-ins carry major and minor of the release.
std::string nvrtc_version(const fs::path& library) {
  const Version own = version_after(library.filename().string(), kLibrary).value_or(Version{});
  if (own.size() >= 3) return fmt::format("{}.{}", own[0], own[1]);
  Version best;
  for (const std::string& file : files_in(library.parent_path())) {
    const Version version = version_after(file, kBuiltins).value_or(Version{});
    if (version.size() >= 2 && (own.empty() || version[0] == own[0]) && version > best) best = version;
  }
  if (best.size() >= 2) return fmt::format("{}.{}", best[0], best[1]);
  return own.empty() ? "" : fmt::format("{}", fmt::join(own, "."));
}

std::vector<std::string> include_dirs_of(const fs::path& include) {
  std::vector<std::string> found;
  std::error_code ignored;
  const bool is_cuda = fs::exists(include / "cuda_fp16.h", ignored) || fs::exists(include / "cuda.h", ignored) ||
                       fs::exists(include / "cuda_runtime.h", ignored);
  if (!is_cuda) return found;
  found.push_back(include.string());
  if (fs::is_directory(include / "cccl", ignored)) found.push_back((include / "cccl").string());
  return found;
}

bool adopt(Toolkit& toolkit, const fs::path& library, const fs::path& root) {
  toolkit.nvrtc = library.string();
  toolkit.nvrtc_version = nvrtc_version(library);
  if (root.empty()) return true;
  std::error_code ignored;
  const fs::path top = fs::canonical(root, ignored);
  for (const fs::path& include :
       {top / "include", top / "targets/x86_64-linux/include", top / "targets/sbsa-linux/include"}) {
    toolkit.include_dirs = include_dirs_of(include);
    if (!toolkit.include_dirs.empty()) break;
  }
  toolkit.root = top == "/usr" ? "" : top.string();
  return true;
}

bool take_root(Toolkit& toolkit, const fs::path& root) {
  if (root.empty()) return false;
  for (const char* folder : {"lib64", "lib", "targets/x86_64-linux/lib", "targets/sbsa-linux/lib"}) {
    if (const auto library = nvrtc_in(root / folder)) return adopt(toolkit, *library, root);
  }
  return false;
}

// A folder of libraries: the toolkit is around it ("ROOT/lib64", "ROOT/targets/x86_64-linux/lib",
// "/usr/lib/x86_64-linux-gnu").
bool take_library_folder(Toolkit& toolkit, const fs::path& folder) {
  if (folder.empty()) return false;
  const auto library = nvrtc_in(folder);
  if (!library) return false;
  std::error_code ignored;
  fs::path root = fs::canonical(folder, ignored);
  for (int level = 0; level < 3; ++level) {
    root = root.parent_path();
    if (!include_dirs_of(root / "include").empty()) return adopt(toolkit, *library, root);
  }
  return adopt(toolkit, *library, {});
}

// "/usr/local/cuda-*", newest first.
std::vector<fs::path> versioned_roots() {
  std::vector<std::pair<Version, fs::path>> roots;
  const fs::path parent = "/usr/local";
  for (const std::string& name : files_in(parent)) {
    constexpr std::string_view kPrefix = "cuda-";
    if (name.rfind(kPrefix, 0) != 0) continue;
    if (const auto version = version_after("." + name.substr(kPrefix.size()), ""))
      roots.emplace_back(*version, parent / name);
  }
  std::sort(roots.rbegin(), roots.rend());
  std::vector<fs::path> paths;
  for (auto& [version, path] : roots) paths.push_back(std::move(path));
  return paths;
}

void find_nvrtc(Toolkit& toolkit, const ToolkitSearch& search) {
  if (take_root(toolkit, search.cuda_home)) return;
  for (std::size_t at = 0; at < search.library_path.size();) {
    const std::size_t end = std::min(search.library_path.find(':', at), search.library_path.size());
    if (take_library_folder(toolkit, search.library_path.substr(at, end - at))) return;
    at = end + 1;
  }
  if (take_root(toolkit, "/usr/local/cuda")) return;
  for (const fs::path& root : versioned_roots()) {
    if (take_root(toolkit, root)) return;
  }
  if (take_root(toolkit, "/opt/cuda")) return;
  for (const char* folder : {"/usr/lib/x86_64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib"}) {
    if (take_library_folder(toolkit, folder)) return;
  }
}

void find_host_compiler(Toolkit& toolkit, const std::string& preferred) {
  std::vector<std::string> names{"g++", "c++", "clang++"};
  if (!preferred.empty()) names.insert(names.begin(), preferred);
  for (const std::string& name : names) {
    std::vector<fs::path> places;
    if (name.find('/') != std::string::npos) {
      places.emplace_back(name);
    } else {
      for (const char* folder : {"/usr/local/bin", "/usr/bin", "/bin"}) places.push_back(fs::path(folder) / name);
    }
    for (const fs::path& place : places) {
      std::error_code ignored;
      if (!fs::is_regular_file(place, ignored)) continue;
      try {
        ProcessOptions options;
        options.command = {place.string(), "--version"};
        options.environment = {{"PATH", options.search_path}, {"LC_ALL", "C"}};
        CommandLimits limits;
        limits.deadline = std::chrono::seconds(20);
        const CommandResult result = run_command(options, limits);
        if (!result.status.ok() || result.timed_out) continue;
        toolkit.host_compiler = place.string();
        toolkit.host_compiler_version = result.output.substr(0, result.output.find('\n'));
        return;
      } catch (const Error&) {
        continue;  // not a program that runs here: the next one may be
      }
    }
  }
}

}  // namespace

Toolkit find_toolkit(const ToolkitSearch& search) {
  Toolkit toolkit;
  find_nvrtc(toolkit, search);
  find_host_compiler(toolkit, search.host_compiler);
  return toolkit;
}

}  // namespace kgate::fingerprint
