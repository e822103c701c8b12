#include "gate/cli/signing_key.h"

#include <cerrno>
#include <string_view>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/process.h"
#include "base/read_descriptor.h"
#include "base/unique_fd.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kMaxSecret = 64u << 10;

// A file that only its owner can read. The mode is that of the file that was opened, whatever the name means by then.
std::string read_secret(const std::string& path) {
  const UniqueFd fd(::open(path.c_str(), open_flags_for_reading()));
  if (!fd) {
    const Error error = system_error(path, "cannot be opened", errno);
    throw Error(error.kind(), error.subject(), error.fact(),
                "name the file, and let this user alone read it; kgate keygen NAME makes a key");
  }
  const Bytes content = read_descriptor(fd.get(), path, kMaxSecret);
  struct stat status {};
  if (::fstat(fd.get(), &status) != 0) throw system_error(path, "cannot be read", errno);
  if (text_of(content).find("-----BEGIN PUBLIC KEY-----") != std::string_view::npos)
    throw Error(ErrorKind::usage, path, "is a public key", "sign with its private half: NAME.key.pem of kgate keygen");
  if ((status.st_mode & 077U) != 0) {
    throw Error(ErrorKind::usage, path,
                fmt::format("can be read or written by others (mode {:04o})", status.st_mode & 07777U),
                "chmod 600 " + path);
  }
  return std::string(text_of(content));
}

// What a vault's client prints on stdout. Its stderr is the user's: where it fails, that says why, and what it printed
// may be a key. It stays in our process group, so that it can ask on the terminal.
std::string output_of(const std::string& command, const Surroundings& surroundings) {
  ProcessOptions options;
  options.command = {"/bin/sh", "-c", "exec 2>&3 3>&-\n" + command};
  options.environment = surroundings.environment;
  options.descriptors = {{STDERR_FILENO, 3}};
  options.own_group = false;
  CommandLimits limits;
  limits.max_output = kMaxSecret;
  const CommandResult result = run_command(options, limits);
  const std::string remedy = "run it by hand: it has to print the private key, as PEM, on stdout";
  if (result.timed_out) throw Error(ErrorKind::usage, "--key-command", "did not end within two minutes", remedy);
  if (!result.status.ok()) {
    throw Error(ErrorKind::usage, "--key-command",
                result.status.signal != 0 ? fmt::format("was ended by signal {}", result.status.signal)
                                          : fmt::format("ended with exit code {}", result.status.code),
                remedy);
  }
  if (result.output.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error(ErrorKind::usage, "--key-command", "printed nothing", remedy);
  return result.output;
}

// A secret that was pasted through something that takes one line.
void check_lines(const std::string& pem) {
  if (pem.rfind("-----BEGIN ", 0) != 0 || pem.find('\n') < pem.find("-----END ")) return;
  const bool written_out = pem.find("\\n") != std::string::npos;
  throw Error(ErrorKind::usage, "KGATE_KEY",
              written_out ? "has its line ends written out, as \\n" : "has lost its line ends",
              "store the file as it is, with its lines; where that is not possible: KGATE_KEY_FILE, or --key-command");
}

}  // namespace

std::string passphrase(const Arguments& arguments, const Surroundings& surroundings) {
  if (arguments.passphrase_file.empty()) return surroundings.key_passphrase;
  std::string text = read_secret(arguments.passphrase_file);
  if (text.ends_with('\n')) text.pop_back();
  if (text.ends_with('\r')) text.pop_back();
  if (text.empty()) {
    throw Error(ErrorKind::usage, arguments.passphrase_file, "holds no passphrase", "write it there, on one line");
  }
  return text;
}

trust::PrivateKey signing_key(const Arguments& arguments, const Surroundings& surroundings) {
  if (!arguments.key.empty() && !arguments.key_command.empty()) {
    throw Error(ErrorKind::usage, "signing key", "--key and --key-command are both given", "give one of them");
  }
  const auto from_pem = [&](const std::string& pem, const std::string& subject) {
    return trust::PrivateKey::from_pem(pem, passphrase(arguments, surroundings), subject);
  };
  if (!arguments.key.empty()) return from_pem(read_secret(arguments.key), arguments.key);
  if (!arguments.key_command.empty()) return from_pem(output_of(arguments.key_command, surroundings), "--key-command");
  if (!surroundings.key.empty()) {
    check_lines(surroundings.key);
    return from_pem(surroundings.key, "KGATE_KEY");
  }
  if (!surroundings.key_file.empty()) return from_pem(read_secret(surroundings.key_file), surroundings.key_file);
  throw Error(
      ErrorKind::usage, "signing key", "there is none",
      "give --key FILE or --key-command COMMAND, or set KGATE_KEY or KGATE_KEY_FILE; kgate keygen NAME makes one");
}

}  // namespace kgate::cli
