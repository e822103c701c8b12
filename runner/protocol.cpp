#include "runner/protocol.h"

#include "runner/fields.h"

namespace kgate::runner {

Json encode(const CompileJob& job) {
  Json files = Json::object();
  for (const auto& [path, content] : job.files) files[path] = binary(content);
  return {{"backend", job.backend},
          {"files", std::move(files)},
          {"sources", job.sources},
          {"include_dirs", job.include_dirs},
          {"standard", job.standard},
          {"options", job.options},
          {"defines", job.defines},
          {"entries", job.entries},
          {"architecture", job.architecture},
          {"toolkit",
           {{"nvrtc", job.toolkit.nvrtc},
            {"include_dirs", job.toolkit.include_dirs},
            {"host_compiler", job.toolkit.host_compiler}}}};
}

CompileJob decode_compile_job(const Json& body) {
  CompileJob job;
  job.backend = field<std::string>(body, "backend");
  const Json& files = member(body, "files");
  if (!files.is_object()) throw broken("\"files\" is no map");
  for (const auto& [path, content] : files.items()) job.files.emplace(path, bytes_field(content, "files"));
  job.sources = list_field<std::string>(body, "sources");
  job.include_dirs = list_field<std::string>(body, "include_dirs");
  job.standard = field<std::string>(body, "standard");
  job.options = list_field<std::string>(body, "options");
  job.defines = map_field<std::string>(body, "defines");
  job.entries = list_field<std::string>(body, "entries");
  job.architecture = field<std::string>(body, "architecture");
  const Json& toolkit = member(body, "toolkit");
  job.toolkit.nvrtc = field<std::string>(toolkit, "nvrtc");
  job.toolkit.include_dirs = list_field<std::string>(toolkit, "include_dirs");
  job.toolkit.host_compiler = field<std::string>(toolkit, "host_compiler");
  return job;
}

Json encode(const Compiled& compiled) {
  return {{"status", number_of(compiled.status)},
          {"log", compiled.log},
          {"code", binary(compiled.code)},
          {"symbols", compiled.symbols},
          {"warnings", compiled.warnings}};
}

Compiled decode_compiled(const Json& body) {
  Compiled compiled;
  compiled.status = enum_field(body, "status", Compiled::Status::unsupported);
  compiled.log = field<std::string>(body, "log");
  compiled.code = bytes_field(member(body, "code"), "code");
  compiled.symbols = map_field<std::string>(body, "symbols");
  compiled.warnings = field<int>(body, "warnings");
  return compiled;
}

// As bytes: names in machine code need not be UTF-8.
Json encode(const Disassembly& disassembly) {
  return {{"text", binary(std::as_bytes(std::span(disassembly.text)))},
          {"trouble", binary(std::as_bytes(std::span(disassembly.trouble)))}};
}

Disassembly decode_disassembly(const Json& body) {
  return {std::string(text_of(bytes_field(member(body, "text"), "text"))),
          std::string(text_of(bytes_field(member(body, "trouble"), "trouble")))};
}

Json encode(const LoadJob& job) {
  return {{"arm", job.arm}, {"code", binary(job.code)}, {"symbols", job.symbols}};
}

LoadJob decode_load_job(const Json& body) {
  return {field<std::uint32_t>(body, "arm"), bytes_field(member(body, "code"), "code"),
          map_field<std::string>(body, "symbols")};
}

Json encode(const Loaded& loaded) {
  Json resources = Json::object();
  for (const auto& [entry, use] : loaded.resources) {
    resources[entry] = {{"registers", use.registers},
                        {"shared_bytes", use.shared_bytes},
                        {"spill_bytes", use.spill_bytes},
                        {"code_bytes", use.code_bytes}};
  }
  return {
      {"outcome", encode(loaded.outcome)}, {"resources", std::move(resources)}, {"parameters", loaded.parameter_bytes}};
}

Loaded decode_loaded(const Json& body) {
  Loaded loaded;
  loaded.outcome = decode_run_outcome(member(body, "outcome"));
  for (const auto& [entry, use] : member(body, "resources").items()) {
    loaded.resources[entry] = {field<std::uint32_t>(use, "registers"), field<std::uint32_t>(use, "shared_bytes"),
                               field<std::uint32_t>(use, "spill_bytes"), field<std::uint64_t>(use, "code_bytes")};
  }
  const Json& parameters = member(body, "parameters");
  if (!parameters.is_null()) {
    for (const auto& [entry, sizes] : parameters.items()) {
      for (const auto& size : sizes) loaded.parameter_bytes[entry].push_back(get<std::uint32_t>(size, "parameters"));
      loaded.parameter_bytes.try_emplace(entry);
    }
  }
  return loaded;
}

Json encode(const Allocation& allocation) {
  Json buffers = Json::array();
  for (const auto& buffer : allocation.buffers) {
    buffers.push_back({{"name", buffer.name},
                       {"role", number_of(buffer.role)},
                       {"dtype", number_of(buffer.dtype)},
                       {"bytes", buffer.bytes},
                       {"zeroed", buffer.zeroed}});
  }
  return {{"buffers", std::move(buffers)}, {"pool_bytes", allocation.pool_bytes}};
}

Allocation decode_allocation(const Json& body) {
  Allocation allocation;
  for (const auto& item : array_field(body, "buffers")) {
    Buffer buffer;
    buffer.name = field<std::string>(item, "name");
    buffer.role = enum_field(item, "role", BufferRole::workspace);
    buffer.dtype = enum_field(item, "dtype", DType::boolean);
    buffer.bytes = field<std::uint64_t>(item, "bytes");
    buffer.zeroed = field<bool>(item, "zeroed");
    allocation.buffers.push_back(std::move(buffer));
  }
  allocation.pool_bytes = field<std::uint64_t>(body, "pool_bytes");
  return allocation;
}

Json encode(const WriteJob& job) {
  return {{"buffer", job.buffer}, {"variant", job.variant}};
}

WriteJob decode_write_job(const Json& body) {
  WriteJob job;
  job.buffer = field<std::uint32_t>(body, "buffer");
  if (body.contains("variant")) job.variant = field<std::uint32_t>(body, "variant");
  if (job.variant >= kMostVariants) throw broken("\"variant\" is out of range");
  return job;
}

Json encode(const DeviceInfo& info) {
  return {{"backend", info.backend},
          {"name", info.name},
          {"uuid", info.uuid},
          {"architecture", info.architecture},
          {"multiprocessors", info.multiprocessors},
          {"memory_bytes", info.memory_bytes},
          {"free_bytes", info.free_bytes},
          {"l2_bytes", info.l2_bytes},
          {"driver_api", info.driver_api},
          {"max_shared_bytes", info.max_shared_bytes}};
}

DeviceInfo decode_device_info(const Json& body) {
  DeviceInfo info;
  info.backend = field<std::string>(body, "backend");
  info.name = field<std::string>(body, "name");
  info.uuid = field<std::string>(body, "uuid");
  info.architecture = field<std::string>(body, "architecture");
  info.multiprocessors = field<std::uint32_t>(body, "multiprocessors");
  info.memory_bytes = field<std::uint64_t>(body, "memory_bytes");
  info.free_bytes = field<std::uint64_t>(body, "free_bytes");
  info.l2_bytes = field<std::uint64_t>(body, "l2_bytes");
  info.driver_api = field<int>(body, "driver_api");
  info.max_shared_bytes = field<std::uint32_t>(body, "max_shared_bytes");
  return info;
}

Json encode(const SandboxReport& report) {
  return {{"level", number_of(report.level)},
          {"landlock", report.landlock_abi},
          {"note", report.note},
          {"relaxed", report.relaxed}};
}

SandboxReport decode_sandbox_report(const Json& reply) {
  SandboxReport report;
  if (!reply.is_object() || !reply.contains("sandbox")) return report;
  const Json& body = reply["sandbox"];
  report.level = enum_field(body, "level", SandboxLevel::landlock);
  report.landlock_abi = field<std::uint32_t>(body, "landlock");
  report.note = field<std::string>(body, "note");
  report.relaxed = field<std::string>(body, "relaxed");
  return report;
}

Json encode(const SandboxTrial& trial) {
  Json probes = Json::array();
  for (const auto& probe : trial.probes)
    probes.push_back({{"what", probe.what}, {"error", probe.error}, {"needed", probe.needed}});
  return {{"probes", std::move(probes)},
          {"limits", trial.limits},
          {"used_device", trial.used_device},
          {"trouble", trial.trouble}};
}

SandboxTrial decode_sandbox_trial(const Json& body) {
  SandboxTrial trial;
  for (const auto& item : array_field(body, "probes")) {
    trial.probes.push_back(
        {field<std::string>(item, "what"), field<int>(item, "error"), field<std::string>(item, "needed")});
  }
  trial.limits = list_field<std::string>(body, "limits");
  trial.used_device = field<bool>(body, "used_device");
  trial.trouble = field<std::string>(body, "trouble");
  return trial;
}

Json encode(const Error& error) {
  return {
      {"kind", name_of(error.kind())}, {"subject", error.subject()}, {"fact", error.fact()}, {"hint", error.hint()}};
}

Error decode_error(const Json& body) {
  return {error_kind_from_name(field<std::string>(body, "kind")), field<std::string>(body, "subject"),
          field<std::string>(body, "fact"), field<std::string>(body, "hint")};
}

}  // namespace kgate::runner
