#include "gate/verdict/compile/compiler.h"

#include <algorithm>
#include <mutex>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/parallel.h"
#include "runner/protocol.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxCached = 256u << 20;
// Of the code that children make; another number where it changes within one version of kgate. 2: it has its symbols.
constexpr int kForm = 2;

runner::CompileJob job_of(const Source& source, const CompilerOptions& options) {
  runner::CompileJob job;
  job.backend = options.child.backend;
  job.files = *source.files;
  job.sources = source.set->sources;
  job.include_dirs = source.set->include_dirs;
  job.standard = source.set->standard;
  job.options = source.set->options;
  job.defines = source.set->defines;
  job.entries = source.entries;
  job.architecture = options.architecture.empty() || source.set->architecture.empty() ? options.architecture
                                                                                      : source.set->architecture;
  job.toolkit = options.toolkit;
  return job;
}

// Everything that goes into the machine code, and nothing else. What is compiled outside of a sandbox can have read
// what it should not: it is not taken for what is compiled inside.
std::string key_of(const runner::CompileJob& job, const CompilerOptions& options) {
  Json job_json = runner::encode(job);
  job_json["toolkit"] = options.toolkit_identity;
  job_json["form"] = kForm;
  job_json["sandbox"] = name_of(options.child.sandbox.least);
  const auto bytes = Json::to_cbor(job_json);
  return sha256_hex(std::as_bytes(std::span(bytes)));
}

// A cached result: 64 hex digits of the digest of the rest, then the CBOR of the result.
Artifact read_cached(const std::filesystem::path& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return nullptr;
  try {
    const Bytes content = read_file(file, kMaxCached);
    if (content.size() < 64) return nullptr;
    const ByteView body = ByteView(content).subspan(64);
    if (text_of(ByteView(content).first(64)) != sha256_hex(body)) return nullptr;
    const auto* first = reinterpret_cast<const std::uint8_t*>(body.data());
    return std::make_shared<runner::Compiled>(
        runner::decode_compiled(Json::from_cbor(first, first + body.size(), true, false)));
  } catch (const Error&) {
    return nullptr;  // unreadable is as good as absent: it is compiled anew
  } catch (const Json::exception&) {
    return nullptr;
  }
}

void write_cached(const std::filesystem::path& file, const runner::Compiled& compiled) {
  const auto cbor = Json::to_cbor(runner::encode(compiled));
  const auto body = std::as_bytes(std::span(cbor));
  Bytes content = bytes_of(sha256_hex(body));
  content.insert(content.end(), body.begin(), body.end());
  try {
    write_file_atomic(file, content);
  } catch (const Error&) {
    // A cache that cannot be written costs time, not the verdict.
  }
}

// Code of the user's own build: nothing to compile, the entries are its symbols.
Artifact prebuilt(const Source& source, const CompilerOptions& options) {
  auto compiled = std::make_shared<runner::Compiled>();
  if (options.child.backend == "host") {
    compiled->status = runner::Compiled::Status::unsupported;
    compiled->log = fmt::format("kind = \"{}\" is machine code for a GPU; the host backend compiles CUDA C++ only",
                                source.set->kind);
    return compiled;
  }
  compiled->status = runner::Compiled::Status::ok;
  compiled->code = source.files->at(source.set->sources.front());
  // The driver reads PTX as a C string.
  if (source.set->kind == "ptx") compiled->code.push_back(std::byte{0});
  for (const auto& entry : source.entries) compiled->symbols[entry] = entry;
  return compiled;
}

// A compiler that ends before it has answered, or does not answer in time: the source's doing, or that of something
// outside. So once more, in a fresh process. One that is killed again, which no source does by itself, is no finding
// about the source: nothing is known of it.
runner::Compiled compile_with_second_try(const runner::CompileJob& job, const CompilerOptions& options) {
  for (bool again = false;; again = true) {
    runner::Client child(options.child);
    try {
      auto compiled = child.compile(job, runner::Client::Seconds(options.timeout_s));
      if (!child.lost()) return compiled;
      if (!again) continue;
      compiled.log = "tried twice: " + compiled.log;
      return compiled;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::environment || !child.killed()) throw;
      if (!again) continue;
      runner::Compiled unknown;
      unknown.status = runner::Compiled::Status::unsupported;
      unknown.log = std::string("tried twice: ") + error.what();
      return unknown;
    }
  }
}

}  // namespace

std::vector<Artifact> compile_all(const std::vector<Source>& sources, const CompilerOptions& options,
                                  const OnCompiled& on_compiled) {
  struct Task {
    runner::CompileJob job;
    std::filesystem::path cached;
    Artifact result;
    std::vector<std::size_t> sources = {};
  };
  std::vector<Task> tasks;
  std::map<std::string, std::size_t> by_key;
  std::vector<Artifact> results(sources.size());
  const auto known = [&](std::size_t source, const Artifact& code) {
    results[source] = code;
    if (on_compiled) on_compiled(source, code);
  };
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].set->kind != "cuda") {
      known(i, prebuilt(sources[i], options));
      continue;
    }
    runner::CompileJob job = job_of(sources[i], options);
    const std::string key = key_of(job, options);
    const auto [place, added] = by_key.try_emplace(key, tasks.size());
    if (!added) {
      tasks[place->second].sources.push_back(i);
      continue;
    }
    Task task{std::move(job),
              options.cache.empty() ? std::filesystem::path{} : options.cache / key.substr(0, 2) / key,
              nullptr,
              {i}};
    if (!task.cached.empty()) task.result = read_cached(task.cached);
    tasks.push_back(std::move(task));
  }

  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    if (!tasks[i].result) open.push_back(i);
    if (!tasks[i].result) continue;
    for (const auto source : tasks[i].sources) known(source, tasks[i].result);
  }
  // A child for each job: what one source does to the compiler cannot reach another's result.
  for_each_parallel(open.size(), options.parallel, [&](std::size_t i, unsigned) {
    Task& task = tasks[open[i]];
    auto compiled = std::make_shared<runner::Compiled>(compile_with_second_try(task.job, options));
    if (!task.cached.empty() && compiled->status == runner::Compiled::Status::ok) write_cached(task.cached, *compiled);
    for (const auto source : task.sources) known(source, compiled);
  });
  return results;
}

}  // namespace kgate::verdict
