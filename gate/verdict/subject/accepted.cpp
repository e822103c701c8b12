#include "gate/verdict/subject/accepted.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/memory_tree.h"
#include "fingerprint/comparison.h"
#include "gate/cases/job.h"
#include "gate/trust/history.h"

namespace kgate::verdict {
namespace {

const trust::Measurement* measured_on(const trust::Record& record, const std::string& device_class) {
  const auto found = std::find_if(record.measurements.begin(), record.measurements.end(),
                                  [&](const auto& one) { return one.device_class == device_class; });
  return found == record.measurements.end() ? nullptr : &*found;
}

// The newest record of this class, else the newest of any.
struct Wanted {
  std::string against;
  bool release = false;
  std::optional<trust::LedgerEntry> same_class = {}, any = {};

  void look(const trust::LedgerEntry& entry, const std::string& device_class) {
    if (same_class || (release && entry.record.release.empty())) return;
    if (measured_on(entry.record, device_class) != nullptr) same_class = entry;
    if (!any) any = entry;
  }
};

// The measurement of this class; else one of the same GPU under another driver or toolkit, whose machine code runs here
// and shows what they change; else null.
const trust::Measurement* measurement_for(const trust::Record& record, const AcceptedOptions& options) {
  if (const auto* same = measured_on(record, options.device_class)) return same;
  const auto found = std::find_if(record.measurements.begin(), record.measurements.end(), [&](const auto& one) {
    return one.backend == options.backend && one.device_name == options.device_name &&
           one.architecture == options.architecture;
  });
  return found == record.measurements.end() ? nullptr : &*found;
}

std::shared_ptr<const runner::Compiled> recorded_code(const trust::Measurement* here, const AcceptedOptions& options) {
  // Machine code of another architecture does not run here; the host's is tied to libraries that may have changed.
  if (here == nullptr || options.backend != "cuda" || here->architecture != options.architecture) return nullptr;
  auto code = std::make_shared<runner::Compiled>();
  code->status = runner::Compiled::Status::ok;
  code->code = options.ledger->object(here->code);
  code->symbols = here->symbols;
  return code;
}

// One that an older kgate wrote in another form is not compared.
Json fingerprint_of(const trust::Measurement& measurement, const AcceptedOptions& options) {
  if (measurement.fingerprint.empty()) return {};
  try {
    return fingerprint::read_fingerprint(text_of(options.ledger->object(measurement.fingerprint)), "fingerprint");
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return {};
  }
}

std::optional<AcceptedVersion> version_from(const Subject& subject, const Wanted& wanted,
                                            const AcceptedOptions& options, std::vector<std::string>& warnings) {
  const auto& entry = wanted.same_class ? wanted.same_class : options.any_class ? wanted.any : std::nullopt;
  if (!entry) return std::nullopt;
  const trust::Record& record = entry->record;
  std::map<std::string, Bytes> files;
  for (const auto& [path, digest] : record.files) files[path] = options.ledger->object(digest);
  const auto skip = [&](const std::string& why) {
    warnings.push_back(fmt::format("not compared with what record {} accepted: {}", record.sequence, why));
    return std::nullopt;
  };
  AcceptedVersion accepted;
  try {
    accepted.version =
        read_version(MemoryTree(std::move(files), fmt::format("record {}", record.sequence)), record.path);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return skip(error.what());
  }
  if (const auto why = misfit(subject, accepted.version); !why.empty()) return skip(why);
  accepted.against = wanted.against;
  accepted.sequence = record.sequence;
  accepted.commit = record.commit;
  const auto* here = measurement_for(record, options);
  accepted.device_class = here != nullptr ? here->device_class : record.measurements.front().device_class;
  accepted.recorded = recorded_code(here, options);
  if (here != nullptr) accepted.measured = *here;
  accepted.fingerprint = fingerprint_of(here != nullptr ? *here : record.measurements.front(), options);
  accepted.release = record.release;
  accepted.signers = entry->signers;
  accepted.cases_digest = record.cases_digest;
  return accepted;
}

// Whether the base had its own version when the record was made. An approver who said yes to a version had then seen
// what it is measured against; a release that was accepted once does not let everybody go back to it for good.
bool in_view_of_base(const Subject& subject, const trust::Record& record, const AcceptedOptions& options) {
  if (!subject.base || subject.base->digest == subject.candidate.digest) return true;
  std::vector<std::string> paths{subject.base->spec.path};
  for (const auto& [path, content] : subject.base->files) paths.push_back(path);
  return trust::unchanged_since(*options.repository, options.base_commit, paths, record.time) <= record.time;
}

}  // namespace

std::string misfit(const Subject& subject, const Version& version) {
  try {
    for (const auto& one : subject.cases.cases) cases::bind(subject.cases, one, cases::version_of(version.spec));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;
    return error.what();
  }
  return {};
}

void add_accepted(Subject& subject, const AcceptedOptions& options) {
  if (subject.ledger_name.empty()) return;
  std::vector<Wanted> all;
  for (const auto& name : options.compare) {
    if (name != "base") all.push_back({name, name == "last-release"});
  }
  // What was accepted before the base's own version is history: going back to it is a change like any other.
  std::optional<trust::LedgerEntry> own;
  bool own_is_head = false, newer_than_base = false, first = true;
  options.ledger->records(subject.ledger_name, [&](const trust::LedgerEntry& entry) {
    const trust::Record& record = entry.record;
    if (entry.ended) return false;
    for (auto& wanted : all) wanted.look(entry, options.device_class);
    const bool is_base = subject.base && record.content == "sha256:" + subject.base->digest;
    if (!own && !newer_than_base && record.content == "sha256:" + subject.candidate.digest) {
      own = entry;
      own_is_head = first;
    }
    newer_than_base = newer_than_base || is_base;
    first = false;
    const bool found = std::all_of(all.begin(), all.end(), [](const auto& one) { return one.same_class.has_value(); });
    return !found || (own && !newer_than_base && !own_is_head);
  });
  const bool in_order = own && (own_is_head || newer_than_base);
  if (own && !(in_order && in_view_of_base(subject, own->record, options))) {
    subject.warnings.push_back(fmt::format(
        "record {} accepted this content before the base had its own version, which is no approval of going "
        "back; where that is meant: kgate accept {} --slower REASON",
        own->record.sequence, subject.name));
  } else if (own) {
    subject.preapproved =
        fmt::format("accepted by record {} ({}): {}", own->record.sequence, fmt::join(own->signers, ", "),
                    own->record.slower.empty() ? own->record.reason : own->record.slower);
  }
  for (const auto& wanted : all) {
    if (auto version = version_from(subject, wanted, options, subject.warnings))
      subject.accepted.push_back(std::move(*version));
  }
}

}  // namespace kgate::verdict
