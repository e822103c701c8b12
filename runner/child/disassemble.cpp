#include "runner/child/disassemble.h"

#include <cerrno>
#include <chrono>
#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/process.h"

namespace kgate::runner {
namespace {

namespace fs = std::filesystem;

constexpr std::chrono::seconds kDeadline{60};
constexpr std::uint64_t kMostText = 64u << 20;  // about a million instructions
constexpr std::size_t kMostTrouble = 200;

// Not base/file's atomic writer: nobody else looks, and a sync costs more than the rest.
void write_plain(const fs::path& path, ByteView content) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(content.data()), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file) throw system_error(path.string(), "cannot write the disassembler's input", errno);
}

std::string first_line(const std::string& text) {
  return text.substr(0, std::min(text.find_first_of("\r\n"), kMostTrouble));
}

// "it ended with code 1: nvdisasm fatal   : ..."
std::string trouble_of(const CommandResult& result) {
  if (result.timed_out) return fmt::format("it did not end within {} s", kDeadline.count());
  if (result.status.signal != 0) return fmt::format("it was ended by signal {}", result.status.signal);
  if (result.status.code != 0)
    return fmt::format("it ended with code {}: {}", result.status.code, first_line(result.output));
  if (result.output.size() > kMostText) return fmt::format("it printed more than {} bytes", kMostText);
  return {};
}

}  // namespace

Disassembly disassemble(ByteView code, const Role& role) {
  constexpr const char* kFile = "code.cubin";
  write_plain(role.folder / kFile, code);
  ProcessOptions options;
  // Code alone; without the analysis of who jumps where, which costs time and can fail.
  options.command = {role.toolkit.disassembler, "--print-code", "--no-dataflow", kFile};
  options.folder = role.folder;
  options.own_group = false;  // when the judge kills the child, it goes too
  options.environment = {{"LC_ALL", "C"}, {"PATH", options.search_path}, {"TMPDIR", role.folder.string()}};
  CommandLimits limits;
  limits.deadline = kDeadline;
  limits.max_output = kMostText;
  CommandResult result;
  try {
    result = run_command(options, limits);
  } catch (const Error& error) {
    return {"", error.fact()};
  }
  std::string trouble = trouble_of(result);
  return {trouble.empty() ? std::move(result.output) : "", std::move(trouble)};
}

}  // namespace kgate::runner
