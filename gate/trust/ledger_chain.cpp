#include "gate/trust/ledger_chain.h"

#include <algorithm>
#include <ctime>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/untrusted.h"

namespace kgate::trust {
namespace {

constexpr std::int64_t kSlack = 86400;

[[noreturn]] void refuse(const std::string& subject, const std::string& fact, const std::string& remedy = kRewritten) {
  throw Error(ErrorKind::untrusted, subject, fact, remedy);
}

}  // namespace

std::string heads_text(const Heads& heads) {
  // Canonical JSON, written here: names and digests have no character that JSON escapes, and to verify a hundred
  // thousand records takes a hundred thousand of these.
  std::string text = "{";
  for (const auto& [kernel, head] : heads) {
    if (text.size() > 1) text += ',';
    text.append("\"").append(kernel).append("\":{\"digest\":\"").append(head.digest);
    text.append("\",\"ended\":").append(head.ended ? "true" : "false");
    text.append(",\"sequence\":").append(std::to_string(head.sequence)).append("}");
  }
  return text + "}";
}

Heads heads_from(std::string_view text, const std::string& subject) {
  Heads heads;
  const Json json = untrusted_where(kRewritten, [&] { return parse_json(text, subject); });
  if (json.is_object()) {
    for (const auto& [kernel, one] : json.items()) {
      const bool whole = one.is_object() && one.contains("digest") && one["digest"].is_string() &&
                         one.contains("ended") && one["ended"].is_boolean() && one.contains("sequence") &&
                         one["sequence"].is_number_integer();
      if (whole)
        heads[kernel] = {one["digest"].get<std::string>(), one["sequence"].get<std::int64_t>(),
                         one["ended"].get<bool>()};
    }
  }
  // Whatever else stood there is not in what is written again.
  if (heads_text(heads) != text) refuse(subject, "is not the canonical JSON of kernels and their last records");
  return heads;
}

std::string kernel_previous_in(const Heads& heads, const Record& record) {
  const auto origin = heads.find(origin_of(record));
  return origin == heads.end() ? std::string() : origin->second.digest;
}

void check_place(const Record& record, const Place& place, const std::string& subject) {
  if (record.sequence != place.sequence)
    refuse(subject, fmt::format("is record {} by its own word, not {}", record.sequence, place.sequence));
  if (record.previous != place.previous) {
    refuse(subject, fmt::format("was not made after record {} as it is here: that one was replaced, or this one "
                                "belongs to another ledger",
                                place.sequence - 1));
  }
  if (record.time < place.previous_time) {
    refuse(subject, fmt::format("is dated {}, and record {} before it {}: dates never go back", record.time,
                                place.sequence - 1, place.previous_time));
  }
  if (record.kernel_previous != kernel_previous_in(place.heads, record)) {
    refuse(subject, fmt::format("was not made after the last record of \"{}\" as it is here: that one was removed or "
                                "replaced, or this one belongs to another ledger",
                                origin_of(record)));
  }
  if (record.heads != digest_of(view_of(heads_text(place.heads)))) {
    refuse(subject,
           "was made when the kernels' last records were others: one of them was removed or replaced, or this one "
           "belongs to another ledger");
  }
  const auto is_alive = [&](const std::string& kernel) {
    const auto head = place.heads.find(kernel);
    return head != place.heads.end() && !head->second.ended;
  };
  if (record.retired && !is_alive(record.kernel))
    refuse(subject, fmt::format("retires \"{}\", which is not there or had ended", record.kernel));
  if (record.renamed_from.empty()) return;
  if (!is_alive(record.renamed_from))
    refuse(subject, fmt::format("renames \"{}\", which is not there or had ended", record.renamed_from));
  if (is_alive(record.kernel))
    refuse(subject,
           fmt::format("lets \"{}\" go on as \"{}\", which had not ended", record.renamed_from, record.kernel));
}

void check_folders(const Record& record, const std::vector<std::string>& folders, const std::string& subject) {
  std::vector<std::string> wanted{record.kernel};
  if (!record.renamed_from.empty()) wanted.push_back(record.renamed_from);
  for (const std::string& folder : folders) {
    if (std::find(wanted.begin(), wanted.end(), folder) == wanted.end())
      refuse(subject, fmt::format("is a record of \"{}\", and lies in the folder of \"{}\"", record.kernel, folder));
  }
  for (const std::string& kernel : wanted) {
    if (std::find(folders.begin(), folders.end(), kernel) == folders.end())
      refuse(subject, fmt::format("is a record of \"{}\" too, and does not lie in its folder", kernel));
  }
}

void check_not_future(const Record& record, std::int64_t now, const std::string& subject) {
  if (record.time <= utc_time(static_cast<std::time_t>(now + kSlack))) return;
  refuse(subject, fmt::format("is dated {}, which is in the future", record.time),
         "set this machine's clock; where it is right, the record has to go: docs/ledger.md says how");
}

void advance(Place& place, const Record& record, const std::string& digest) {
  place.heads[record.kernel] = {digest, record.sequence, record.retired};
  if (!record.renamed_from.empty()) place.heads[record.renamed_from] = {digest, record.sequence, true};
  place.previous = digest;
  place.previous_time = record.time;
  ++place.sequence;
}

}  // namespace kgate::trust
