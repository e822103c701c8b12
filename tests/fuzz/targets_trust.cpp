#include "base/error.h"
#include "base/json.h"
#include "gate/trust/dsse.h"
#include "gate/trust/signed_cases.h"
#include "gate/trust/statement.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

using namespace kgate;

namespace {

void same(const trust::CasesStatement& one, const trust::CasesStatement& other) {
  require(one.kernel == other.kernel && one.revision == other.revision && one.signed_at == other.signed_at);
  require(one.files == other.files && one.weaknesses.size() == other.weaknesses.size());
}

}  // namespace

int fuzz_envelope(const std::uint8_t* data, std::size_t size) {
  try {
    const trust::Envelope envelope = trust::parse_envelope(text_of(std::as_bytes(std::span(data, size))), "x.dsse");
    const trust::Envelope again = trust::parse_envelope(trust::write_envelope(envelope), "again.dsse");
    require(again.payload_type == envelope.payload_type && again.payload == envelope.payload);
    require(again.signatures.size() == envelope.signatures.size());
    for (std::size_t i = 0; i < again.signatures.size(); ++i) {
      require(again.signatures[i].value == envelope.signatures[i].value);
      require(again.signatures[i].keyid == envelope.signatures[i].keyid);
    }
    const trust::Statement statement = trust::unwrap(envelope, trust::kCasesPredicate, "x.dsse");
    require(!statement.subjects.empty());
    const trust::CasesStatement cases = trust::cases_statement_from(statement, "x.dsse");
    same(cases, trust::cases_statement_from(
                    trust::unwrap(trust::wrap(trust::to_statement(cases)), trust::kCasesPredicate, "again"), "again"));
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::untrusted);
    canonical_json(error.what());
  }
  return 0;
}

int fuzz_statement(const std::uint8_t* data, std::size_t size) {
  const auto payload = std::as_bytes(std::span(data, size));
  const auto text = trust::write_envelope(
      {trust::kInTotoPayload, Bytes(payload.begin(), payload.end()), {{"k", Bytes(64)}, {"", Bytes(3)}}});
  return fuzz_envelope(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}
