#pragma once

#include <string>
#include <vector>

#include "bench/history.h"
#include "tests/cli/cli_fixture.h"

// A repository with an accepted kernel to be, and a key for nights.
class Nightly : public CliFixture {
 public:
  Nightly();

  std::string key(const std::string& name) const { return (root() / "private" / (name + ".key.pem")).string(); }
  Answer accept() const;
  Answer drift(std::vector<std::string> arguments = {}) const { return kgate(drift_arguments(std::move(arguments))); }
  // Timed, on the host backend.
  Answer tonight(std::vector<std::string> arguments = {}) const;
  std::vector<std::string> drift_arguments(std::vector<std::string> arguments) const;
  kgate::Json report() const;
  // Appends nights as kgate drift does, signed by the history's key; `time`: of the only one.
  void append(const kgate::bench::SimulatedHistory& simulated, const std::string& kernel,
              const std::string& time = "") const;
  static kgate::bench::SimulatedHistory simulated(std::int64_t nights);

  static const std::string kPolicy;

 private:
  std::string history_key_;
};
