#include "gate/verdict/timing/machine_record.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxRecord = 1u << 20;

}  // namespace

std::filesystem::path record_path(const std::filesystem::path& state, const std::string& device_uuid) {
  return state.empty() ? state : state / "noise" / ((device_uuid.empty() ? "host" : device_uuid) + ".json");
}

MachineRecord read_record(const std::filesystem::path& path, const std::string& driver, std::string& note) {
  std::error_code unknown;
  if (path.empty() || std::filesystem::symlink_status(path, unknown).type() == std::filesystem::file_type::not_found)
    return {};
  if (std::filesystem::is_symlink(path, unknown)) {
    note = fmt::format("{}: is a link, and is not followed; the defaults hold", path.string());
    return {};
  }
  try {
    const Json json = parse_json(text_of(read_file(path, kMaxRecord)), path.string());
    if (json.at("schema").get<std::string>() != "kgate.noise/1") {
      note = fmt::format("{}: is no kgate.noise/1; the defaults hold", path.string());
      return {};
    }
    if (const auto measured = json.at("driver").get<std::string>(); measured != driver) {
      note = fmt::format(
          "{}: was measured with driver \"{}\", this is \"{}\"; the defaults hold until kgate doctor "
          "--noise has run",
          path.string(), measured, driver);
      return {};
    }
    const double spread = json.at("round_spread").get<double>();
    if (!(spread >= 0)) {
      note = fmt::format("{}: a spread between processes of {:.3g} % cannot be; the defaults hold", path.string(),
                         100 * spread);
      return {};
    }
    if (spread > kMostRoundSpread) {
      note = fmt::format(
          "{}: processes on this machine differ by {:.3g} %; {:.3g} % is reckoned with, and what it says of small "
          "slowdowns is doubtful: find out what disturbs it, and run kgate doctor --noise again",
          path.string(), 100 * spread, 100 * kMostRoundSpread);
    }
    // Whole or not at all: what is missing in it must not leave the rest in force.
    return {std::clamp(spread, kLeastRoundSpread, kMostRoundSpread), json.at("overlap").at("harmless").get<bool>(),
            path.string()};
  } catch (const Json::exception&) {
    note = fmt::format("{}: cannot be read as a record of doctor --noise; the defaults hold", path.string());
  } catch (const Error& error) {
    note = fmt::format("{}: {}; the defaults hold", error.subject(), error.fact());
  }
  return {};
}

}  // namespace kgate::verdict
