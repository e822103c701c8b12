#include "gate/trust/ledger_chain.h"

#include <algorithm>
#include <ctime>

#include <fmt/format.h>

#include "base/error.h"
#include "base/utc.h"
#include "gate/trust/ledger_names.h"

namespace kgate::trust {
namespace {

constexpr std::int64_t kSlack = 86400;

[[noreturn]] void refuse(const std::string& subject, const std::string& fact, const std::string& remedy = kRewritten) {
  throw Error(ErrorKind::untrusted, subject, fact, remedy);
}

}  // namespace

std::string heads_digest(const std::map<std::string, std::string>& heads) {
  // The canonical JSON, written here: names and digests have no character that JSON escapes, and a ledger of a hundred
  // thousand records has a hundred thousand of these.
  std::string text = "{";
  for (const auto& [kernel, digest] : heads) {
    if (text.size() > 1) text += ',';
    text.append("\"").append(kernel).append("\":\"").append(digest).append("\"");
  }
  return digest_of(view_of(text + "}"));
}

void check_place(const Record& record, const Place& place, const std::string& subject) {
  if (record.sequence != place.sequence)
    refuse(subject, fmt::format("is record {} by its own word, not {}", record.sequence, place.sequence));
  if (record.previous != place.previous) {
    refuse(subject,
           fmt::format("was not made after record {} as it is here: that one was replaced, or this one belongs "
                       "to another ledger",
                       place.sequence - 1));
  }
  if (record.time < place.previous_time) {
    refuse(subject, fmt::format("is dated {}, and record {} before it {}: dates never go back", record.time,
                                place.sequence - 1, place.previous_time));
  }
  const auto origin = place.heads.find(origin_of(record));
  if (record.kernel_previous != (origin == place.heads.end() ? std::string() : origin->second)) {
    refuse(subject, fmt::format("was not made after the last record of \"{}\" as it is here: that one was removed or "
                                "replaced, or this one belongs to another ledger",
                                origin_of(record)));
  }
  if (!record.renamed_from.empty() && origin == place.heads.end())
    refuse(subject, fmt::format("renames \"{}\", of which there is no record", record.renamed_from));
  if (record.heads != heads_digest(place.heads)) {
    refuse(subject,
           "was made when the kernels' last records were others: one of them was removed or replaced, or this one "
           "belongs to another ledger");
  }
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
  place.heads[record.kernel] = digest;
  if (!record.renamed_from.empty()) place.heads[record.renamed_from] = digest;
  place.previous = digest;
  place.previous_time = record.time;
  ++place.sequence;
}

}  // namespace kgate::trust
