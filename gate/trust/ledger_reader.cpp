#include "gate/trust/ledger_reader.h"

#include <utility>

#include "base/error.h"
#include "gate/trust/dsse.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"

namespace kgate::trust {
namespace {

constexpr std::uint64_t kMaxObject = 1u << 30;
constexpr const char* kKeepKeys =
    "a record needs keys that the policy has for it on its day: keep earlier ones there, with not_after; a record that "
    "nobody was to sign has to go, docs/ledger.md says how";

constexpr const char* kBeginAnew =
    "records cannot be signed again: where the policy has come to ask for more keys, it begins a new branch in the "
    "same change, [ledger] branch = \"kgate/ledger-2\", and the current versions are accepted anew; docs/ledger.md "
    "says "
    "how";

// What is wrong with an envelope is mended by its signer; a record of the ledger cannot be signed anew.
template <typename Action>
auto with_remedy(const char* remedy, Action&& action) {
  try {
    return action();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    throw Error(error.kind(), error.subject(), error.fact(), remedy);
  }
}

Record read_record(const Envelope& envelope, const LedgerOptions& options, const std::string& subject) {
  return record_from(with_remedy(kRewritten, [&] { return unwrap(envelope, options.predicate, subject); }), subject);
}

Envelope read_envelope(ByteView text, const std::string& subject) {
  return with_remedy(kRewritten, [&] { return parse_envelope(text_of(text), subject); });
}

}  // namespace

LedgerEntry read_entry(ByteView envelope, const LedgerOptions& options, const Keyring& keyring,
                       const std::string& subject) {
  const Envelope opened = read_envelope(envelope, subject);
  // The day by which the keys are judged is in the record itself; nothing else of it is used before its signatures
  // hold.
  LedgerEntry entry{read_record(opened, options, subject), digest_of(envelope), {}};
  const std::string day = entry.record.time.substr(0, 10);
  const auto verify = [&](const Keyring& keys) { return keys.verify(opened, options.role, day, subject); };
  const auto short_of_keys = [&] {
    try {
      return !verify(Keyring(keyring.keys(), {})).empty();  // one is enough
    } catch (const Error&) {
      return false;
    }
  };
  try {
    entry.signers = verify(keyring);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::untrusted) throw;
    throw Error(error.kind(), error.subject(), error.fact(), short_of_keys() ? kBeginAnew : kKeepKeys);
  }
  return entry;
}

LedgerReader::LedgerReader(GitObjects objects, const ObjectName& tree, std::string label, const LedgerOptions& options,
                           const Keyring& keyring)
    : objects_(std::move(objects)), tree_(tree), label_(std::move(label)), options_(options), keyring_(keyring) {}

LedgerReader LedgerReader::reopened() const {
  return {objects_.reopened(), tree_, label_, options_, keyring_};
}

std::string LedgerReader::subject(const std::string& kernel, std::int64_t sequence) const {
  return label_ + ":" + record_path(kernel, sequence);
}

std::optional<ObjectName> LedgerReader::find(const std::string& path) const {
  const auto entry = objects_.find(tree_, path);
  if (!entry || entry->kind != EntryKind::file) return std::nullopt;
  return entry->object;
}

RecordFile LedgerReader::find(const std::string& kernel, std::int64_t sequence) const {
  const auto blob = find(record_path(kernel, sequence));
  if (!blob) {
    throw Error(ErrorKind::untrusted, subject(kernel, sequence), "is missing, and the records after it name it",
                kRewritten);
  }
  return {sequence, *blob};
}

std::optional<KernelFolder> LedgerReader::folder(const std::string& kernel) const {
  const std::string path = std::string(kRecordsFolder) + "/" + kernel;
  const auto entry = objects_.find(tree_, path);
  if (!entry) return std::nullopt;
  return read_folder(objects_, *entry, label_ + ":" + path);
}

Bytes LedgerReader::file(const std::string& path) const {
  const auto blob = find(path);
  if (!blob) throw Error(ErrorKind::untrusted, label_ + ":" + path, "is missing", kRewritten);
  return with_remedy(kRewritten, [&] { return objects_.blob(*blob, kMaxEnvelope, label_ + ":" + path); });
}

Bytes LedgerReader::bytes(const std::string& kernel, const RecordFile& file,
                          const std::optional<std::string>& digest) const {
  const std::string what = subject(kernel, file.sequence);
  Bytes content = with_remedy(kRewritten, [&] { return objects_.blob(file.blob, kMaxEnvelope, what); });
  if (digest && digest_of(content) != *digest)
    throw Error(ErrorKind::untrusted, what, "is not the record that the ones after it name", kRewritten);
  return content;
}

LedgerEntry LedgerReader::entry(const std::string& kernel, const RecordFile& file,
                                const std::optional<std::string>& digest) const {
  return read_entry(bytes(kernel, file, digest), options_, keyring_, subject(kernel, file.sequence));
}

Record LedgerReader::record(const std::string& kernel, const RecordFile& file, const std::string& digest) const {
  const std::string what = subject(kernel, file.sequence);
  return read_record(read_envelope(bytes(kernel, file, digest), what), options_, what);
}

std::string LedgerReader::digest(const std::string& kernel, const RecordFile& file) const {
  return digest_of(bytes(kernel, file, {}));
}

Bytes LedgerReader::object(const std::string& digest) const {
  const std::string path = object_path(digest);
  const auto blob = find(path);
  if (!blob) throw Error(ErrorKind::untrusted, label_ + ":" + path, "is missing, and a record names it", kRewritten);
  return object(digest, *blob);
}

Bytes LedgerReader::object(const std::string& digest, const ObjectName& blob) const {
  const std::string what = label_ + ":" + object_path(digest);
  Bytes content = with_remedy(kRewritten, [&] { return objects_.blob(blob, kMaxObject, what); });
  if (digest_of(content) != digest)
    throw Error(ErrorKind::untrusted, what, "does not have the digest that it is named by", kRewritten);
  return content;
}

}  // namespace kgate::trust
