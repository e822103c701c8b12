#pragma once

#include <cstddef>
#include <cstdint>

// What each reader must do with any bytes whatever: answer with a value, or throw kgate::Error(usage). Anything else
// escapes or aborts. A value must hold: it is written and read again. The result is always 0, as libFuzzer wants it.
int fuzz_npy(const std::uint8_t* data, std::size_t size);
int fuzz_safetensors(const std::uint8_t* data, std::size_t size);
int fuzz_json(const std::uint8_t* data, std::size_t size);
