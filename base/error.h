#pragma once

#include <exception>
#include <string>

namespace kgate {

// The one exception type: a failure of the world around kgate. It is thrown where it is found and caught once, in main,
// which turns its kind into an exit code. What is found about a kernel (wrong, slow, does not compile) is a value,
// never an Error.
enum class ErrorKind { usage, untrusted, environment, missing, interrupted, internal };

class Error : public std::exception {
 public:
  // Lower case, without a full stop. `subject` is what it is about (a file with its line, a key, a library), `fact`
  // what is the case, `hint` what to do about it. what() reads "subject: fact; hint".
  Error(ErrorKind kind, std::string subject, std::string fact, std::string hint = {});

  ErrorKind kind() const { return kind_; }
  const std::string& subject() const { return subject_; }
  const std::string& fact() const { return fact_; }
  const std::string& hint() const { return hint_; }
  const char* what() const noexcept override { return message_.c_str(); }

 private:
  ErrorKind kind_;
  std::string subject_, fact_, hint_, message_;
};

const char* name_of(ErrorKind kind);
// Throws Error(internal) for a name that name_of never returned.
ErrorKind error_kind_from_name(const std::string& name);

// Error(internal) for a failed system call: "subject: fact: strerror(errno)". Running out of disk or memory is the
// environment's fault.
Error system_error(const std::string& subject, const std::string& fact, int error_number);

}  // namespace kgate
