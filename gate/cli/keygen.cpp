#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>
#include <system_error>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/quote.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/verbs.h"
#include "gate/trust/key.h"

namespace kgate::cli {
namespace {

namespace fs = std::filesystem;

// It becomes part of two file names and of a line of TOML.
void check_name(const std::string& name) {
  constexpr const char* kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-";
  const bool plain = !name.empty() && name.size() <= 100 && name.find_first_not_of(kLetters) == std::string::npos;
  if (plain && name.front() != '.' && name.front() != '-') return;
  throw Error(ErrorKind::usage, fmt::format("kgate keygen {}", kgate::quoted(name)), "is no name for a key",
              "take letters, digits, \".\", \"_\" and \"-\"; the folder is --keys-out's");
}

// As the policy writes them; a key has few uses, and one for each is the rule.
std::string roles_of(const std::vector<std::string>& given) {
  std::vector<std::string> roles;
  for (const auto& role : given) {
    const std::string quoted = fmt::format("\"{}\"", role);
    if (std::find(roles.begin(), roles.end(), quoted) == roles.end()) roles.push_back(quoted);
  }
  if (roles.empty())
    return "roles = [\"cases\"]  # or what it is for: \"accept\", \"history\" (of a nightly job); keygen --role writes "
           "it\n";
  return fmt::format("roles = [{}]\n", fmt::join(roles, ", "));
}

// Both or neither: half a pair is of no use, and a name that is taken is found out before a key is made.
void write_pair(const fs::path& secret, const std::string& secret_pem, const fs::path& open,
                const std::string& open_pem) {
  create_file(open, open_pem, 0644);
  try {
    create_file(secret, secret_pem, 0600);
  } catch (...) {
    std::error_code ignored;
    fs::remove(open, ignored);
    throw;
  }
}

}  // namespace

ExitCode make_key(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.names.size() != 1) {
    throw Error(ErrorKind::usage, "kgate keygen", fmt::format("got {} names", arguments.names.size()),
                "give one: kgate keygen release");
  }
  const std::string& name = arguments.names.front();
  check_name(name);
  const std::string secret_words = passphrase(arguments, invocation.surroundings);
  const fs::path folder = arguments.keys_out;
  const fs::path secret = folder / (name + ".key.pem"), open = folder / (name + ".pub.pem");
  const auto key = trust::PrivateKey::generate();
  write_pair(secret, key.pem(secret_words), open, key.public_key().pem());

  std::cout << fmt::format(
      "private key: {}, mode 0600, {}\n"
      "public key:  {}\n"
      "id:          {}\n\n"
      "Whoever can read the private key can sign with it. Keep it out of the repository: in a vault (--key-command), "
      "in\n"
      "a secret of the CI system (KGATE_KEY), or in a file of its owner's (--key, KGATE_KEY_FILE).\n\n"
      "The public key goes to .kgate/keys, with this in .kgate/policy.toml; once that is merged, signatures count.\n\n"
      "[[key]]\n"
      "file  = \"keys/{}.pub.pem\"\n"
      "{}",
      secret.string(),
      secret_words.empty() ? "not encrypted (KGATE_KEY_PASSPHRASE or --passphrase-file would do that)" : "encrypted",
      open.string(), key.public_key().id(), name, roles_of(arguments.roles));
  return ExitCode::pass;
}

}  // namespace kgate::cli
