#pragma once

#include <string>
#include <vector>

#include "base/json.h"
#include "gate/trust/dsse.h"

// in-toto Statement, version 1 (github.com/in-toto/attestation, spec/v1/statement.md), as the payload of an envelope.
namespace kgate::trust {

struct StatementSubject {
  std::string name;
  std::string sha256;  // 64 lower-case hex digits
};

struct Statement {
  std::vector<StatementSubject> subjects;  // at least one, names unique
  std::string predicate_type;
  Json predicate = Json::object();
};

// An envelope without signatures around the statement's canonical JSON.
Envelope wrap(const Statement& statement);
// Reads the payload of an envelope whose signatures the caller has verified. Throws Error(untrusted, subject, ...) for
// another payload type, another statement or predicate type, no subjects, names twice, digests that are not SHA-256.
Statement unwrap(const Envelope& envelope, const std::string& predicate_type, const std::string& subject);

}  // namespace kgate::trust
