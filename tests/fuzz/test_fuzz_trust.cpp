#include "gate/trust/dsse.h"
#include "gate/trust/signed_cases.h"
#include "tests/fuzz/hammer.h"
#include "tests/fuzz/targets.h"
#include "tests/support/catch.h"

using namespace kgate;

namespace {

trust::CasesStatement good_cases() {
  trust::CasesStatement cases{"softmax", 3, "2026-11-29T22:55:27Z", {}, {{"zeros", "a case of more"}}, "a reason"};
  cases.files = {{"cases.toml", std::string(64, 'a')}, {"../common/x.cuh", std::string(64, '0')}};
  return cases;
}

Bytes envelope_of(const std::string& payload) {
  return bytes_of(
      trust::write_envelope({trust::kInTotoPayload, bytes_of(payload), {{"k", Bytes(64)}, {"", Bytes(3)}}}));
}

// Damage to an envelope's text rarely leaves base64 whole: this one damages the payload alone.
int fuzz_payload(const std::uint8_t* data, std::size_t size) {
  const Bytes text = envelope_of(std::string(text_of(std::as_bytes(std::span(data, size)))));
  return fuzz_envelope(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
}

}  // namespace

TEST_CASE("a damaged envelope is untrusted or read, never more") {
  const Bytes payload = trust::wrap(trust::to_statement(good_cases())).payload;
  hammer(fuzz_envelope, {envelope_of(std::string(text_of(payload))), envelope_of("{}"), envelope_of("")}, 4);
}

TEST_CASE("a damaged statement is untrusted or read, never more") {
  hammer(fuzz_payload, {trust::wrap(trust::to_statement(good_cases())).payload}, 5);
}
