#include "runner/protocol.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace kgate::runner {
namespace {

Error broken(const std::string& fact) {
  return {ErrorKind::internal, "runner protocol", fact};
}

const Json& member(const Json& object, const char* key) {
  if (!object.is_object()) throw broken(std::string("no map where \"") + key + "\" is looked for");
  const auto found = object.find(key);
  if (found == object.end()) throw broken(std::string("\"") + key + "\" is missing");
  return *found;
}

// Strings, booleans, numbers; integers are checked against the range of the type they go to.
template <typename T>
T get(const Json& value, const char* key) {
  if constexpr (std::is_same_v<T, bool>) {
    if (value.is_boolean()) return value.get<bool>();
  } else if constexpr (std::is_same_v<T, std::string>) {
    if (value.is_string()) return value.get<std::string>();
  } else if constexpr (std::is_floating_point_v<T>) {
    if (value.is_number()) return value.get<T>();
  } else if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (number <= static_cast<std::uint64_t>(std::numeric_limits<T>::max())) return static_cast<T>(number);
  } else if (value.is_number_integer()) {
    const auto number = value.get<std::int64_t>();
    if (number >= static_cast<std::int64_t>(std::numeric_limits<T>::min())) return static_cast<T>(number);
  }
  throw broken(std::string("\"") + key + "\" has the wrong type or is out of range");
}

template <typename T>
T field(const Json& object, const char* key) {
  return get<T>(member(object, key), key);
}

template <typename E>
E enum_field(const Json& object, const char* key, E last) {
  const auto number = field<unsigned>(object, key);
  if (number > static_cast<unsigned>(last)) throw broken(std::string("\"") + key + "\" is out of range");
  return static_cast<E>(number);
}

template <typename E>
unsigned number_of(E value) {
  return static_cast<unsigned>(value);
}

const Json& array_field(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_array()) throw broken(std::string("\"") + key + "\" is no array");
  return value;
}

template <typename T>
std::vector<T> list_field(const Json& object, const char* key) {
  std::vector<T> items;
  for (const auto& item : array_field(object, key)) items.push_back(get<T>(item, key));
  return items;
}

template <typename T>
std::map<std::string, T> map_field(const Json& object, const char* key) {
  const Json& value = member(object, key);
  if (!value.is_object()) throw broken(std::string("\"") + key + "\" is no map");
  std::map<std::string, T> items;
  for (const auto& [name, item] : value.items()) items.emplace(name, get<T>(item, key));
  return items;
}

std::array<std::uint32_t, 3> triple(const Json& value, const char* key) {
  if (!value.is_array() || value.size() != 3) throw broken(std::string("\"") + key + "\" is no triple");
  return {get<std::uint32_t>(value[0], key), get<std::uint32_t>(value[1], key), get<std::uint32_t>(value[2], key)};
}

Json binary(ByteView bytes) {
  const auto* first = reinterpret_cast<const std::uint8_t*>(bytes.data());
  return Json::binary(std::vector<std::uint8_t>(first, first + bytes.size()));
}

Bytes bytes_field(const Json& value, const char* key) {
  if (!value.is_binary()) throw broken(std::string("\"") + key + "\" holds no bytes");
  const auto& content = value.get_binary();
  Bytes bytes(content.size());
  if (!bytes.empty()) std::memcpy(bytes.data(), content.data(), bytes.size());
  return bytes;
}

Json encode_launch(const Launch& launch) {
  Json arguments = Json::array();
  for (const auto& argument : launch.arguments) {
    arguments.push_back(argument.buffer ? Json(*argument.buffer) : binary(argument.scalar));
  }
  Json body{{"entry", launch.entry},
            {"grid", launch.grid},
            {"block", launch.block},
            {"shared", launch.shared_bytes},
            {"cooperative", launch.cooperative},
            {"arguments", std::move(arguments)}};
  if (launch.cluster) body["cluster"] = *launch.cluster;
  if (launch.code) body["code"] = *launch.code;
  return body;
}

Json encode_launches(const Launches& launches) {
  Json list = Json::array();
  for (const auto& launch : launches) list.push_back(encode_launch(launch));
  return list;
}

Launch decode_launch(const Json& body) {
  Launch launch;
  launch.entry = field<std::string>(body, "entry");
  launch.grid = triple(member(body, "grid"), "grid");
  launch.block = triple(member(body, "block"), "block");
  launch.shared_bytes = field<std::uint32_t>(body, "shared");
  launch.cooperative = field<bool>(body, "cooperative");
  if (body.contains("cluster")) launch.cluster = triple(body["cluster"], "cluster");
  if (body.contains("code")) launch.code = field<std::uint32_t>(body, "code");
  for (const auto& item : array_field(body, "arguments")) {
    Argument argument;
    if (item.is_binary()) {
      argument.scalar = bytes_field(item, "arguments");
    } else {
      argument.buffer = get<std::uint32_t>(item, "arguments");
    }
    launch.arguments.push_back(std::move(argument));
  }
  return launch;
}

Launches decode_launches(const Json& body, const char* key) {
  Launches launches;
  for (const auto& launch : array_field(body, key)) launches.push_back(decode_launch(launch));
  return launches;
}

// A number from 0 to `most`; NaN is none.
double length_field(const Json& object, const char* key, double most) {
  const auto number = field<double>(object, key);
  if (!(number >= 0 && number <= most)) throw broken(std::string("\"") + key + "\" is out of range");
  return number;
}

}  // namespace

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

Json encode(const TimedArm& arm) {
  return {{"arm", arm.arm}, {"launches", encode_launches(arm.launches)}, {"tail", encode_launches(arm.tail)}};
}

TimedArm decode_timed_arm(const Json& body) {
  return {field<std::uint32_t>(body, "arm"), decode_launches(body, "launches"), decode_launches(body, "tail")};
}

Json encode(const RunOutcome& outcome) {
  return {{"ok", outcome.ok}, {"unsupported", outcome.unsupported}, {"fault", outcome.fault}};
}

RunOutcome decode_run_outcome(const Json& body) {
  return {field<bool>(body, "ok"), field<bool>(body, "unsupported"), field<std::string>(body, "fault")};
}

Json encode(const std::vector<GuardReport>& reports) {
  Json list = Json::array();
  for (const auto& report : reports) list.push_back({{"buffer", report.buffer}, {"finding", report.finding}});
  return list;
}

std::vector<GuardReport> decode_guard_reports(const Json& body) {
  if (!body.is_array()) throw broken("guard reports are no array");
  std::vector<GuardReport> reports;
  for (const auto& item : body) {
    reports.push_back({field<std::uint32_t>(item, "buffer"), field<std::string>(item, "finding")});
  }
  return reports;
}

Json encode(const TimeJob& job) {
  Json arms = Json::array();
  for (const auto& arm : job.arms) arms.push_back(encode(arm));
  return {{"arms", std::move(arms)},
          {"blocks", job.blocks},
          {"launches_per_sample", job.launches_per_sample},
          {"sample_us", job.sample_us},
          {"placement", number_of(job.placement)},
          {"cache", number_of(job.cache)},
          {"seed", job.seed},
          {"first_block", job.first_block},
          {"regime", number_of(job.regime)},
          {"stretch_ms", job.stretch_ms}};
}

TimeJob decode_time_job(const Json& body) {
  TimeJob job;
  for (const auto& arm : array_field(body, "arms")) job.arms.push_back(decode_timed_arm(arm));
  job.blocks = field<std::uint32_t>(body, "blocks");
  job.launches_per_sample = field<std::uint32_t>(body, "launches_per_sample");
  job.sample_us = length_field(body, "sample_us", 1000 * kLongestStretchMs);
  job.placement = enum_field(body, "placement", Placement::fixed);
  job.cache = enum_field(body, "cache", CacheState::cold);
  job.seed = field<std::uint64_t>(body, "seed");
  job.first_block = field<std::uint64_t>(body, "first_block");
  job.regime = enum_field(body, "regime", Regime::fresh);
  job.stretch_ms = length_field(body, "stretch_ms", kLongestStretchMs);
  return job;
}

Json encode(const TimeOutcome& outcome) {
  return {{"run", encode(outcome.run)},
          {"launches_per_sample", outcome.launches_per_sample},
          {"regime", outcome.regime},
          {"moved", outcome.moved},
          {"us", outcome.us}};
}

TimeOutcome decode_time_outcome(const Json& body) {
  TimeOutcome outcome;
  outcome.run = decode_run_outcome(member(body, "run"));
  outcome.launches_per_sample = field<std::uint32_t>(body, "launches_per_sample");
  outcome.regime = field<std::string>(body, "regime");
  outcome.moved = field<bool>(body, "moved");
  for (const auto& arm : array_field(body, "us")) {
    if (!arm.is_array()) throw broken("\"us\" holds no arrays");
    std::vector<double> samples;
    for (const auto& value : arm) {
      const auto us = get<double>(value, "us");
      if (!(us > 0) || !std::isfinite(us)) throw broken("a time that is not positive");
      samples.push_back(us);
    }
    outcome.us.push_back(std::move(samples));
  }
  return outcome;
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

Json encode(const Error& error) {
  return {
      {"kind", name_of(error.kind())}, {"subject", error.subject()}, {"fact", error.fact()}, {"hint", error.hint()}};
}

Error decode_error(const Json& body) {
  return {error_kind_from_name(field<std::string>(body, "kind")), field<std::string>(body, "subject"),
          field<std::string>(body, "fact"), field<std::string>(body, "hint")};
}

}  // namespace kgate::runner
