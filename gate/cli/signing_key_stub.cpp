#include "gate/cli/signing_key.h"
namespace kgate::cli {
trust::PrivateKey signing_key(const Arguments&, const Surroundings&) {
  return trust::PrivateKey::generate();
}
}  // namespace kgate::cli
