#pragma once

#include <string>

#include "gate/cli/arguments.h"
#include "gate/cli/surroundings.h"
#include "gate/trust/key.h"

namespace kgate::cli {

// The private key to sign with: --key FILE, --key-command COMMAND (its stdout is the PEM: a vault's client), else
// KGATE_KEY (the PEM itself) or KGATE_KEY_FILE; a passphrase from KGATE_KEY_PASSPHRASE or --passphrase-file. Throws
// Error(usage) where there is none, where a file is readable by others, where the command fails. Nothing of a key is
// ever printed.
trust::PrivateKey signing_key(const Arguments& arguments, const Surroundings& surroundings);

// Of --passphrase-file, else KGATE_KEY_PASSPHRASE; empty where there is none.
std::string passphrase(const Arguments& arguments, const Surroundings& surroundings);

}  // namespace kgate::cli
