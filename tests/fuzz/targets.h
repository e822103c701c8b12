#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

// What each reader must do with any bytes whatever: answer with a value, or throw kgate::Error of the kind that is its
// own. Anything else escapes or aborts. A value must hold: it is written and read again, or used. The result is always
// 0, as libFuzzer wants it.
int fuzz_npy(const std::uint8_t* data, std::size_t size);
int fuzz_safetensors(const std::uint8_t* data, std::size_t size);
int fuzz_json(const std::uint8_t* data, std::size_t size);
// kernel.toml and cases.toml, bound to each other's good ones; policy.toml. Errors begin with the file's path.
int fuzz_kernel(const std::uint8_t* data, std::size_t size);
int fuzz_cases(const std::uint8_t* data, std::size_t size);
int fuzz_policy(const std::uint8_t* data, std::size_t size);
// The same for what somebody may have signed, with kgate::Error(untrusted): an envelope, the statement in it, and the
// statements that kgate makes.
int fuzz_envelope(const std::uint8_t* data, std::size_t size);
// The bytes are the statement, in an envelope that holds: damage to an envelope's text rarely leaves its base64 whole.
int fuzz_statement(const std::uint8_t* data, std::size_t size);
// Both ends of the protocol, from the socket on: the child that reads requests (and does what they say, on a device
// that is only memory), and the judge that reads replies. The first byte says what follows: 'f' one body, which is
// framed here; 's' a CBOR array of bodies, each framed; else the bytes go to the socket as they are.
int fuzz_request(const std::uint8_t* data, std::size_t size);
int fuzz_reply(const std::uint8_t* data, std::size_t size);
// What a model or an agent answers in a search: found in its words, read, fitted to a briefing.
int fuzz_proposal(const std::uint8_t* data, std::size_t size);
// A search's journal: read, written again, replayed, summed up.
int fuzz_journal(const std::uint8_t* data, std::size_t size);

struct FuzzTarget {
  std::string name;  // of its folder in corpus/
  int (*call)(const std::uint8_t*, std::size_t);
  std::vector<std::string> words;  // that mutations put in
};
const std::vector<FuzzTarget>& fuzz_targets();
