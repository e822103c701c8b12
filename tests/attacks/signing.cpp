#include "tests/attacks/signing.h"

#include "base/base64.h"
#include "base/digest.h"
#include "gate/cases/case_files.h"
#include "gate/trust/statement.h"
#include "tests/support/catch.h"
#include "tests/trust/key_fixture.h"

using namespace kgate;
using namespace kgate::trust;

PrivateKey key_of(Who who) {
  return test_key(static_cast<unsigned>(who));
}

CasesStatement statement_of(const Folder& repo, const std::string& folder) {
  const FolderTree tree(repo.root());
  const std::string path = folder + "/cases.toml";
  const auto spec = cases::parse_cases(repo.read(path), path);
  CasesStatement statement{spec.kernel, spec.revision, "2020-01-01T00:00:00Z", {}, {}, ""};
  for (const auto& file : cases::files_of(spec, tree)) {
    const auto content = tree.read(file, 64 << 20);
    REQUIRE(content);
    statement.files[cases::name_in(spec, file)] = sha256_hex(*content);
  }
  return statement;
}

std::string signed_by(const std::vector<Who>& who, const Statement& statement) {
  Envelope envelope = wrap(statement);
  for (const Who one : who) add_signature(envelope, key_of(one));
  return write_envelope(envelope);
}

void sign_cases(const Folder& repo, const std::string& folder, const std::vector<Who>& who) {
  repo.write(folder + "/cases.toml.dsse", signed_by(who, to_statement(statement_of(repo, folder))));
}

void sign_changed(const Folder& repo, const std::string& folder, const std::function<void(CasesStatement&)>& change) {
  CasesStatement statement = statement_of(repo, folder);
  change(statement);
  repo.write(folder + "/cases.toml.dsse", signed_by({Who::reviewer}, to_statement(statement)));
}

void edit_envelope(const Folder& repo, const std::string& path, const std::function<void(Json&)>& change) {
  Json json = Json::parse(repo.read(path));
  change(json);
  repo.write(path, json.dump());
}

void sign_payload(const Folder& repo, const std::string& path, const std::function<void(Json&)>& change) {
  Envelope envelope = parse_envelope(repo.read(path), path);
  Json payload = Json::parse(text_of(envelope.payload));
  change(payload);
  envelope.payload = bytes_of(payload.dump());
  envelope.signatures.clear();
  add_signature(envelope, key_of(Who::reviewer));
  repo.write(path, write_envelope(envelope));
}
