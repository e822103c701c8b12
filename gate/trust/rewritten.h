#pragma once

#include <string>

#include "base/bytes.h"
#include "gate/trust/attributes.h"

namespace kgate::trust {

// What is judged is what is merged, and what is built is what a checkout makes of that. Throws Error(untrusted, path,
// fact, remedy) where attributes make the two differ by more than line ends: expanded keywords, another encoding, a
// filter's program (but Git LFS, whose files are read by their digests).
void refuse_rewritten(const std::string& path, ByteView content, const Attributes& attributes);

// The same for what git would commit of a file, `made`, whatever told it so.
void refuse_unlike(const std::string& path, ByteView content, ByteView made);

}  // namespace kgate::trust
