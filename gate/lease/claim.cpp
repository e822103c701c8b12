#include "gate/lease/claim.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/json.h"
#include "base/quote.h"
#include "base/utc.h"
#include "gate/lease/user_name.h"

namespace kgate::lease {
namespace {

constexpr std::size_t kLongestText =
    600;  // bytes of one text, so that the whole fits in kMaxClaim however it is escaped

std::int64_t boot_ms() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1000 + now.tv_nsec / 1000000;
}

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::uint64_t own_pid_namespace() {
  struct stat status {};
  return ::stat("/proc/self/ns/pid", &status) == 0 ? status.st_ino : 0;
}

std::string text_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>().substr(0, kLongestText) : "";
}

std::int64_t number_in(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? std::max<std::int64_t>(0, found->get<std::int64_t>())
                                                             : 0;
}

}  // namespace

const char* name_of(Priority priority) {
  return kPriorityNames.at(static_cast<std::size_t>(priority));
}

std::optional<Priority> priority_from_name(std::string_view name) {
  const auto found = std::find(kPriorityNames.begin(), kPriorityNames.end(), name);
  if (found == kPriorityNames.end()) return std::nullopt;
  return static_cast<Priority>(found - kPriorityNames.begin());
}

Claim own_claim(std::string job) {
  Claim claim;
  claim.pid = ::getpid();
  claim.pid_namespace = own_pid_namespace();
  claim.user = user_name(::geteuid());
  claim.host = host_name();
  claim.job = std::move(job);
  return renewed(std::move(claim));
}

Claim renewed(Claim claim) {
  claim.since = utc_time(std::time(nullptr));
  claim.since_boot_ms = boot_ms();
  return claim;
}

double seconds_since(const Claim& claim) {
  return static_cast<double>(std::max<std::int64_t>(0, boot_ms() - claim.since_boot_ms)) / 1000;
}

std::string write_claim(const Claim& claim) {
  const Json object{{"schema", "kgate.lease/1"},
                    {"pid", claim.pid},
                    {"pid_namespace", claim.pid_namespace},
                    {"user", claim.user.substr(0, kLongestText)},
                    {"host", claim.host.substr(0, kLongestText)},
                    {"job", claim.job.substr(0, kLongestText)},
                    {"since", claim.since},
                    {"since_boot_ms", claim.since_boot_ms}};
  return object.dump(-1, ' ', true, Json::error_handler_t::replace) + "\n";
}

Claim read_claim(std::string_view text) {
  Claim claim;
  try {
    const Json object = parse_json(text.substr(0, kMaxClaim), "ticket");
    if (!object.is_object()) return claim;
    claim.pid = number_in(object, "pid");
    claim.pid_namespace = static_cast<std::uint64_t>(number_in(object, "pid_namespace"));
    claim.user = text_in(object, "user");
    claim.host = text_in(object, "host");
    claim.job = text_in(object, "job");
    claim.since = text_in(object, "since");
    claim.since_boot_ms = number_in(object, "since_boot_ms");
  } catch (const Error&) {
    // Not JSON: its owner is unknown, and its place in the queue holds all the same.
  }
  return claim;
}

std::string in_words(const Claim& claim) {
  if (claim.pid == 0 && claim.user.empty() && claim.job.empty()) return "an unknown job (its ticket says nothing)";
  const auto plain = [](const std::string& text) {
    const std::string safe = kgate::quoted(text);
    return safe.substr(1, safe.size() - 2);
  };
  return fmt::format("{} of {} (process {} on {})", kgate::quoted(claim.job), plain(claim.user), claim.pid,
                     plain(claim.host));
}

std::string duration_in_words(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::llround(std::clamp(seconds, 0.0, 1e12)));
  if (whole < 120) return fmt::format("{} s", whole);
  const std::int64_t minutes = whole / 60;
  if (minutes < 120) return fmt::format("{} min", minutes);
  return fmt::format("{} h {} min", minutes / 60, minutes % 60);
}

}  // namespace kgate::lease
