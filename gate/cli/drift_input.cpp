#include "gate/cli/drift_input.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/drift/drift.h"
#include "gate/drift/history.h"
#include "gate/drift/import.h"
#include "gate/drift/measure.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMostResult = 256u << 20;

}  // namespace

void check_drift_arguments(const Arguments& arguments) {
  const auto refuse = [](const char* option, const char* fact, const char* remedy) {
    throw Error(ErrorKind::usage, std::string("kgate drift ") + option, fact, remedy);
  };
  if (!arguments.no_measure) {
    if (!arguments.hardware.empty())
      refuse("--hardware", "is for --no-measure: what is timed are the nights of this machine's GPU",
             "leave it out, or add --no-measure");
    return;
  }
  const char* const remedy = "leave it out, or leave --no-measure out";
  if (!arguments.device.empty())
    refuse("--device", "says where to time, and --no-measure times nothing",
           "leave it out; --hardware says whose nights to look at");
  if (!arguments.key.empty() || !arguments.key_command.empty())
    refuse(arguments.key.empty() ? "--key-command" : "--key", "signs a night, and --no-measure makes none", remedy);
  if (arguments.no_push) refuse("--no-push", "is about a new night, and --no-measure makes none", remedy);
}

std::optional<std::int64_t> first_day(const Arguments& arguments) {
  if (arguments.since.empty()) return std::nullopt;
  const auto day = drift::day_from(arguments.since);
  if (!day || arguments.since.size() != 10)
    throw Error(ErrorKind::usage, fmt::format("--since \"{}\"", arguments.since), "is no date",
                "write it as 2026-03-01");
  return day;
}

std::vector<ImportedNight> read_imports(const std::vector<std::string>& paths, std::int64_t now) {
  std::vector<ImportedNight> found;
  for (const std::string& given : paths) {
    std::filesystem::path path = given;
    std::error_code error;
    if (std::filesystem::is_directory(path, error)) path /= "result.json";
    const auto text = read_file(path, kMostResult);
    const auto result = verdict::result_from_json(parse_json(text_of(text), path.string()), path.string());
    if (!drift::day_from(result.started))
      throw Error(ErrorKind::usage, path.string(), "does not say when it was made", "leave it out");
    drift::check_imported(result.started, now, path.string());
    found.push_back({drift::night_of(result), drift::lasting(result.fingerprint), path.string()});
  }
  return found;
}

}  // namespace kgate::cli
