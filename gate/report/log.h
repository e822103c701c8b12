#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "gate/report/report.h"
#include "gate/trust/ledger.h"

namespace kgate::report {

struct LoggedRecord {
  trust::LedgerEntry entry;
  // Of the record before it that was measured on the same class: class -> case -> us.
  std::map<std::string, std::map<std::string, double>> before;
};

// What `kgate log` shows of a ledger.
struct Log {
  std::string branch, commit, digest;  // the digest of the newest record
  std::int64_t sequence = 0;           // of the newest record; 0: there is no ledger
  std::vector<LoggedRecord> records;   // the newest first
};

std::string write_log(const Log& log, const TextStyle& style);
std::string write_log_json(const Log& log);  // schema kgate.log/1

}  // namespace kgate::report
