#include "runner/host/diagnostics.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string_view>

#include <fmt/format.h>

#include "base/bytes.h"
#include "base/nearest.h"
#include "runner/host/unit.h"

// The subset's limits are found by letting the compiler stumble over them, not by searching the source: only what the
// preprocessor leaves counts (#if __CUDA_ARCH__ >= 800 may hide inline PTX), macros are seen through, and the place is
// exact.
namespace kgate::runner::host {
namespace {

constexpr std::size_t kMaxLog = 64 << 10;
constexpr std::size_t kLongLine = 4096;  // longer ones are copied without a look: std::regex recurses

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

struct Diagnostic {
  std::string file, message;
  std::size_t line = 0;
};

std::vector<Diagnostic> errors_in(const std::string& log) {
  static const std::regex pattern(R"(^([^:]+):(\d+):(?:\d+:)? (?:fatal )?error: (.*)$)");
  std::vector<Diagnostic> errors;
  for (const std::string& line : lines_of(log)) {
    std::smatch match;
    if (line.size() > kLongLine || !std::regex_match(line, match, pattern)) continue;
    errors.push_back({match[1], match[3], std::stoul(match[2].str().substr(0, 9))});
  }
  return errors;
}

std::optional<Diagnostic> first_error(const std::string& log) {
  const std::vector<Diagnostic> errors = errors_in(log);
  if (errors.empty()) return std::nullopt;
  return errors.front();
}

// A part of CUDA by the names that it goes by; the first that matches counts.
struct Feature {
  const char* pattern;
  const char* what;
};

// Headers of the toolkit that are not among kgate's own stand-ins.
constexpr std::array<Feature, 8> kHeaders{{
    {R"(cuda_(fp16|bf16|fp8|fp6|fp4)\.h(pp)?)", "half types"},
    {R"((crt/)?mma\.h)", "tensor cores"},
    {R"(cooperative_groups.*)", "cooperative groups"},
    {R"(cub/.*)", "CUB"},
    {R"(thrust/.*)", "Thrust"},
    {R"((cuda|nv)/.*)", "libcu++"},
    {R"((texture|surface).*\.h|cuda_(texture|surface)_types\.h)", "textures and surfaces"},
    {R"((cuda|cu|nv|curand|device_|driver_|sm_|channel_)\w*\.(h|hpp|cuh))", "the CUDA toolkit's library headers"},
}};

constexpr std::array<Feature, 14> kNames{{
    {"kgate_host_inline_ptx", "inline PTX"},
    {"(__)?half2?|__nv_(bfloat16|half|fp).*|nv_bfloat16.*|__h(add|mul|fma|sub|div).*|__(float|half|bfloat16).*2(half|"
     "float|bfloat16).*",
     "half types"},
    {"__(ballot|any|all)(_sync)?|__activemask|__match_(any|all)_sync|__reduce_\\w+_sync|__syncthreads_(count|and|or)",
     "warp votes"},
    {"__shfl(_up|_down|_xor)?", "shuffles without _sync"},
    {"atomic\\w+|__(nv_)?atomic\\w+", "atomics on other than 32-bit types, and scoped atomics"},
    {"(texture|tex(1D|2D|3D|Cubemap)\\w*|surf(1D|2D|3D|Cubemap)\\w*|cuda(Texture|Surface)Object_t)",
     "textures and surfaces"},
    {"nvcuda|wmma|__(wmma|mma|imma|bmma|dmma)\\w*", "tensor cores"},
    {"cooperative_groups|cg", "cooperative groups"},
    {"__cluster_dims__|__block_size__|__cluster\\w*|cluster(Dim|Idx)\\w*", "thread block clusters"},
    {"clock|clock64|globaltimer|__globaltimer", "the GPU's clocks"},
    {"cuda[A-Z]\\w*", "the CUDA runtime"},
    {"__pipeline\\w*|__mbarrier\\w*|__cvta\\w*|__isShared|__isGlobal|__nv_\\w+",
     "asynchronous copies and address spaces"},
    {"__v(abs|add|sub|max|min|avg|cmp|set|sad|neg)\\w*", "SIMD video instructions"},
    {"__[fd](add|sub|mul|div|sqrt|rcp|maf?)_r[zud]", "arithmetic with directed rounding"},
}};

std::string beyond(const Diagnostic& at, const std::string& what, const std::string& name) {
  return fmt::format("{}:{}: {} ({}) {} beyond the host backend; run this kernel on a GPU", at.file, at.line, what,
                     name, !what.empty() && what.back() == 's' ? "are" : "is");
}

std::optional<std::string> missing_header(const Diagnostic& error) {
  static const std::regex gcc(R"(^([^ ]+): No such file or directory$)"), clang(R"(^'([^']+)' file not found$)");
  std::smatch match;
  if (std::regex_match(error.message, match, gcc) || std::regex_match(error.message, match, clang)) return match[1];
  return std::nullopt;
}

std::vector<std::string> quoted_names(const std::string& message) {
  static const std::regex pattern(R"('([A-Za-z_]\w*)[^']*')");
  std::vector<std::string> names;
  for (std::sregex_iterator at(message.begin(), message.end(), pattern), end; at != end; ++at)
    names.push_back((*at)[1]);
  return names;
}

// Line `line` of a source, or "".
std::string source_line(const CompileJob& job, const Diagnostic& at) {
  const auto file = job.files.find(at.file);
  if (file == job.files.end()) return {};
  const std::vector<std::string> lines = lines_of(std::string(text_of(file->second)));
  return at.line >= 1 && at.line <= lines.size() ? lines[at.line - 1] : std::string();
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

// The compiler does not know a name; errors of other kinds about a known name are the author's.
bool about_unknown_name(const std::string& message) {
  static constexpr std::array<std::string_view, 12> phrases{"not declared",
                                                            "not been declared",
                                                            "does not name a",
                                                            "no matching function",
                                                            "depend on a template parameter",
                                                            "undeclared",
                                                            "unknown type name",
                                                            "not a member",
                                                            "declared void",
                                                            "no type named",
                                                            "no template named",
                                                            "expected "};
  return std::any_of(phrases.begin(), phrases.end(),
                     [&](std::string_view phrase) { return contains(message, phrase); });
}

std::optional<std::string> unsupported_by(const CompileJob& job, const Diagnostic& error) {
  if (const std::optional<std::string> header = missing_header(error)) {
    for (const Feature& feature : kHeaders) {
      if (std::regex_match(*header, std::regex(feature.pattern))) return beyond(error, feature.what, *header);
    }
    return std::nullopt;
  }
  if (contains(source_line(job, error), "<<<")) return beyond(error, "dynamic parallelism", "<<<...>>>");
  if (!about_unknown_name(error.message)) return std::nullopt;
  for (const std::string& name : quoted_names(error.message)) {
    for (const Feature& feature : kNames) {
      if (std::regex_match(name, std::regex(feature.pattern))) {
        return beyond(error, feature.what, name == "kgate_host_inline_ptx" ? "asm" : name);
      }
    }
    // Names that begin with two underscores are the implementation's: an intrinsic that the subset lacks, unless it
    // looks misspelt.
    if (name.rfind("__", 0) == 0 && !contains(error.message, "did you mean"))
      return beyond(error, "this intrinsic", name);
  }
  return std::nullopt;
}

// "a/b/../c.cuh:3" at the start of a line, or after "from ": the path as the repository has it.
std::string normalised(const std::string& line) {
  static const std::regex pattern(R"(^(In file included from |\s+from )?([^\s:]+)(:\d+.*)$)");
  std::smatch match;
  if (line.size() > kLongLine || !std::regex_match(line, match, pattern)) return line;
  return match[1].str() + std::filesystem::path(match[2].str()).lexically_normal().generic_string() + match[3].str();
}

}  // namespace

std::string without_consequences(const std::string& log) {
  static const std::regex heading(R"(^([^:\s]+):(?:\d+:)*(?: (?:(?:fatal )?(error)|warning|note):| (?:In|At) ).*$)");
  std::string kept;
  bool keep = true, seen = false;
  for (const std::string& line : lines_of(log)) {
    std::smatch match;
    if (line.size() <= kLongLine && std::regex_match(line, match, heading)) {
      const std::string file = match[1];
      const bool ours = file.rfind("kgate-entry-", 0) == 0 ||
                        (file.rfind(kHeaderFolder, 0) == 0 && (match[2].matched || contains(line, "KGATE_HOST_ENTRY")));
      keep = !(ours && seen);
      seen = seen || match[2].matched;
    }
    if (keep) kept += line + "\n";
  }
  return kept;
}

std::string user_log(const std::string& output) {
  static const std::regex include_of_unit(fmt::format(R"(^(In file included from|\s+from) {}:\d+[:,]$)", kUnitName));
  static const std::regex undefined(R"(^.*(undefined reference to .*)$)");
  std::vector<std::string> kept;
  for (const std::string& line : lines_of(output)) {
    std::smatch match;
    const bool short_enough = line.size() <= kLongLine;
    if (short_enough && std::regex_match(line, include_of_unit)) {
      // It ends a chain: the line before it, where it has one, becomes the end.
      if (line[0] == ' ' && !kept.empty() && !kept.back().empty() && kept.back().back() == ',')
        kept.back().back() = ':';
      continue;
    }
    if (short_enough && std::regex_match(line, match, undefined)) {
      kept.push_back("error: " + match[1].str());
      continue;
    }
    // The linker names temporary files; the compiler says once more that something failed.
    if (contains(line, "/ld: ") || contains(line, "collect2: ") || contains(line, ": In function `")) continue;
    if (line.rfind("compilation terminated", 0) == 0 || line.rfind("cc1plus: ", 0) == 0) continue;
    kept.push_back(normalised(line));
  }
  std::string log;
  for (const std::string& line : kept) {
    if (log.size() + line.size() + 1 > kMaxLog - 64) {
      log += "[the compiler said more; cut here]\n";
      break;
    }
    log += line + "\n";
  }
  return log;
}

int count_warnings(const std::string& output) {
  static const std::regex pattern(R"(^[^:]+:\d+:(\d+:)? warning: .*$)");
  const std::vector<std::string> lines = lines_of(output);
  return static_cast<int>(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
    return line.size() <= kLongLine && std::regex_match(line, pattern);
  }));
}

std::optional<std::string> unsupported_feature(const CompileJob& job, const std::string& log) {
  // Not the first error alone: one that names what is missing may follow another that is its consequence ("variable or
  // field declared void").
  for (const Diagnostic& error : errors_in(log)) {
    if (auto found = unsupported_by(job, error)) return found;
  }
  return std::nullopt;
}

std::optional<std::string> entry_error(const CompileJob& job, const std::string& log) {
  const std::optional<Diagnostic> error = first_error(log);
  if (!error) return std::nullopt;
  for (std::size_t i = 0; i < job.entries.size(); ++i) {
    if (error->file != entry_file(i)) continue;
    static const std::regex meant(R"(did you mean '([^']+)')");
    std::smatch match;
    std::string text = fmt::format("entry \"{}\": ", job.entries[i]);
    if (!about_unknown_name(error->message)) return text + error->message;
    text += "the sources do not define it";
    // The compiler's guess may be any name of the C library.
    if (std::regex_search(error->message, match, meant) && nearest(job.entries[i], {match[1].str()})) {
      text += fmt::format("; did you mean \"{}\"?", match[1].str());
    }
    return text;
  }
  return std::nullopt;
}

std::optional<std::string> broken_compiler(const std::string& log) {
  const std::optional<Diagnostic> error = first_error(log);
  if (!error || error->file.rfind(kHeaderFolder, 0) != 0) return std::nullopt;
  return missing_header(*error);
}

}  // namespace kgate::runner::host
