#include "tests/trust/ledger_fixture.h"

#include <filesystem>

#include <fmt/format.h>

#include "base/file.h"
#include "base/process.h"
#include "gate/trust/ledger_names.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

const std::string kRestore =
    "; the branch was damaged or rewritten: have it reset to its last commit that holds, docs/ledger.md says how";

Keyring LedgerFixture::keyring() {
  const auto key = [](unsigned number, const std::string& role, const std::optional<std::string>& not_after = {}) {
    return TrustedKey{test_key(number).public_key(), fmt::format("keys/{}.pub.pem", number), {role}, {}, not_after};
  };
  return Keyring({key(1, "accept"), key(2, "accept", "2026-06-30"), key(3, "history"), key(4, "cases")}, {});
}

Sign LedgerFixture::signer(unsigned key) {
  return [key](Envelope& envelope) { add_signature(envelope, test_key(key)); };
}

GitProgram LedgerFixture::program(const std::string& folder) const {
  return GitProgram(path(folder), {{"HOME", path("")},
                                   {"PATH", ProcessOptions().search_path},
                                   {"GIT_CONFIG_NOSYSTEM", "1"},
                                   {"GIT_COMMITTER_NAME", "A"},
                                   {"GIT_COMMITTER_EMAIL", "a@example.org"}});
}

Draft LedgerFixture::draft(const std::string& kernel, double us, const std::string& time) {
  Draft draft;
  const auto store = [&](const std::string& text) {
    const std::string digest = digest_of(view_of(text));
    draft.objects[digest] = bytes_of(text);
    return digest;
  };
  Record& record = draft.record;
  record.kernel = kernel;
  record.time = time;
  record.commit = std::string(40, 'a');
  record.path = fmt::format("kernels/{}/kernel.toml", kernel);
  record.files[record.path] = store("schema = \"kgate.kernel/1\"\n");
  record.files[fmt::format("kernels/{0}/{0}.cu", kernel)] = store(fmt::format("// {} in {} us\n", kernel, us));
  record.content = digest_of(view_of(fmt::format("{} {}", kernel, us)));
  record.cases_digest = digest_of(view_of("cases of " + kernel));
  record.cases_revision = 1;
  record.reason = "it is right";
  Measurement one;
  one.device_class = "0123456789abcdef";
  one.backend = "cuda";
  one.device_name = "NVIDIA H200";
  one.architecture = "sm_90";
  one.toolkit = "13.0";
  one.code = store(fmt::format("code of {} in {} us", kernel, us));
  one.symbols = {{kernel, "_Z" + kernel}};
  one.fingerprint = store("{}\n");
  one.registers = 32;
  one.code_bytes = 1024;
  one.cases["wide"] = {us, 24, 2, 30, "graph", store(fmt::format("samples of {} in {} us", kernel, us))};
  record.measurements.push_back(one);
  return draft;
}

LedgerEntry LedgerFixture::append(const std::string& folder, const Draft& draft, unsigned key) const {
  AppendOptions options;
  options.attempts = 1000;
  return kgate::trust::append(Repository::open(path(folder)), program(folder), keyring(), options, draft, signer(key));
}

Ledger LedgerFixture::open(const std::string& folder, const LedgerOptions& options) const {
  return Ledger::open(Repository::open(path(folder)), options, keyring());
}

std::string LedgerFixture::open_error(const std::string& folder, const LedgerOptions& options) const {
  return error_of([&] { open(folder, options); });
}

std::string LedgerFixture::verify_error(const std::string& folder) const {
  return error_of([&] { open(folder).verify(2); });
}

void LedgerFixture::damage(const std::string& folder, const std::function<void()>& action) const {
  git(folder, {"checkout", "-q", "kgate/ledger"});
  action();
  git(folder, {"add", "-A"});
  git(folder, {"commit", "-q", "--amend", "--allow-empty", "--no-edit"});
  git(folder, {"checkout", "-q", "main"});
}

std::string LedgerFixture::read(const std::string& relative) const {
  return std::string(text_of(read_file(path(relative), 64 << 20)));
}

Record LedgerFixture::record(const std::string& folder, const std::string& relative) const {
  const std::string text = git(folder, {"show", "kgate/ledger:" + relative}) + "\n";
  return record_from(unwrap(parse_envelope(text, relative), kAcceptedPredicate, relative), relative);
}

std::string LedgerFixture::put(const std::string& folder, const std::string& relative, const Record& record,
                               unsigned key, const std::string& predicate) const {
  Envelope envelope = wrap(to_statement(record, predicate));
  add_signature(envelope, test_key(key));
  const std::string text = write_envelope(envelope);
  write(folder + "/" + relative, text);
  return digest_of(view_of(text));
}
