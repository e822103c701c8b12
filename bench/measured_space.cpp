#include "bench/measured_space.h"

#include <algorithm>
#include <memory>

#include <fmt/format.h>
#include <zlib.h>

#include "base/error.h"
#include "base/json.h"

namespace kgate::bench {
namespace {

constexpr std::size_t kLargest = std::size_t{1} << 30;  // unpacked

std::string unpacked(const std::filesystem::path& path) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file(gzopen(path.c_str(), "rb"), gzclose_r);
  if (!file) throw Error(ErrorKind::usage, path.string(), "cannot be read", "name a file of measured configurations");
  std::string text;
  char part[65536];
  int got = 0;
  while ((got = gzread(file.get(), part, sizeof(part))) > 0) {
    text.append(part, static_cast<std::size_t>(got));
    if (text.size() > kLargest) throw Error(ErrorKind::usage, path.string(), "unpacks to more than 1 GiB");
  }
  int code = Z_OK;
  gzerror(file.get(), &code);
  if (got < 0 || code != Z_OK) throw Error(ErrorKind::usage, path.string(), "is no whole gzip file", "fetch it again");
  return text;
}

std::string text_of(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

std::optional<double> time_of(const Json& result) {
  if (result.at("invalidity") != "correct") return std::nullopt;
  for (const Json& measurement : result.at("measurements")) {
    if (measurement.at("name") != "time") continue;
    const double time = measurement.at("value").get<double>();
    return time > 0 ? std::optional(time) : std::nullopt;
  }
  return std::nullopt;
}

void read_results(const Json& results, MeasuredSpace& measured) {
  for (const Json& result : results) {
    for (const auto& [name, value] : result.at("configuration").items()) {
      auto& values = measured.tunables[name];
      if (std::find(values.begin(), values.end(), text_of(value)) == values.end()) values.push_back(text_of(value));
    }
  }
  const tuner::Space space(measured.tunables);
  for (const Json& result : results) {
    std::map<std::string, std::string> values;
    for (const auto& [name, value] : result.at("configuration").items()) values[name] = text_of(value);
    const auto time = time_of(result);
    measured.times[space.configuration(values)] = time;
    if (time && (measured.best == 0 || *time < measured.best)) measured.best = *time;
  }
}

}  // namespace

tuner::Space MeasuredSpace::space() const {
  return tuner::Space(tunables, [this](const tuner::Configuration& one) { return times.contains(one); });
}

MeasuredSpace read_measured_space(const std::filesystem::path& path) {
  MeasuredSpace measured;
  measured.name = path.filename().string().substr(0, path.filename().string().find('.'));
  const Json file = parse_json(unpacked(path), path.string());
  try {
    read_results(file.at("results"), measured);
  } catch (const Json::exception& error) {
    throw Error(ErrorKind::usage, path.string(), fmt::format("is not in the T4 format: {}", error.what()));
  }
  if (measured.best == 0) throw Error(ErrorKind::usage, path.string(), "holds no configuration that ran");
  return measured;
}

}  // namespace kgate::bench
