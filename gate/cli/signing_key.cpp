#include "gate/cli/signing_key.h"
#include <cstdlib>
#include "base/file.h"
namespace kgate::cli {
trust::PrivateKey signing_key(const Arguments&, const Surroundings&) {
  const char* file = std::getenv("KGATE_KEY_FILE");
  return trust::PrivateKey::from_pem(text_of(read_file(file, 65536)), "", file);
}
}  // namespace kgate::cli
