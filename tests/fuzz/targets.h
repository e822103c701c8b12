#pragma once

#include <cstddef>
#include <cstdint>

// What each reader must do with any bytes whatever: answer with a value, or throw kgate::Error(usage). Anything else
// escapes or aborts. A value must hold: it is written and read again. The result is always 0, as libFuzzer wants it.
int fuzz_npy(const std::uint8_t* data, std::size_t size);
int fuzz_safetensors(const std::uint8_t* data, std::size_t size);
int fuzz_json(const std::uint8_t* data, std::size_t size);
// The same for what somebody may have signed, with kgate::Error(untrusted): an envelope, the statement in it, and the
// statements that kgate makes.
int fuzz_envelope(const std::uint8_t* data, std::size_t size);
