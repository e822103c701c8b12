// Drafts on disk: what one machine measured, for somebody with a key to sign elsewhere. Nothing in these folders is
// trusted for being there: objects must have their digests, the version must be the one that is checked out, and who
// signs is shown what the record says.
#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "base/json.h"
#include "gate/cases/case_files.h"
#include "gate/trust/untrusted.h"
#include "gate/verdict/acceptance.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::verdict {
namespace {

constexpr const char* kStatement = "statement.json";
constexpr const char* kObjects = "objects";
constexpr std::uint64_t kMaxObject = 1u << 30;
constexpr std::size_t kPrefix = 7;  // "sha256:"

// A class is free text ("NVIDIA H200 80 GiB"); a folder's name is not.
std::string folder_name(const std::string& device_class) {
  std::string name = device_class;
  for (char& letter : name) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_';
    if (!plain) letter = '_';
  }
  return name.substr(0, 100);
}

constexpr const char* kMeasureAgain = "measure again: kgate accept --prepare";

// Who measured is believed for figures and machine code. Which version they are of is not for a draft to say: it is the
// one that is checked out where the key is, for anybody to look at.
void check_version(const trust::Record& record, const FileTree& head, const std::string& file) {
  if (record.retired) return;  // it has none
  const auto refuse = [&](const char* what) {
    throw Error(ErrorKind::untrusted, file, fmt::format("speaks of {} of \"{}\" than HEAD has", what, record.kernel),
                fmt::format("check out the commit that was measured, or {}", kMeasureAgain));
  };
  const auto digest_of_text = [](ByteView text) { return "sha256:" + sha256_hex(text); };
  const auto toml = head.read(record.path, trust::kMaxEnvelope);
  const std::string cases_path = join_beneath(parent_of(record.path), "cases.toml");
  const auto cases_text = head.read(cases_path, cases::kMostCasesBytes);
  if (!toml || !cases_text) refuse("another version");
  const Version version = read_version(head, record.path);
  std::map<std::string, std::string> files{{record.path, digest_of_text(*toml)}};
  for (const auto& [path, content] : version.files) files[path] = digest_of_text(content);
  const auto spec = cases::parse_cases(text_of(*cases_text), cases_path);
  if (record.content != "sha256:" + version.digest || record.files != files || record.kernel != spec.kernel)
    refuse("another version");
  if (record.cases_digest != digest_of_text(*cases_text) || record.cases_revision != spec.revision)
    refuse("other cases");
}

trust::Draft read_draft(const std::filesystem::path& file, const FileTree& head) {
  const auto bytes = read_file(file, trust::kMaxEnvelope);
  trust::Envelope envelope;
  envelope.payload_type = trust::kInTotoPayload;
  envelope.payload = bytes;
  trust::Draft draft;
  draft.record = trust::record_from(trust::unwrap(envelope, trust::kAcceptedPredicate, file.string()), file.string());
  trust::untrusted_where(kMeasureAgain, [&] { check_version(draft.record, head, file.string()); });
  for (const auto& digest : trust::objects_of(draft.record)) {
    const auto object = file.parent_path() / kObjects / digest.substr(kPrefix);
    Bytes content = trust::untrusted_where(kMeasureAgain, [&] { return read_file(object, kMaxObject); });
    if ("sha256:" + sha256_hex(content) != digest)
      throw Error(ErrorKind::untrusted, object.string(), "is not what was measured", kMeasureAgain);
    draft.objects.emplace(digest, std::move(content));
  }
  return draft;
}

// Everything but the measurements: what the signature says about the version.
Json version_part(trust::Record record) {
  record.measurements.clear();
  record.time = "2000-01-01T00:00:00Z";
  return trust::to_statement(record).predicate;
}

void add(std::map<std::string, PreparedDraft>& drafts, trust::Draft draft, const std::filesystem::path& path) {
  const std::string file = path.string();
  const auto [place, fresh] = drafts.try_emplace(draft.record.kernel, PreparedDraft{draft, {path.parent_path()}});
  if (fresh) return;
  place->second.places.push_back(path.parent_path());
  trust::Record& record = place->second.draft.record;
  if (version_part(record) != version_part(draft.record)) {
    throw Error(ErrorKind::usage, file,
                fmt::format("speaks of another version of \"{}\" than the draft before it", record.kernel),
                "measure the same commit, with the same reason, on every class");
  }
  record.time = std::max(record.time, draft.record.time);
  for (auto& measurement : draft.record.measurements) {
    const bool twice = std::any_of(record.measurements.begin(), record.measurements.end(),
                                   [&](const auto& one) { return one.device_class == measurement.device_class; });
    if (twice)
      throw Error(ErrorKind::usage, file, fmt::format("class \"{}\" is there twice", measurement.device_class),
                  "keep one of them");
    record.measurements.push_back(std::move(measurement));
  }
  place->second.draft.objects.merge(draft.objects);
}

}  // namespace

std::filesystem::path write_draft(const std::filesystem::path& folder, const trust::Draft& draft) {
  const auto& measured = draft.record.measurements;
  const auto place =
      folder / draft.record.kernel / (measured.empty() ? "retired" : folder_name(measured.front().device_class));
  for (const auto& [digest, content] : draft.objects)
    write_file_atomic(place / kObjects / digest.substr(kPrefix), content);
  trust::Record record = draft.record;
  record.sequence = 1;  // as if it were the first: the chain is known when it is signed
  record.heads = "sha256:" + sha256_hex(canonical_json(Json::object()));
  write_file_atomic(place / kStatement, trust::wrap(trust::to_statement(record)).payload);
  return place;
}

std::vector<PreparedDraft> read_drafts(const std::vector<std::filesystem::path>& folders, const FileTree& head) {
  std::map<std::string, PreparedDraft> drafts;
  std::set<std::filesystem::path> files;
  for (const auto& folder : folders) {
    std::error_code error;
    if (!std::filesystem::is_directory(folder, error))
      throw Error(ErrorKind::usage, folder.string(), "is no folder", "name what kgate accept --prepare wrote");
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
      if (entry.path().filename() == kStatement && entry.is_regular_file()) files.insert(entry.path());
    }
  }
  for (const auto& file : files) add(drafts, read_draft(file, head), file);
  if (drafts.empty())
    throw Error(ErrorKind::missing, "drafts", "none was found", "name what kgate accept --prepare wrote");
  std::vector<PreparedDraft> list;
  for (auto& [kernel, draft] : drafts) list.push_back(std::move(draft));
  return list;
}

void remove_draft(const PreparedDraft& prepared) {
  std::error_code ignored;  // a folder that can only be read stays, and is told apart by its record
  for (const auto& place : prepared.places) {
    for (const auto& [digest, content] : prepared.draft.objects)
      std::filesystem::remove(place / kObjects / digest.substr(kPrefix), ignored);
    std::filesystem::remove(place / kStatement, ignored);
    // Those that are empty now.
    for (const auto& folder : {place / kObjects, place, place.parent_path()}) std::filesystem::remove(folder, ignored);
  }
}

}  // namespace kgate::verdict
