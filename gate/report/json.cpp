#include "gate/report/report.h"

namespace kgate::report {

std::string write_json(const verdict::Result& result) {
  // `replace`: the fingerprint and the environment come as they are, and a device's name need not be UTF-8.
  return verdict::to_json(result).dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace kgate::report
