#pragma once

#include <map>
#include <string>

#include "base/tensor.h"

namespace kgate {

// The safetensors format (github.com/huggingface/safetensors, README "Format"): 8 bytes of header length, a JSON
// header, the data. Throws Error(usage, subject, ...) for anything that does not hold: overlapping or missing ranges,
// wrong sizes, unknown types, a header over 100 MB, duplicate entries. Entries need not be aligned: they are copied
// out.
std::map<std::string, Tensor> read_safetensors(ByteView file, const std::string& subject);
// One tensor by its key; the error for an unknown key names the nearest one.
Tensor read_safetensor(ByteView file, const std::string& key, const std::string& subject);
Bytes write_safetensors(const std::map<std::string, Tensor>& tensors);

}  // namespace kgate
