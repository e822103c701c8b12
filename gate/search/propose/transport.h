#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/interrupt.h"

namespace kgate::search {

// One POST of a JSON body. Times in seconds, as the system's clock has them.
struct Post {
  std::string url, body;
  std::string bearer;   // the key; empty: no Authorization header
  std::string proxy;    // empty: none, whatever the environment says
  std::string ca_file;  // empty: the system's
  double connect_s = 10, whole_s = 300;
  double stall_s = 60;  // without a byte, once the answer has begun: a model may think for long before it does
  std::size_t most_bytes = 4 << 20;
  const Interrupt* interrupt = nullptr;
};

// How it ended.
struct Posted {
  enum class End {
    answered,       // whole
    not_connected,  // refused, no route, no such host
    dropped,        // before the answer was whole, stalled ones included
    timed_out,      // the whole time was over
    too_large,
    untrusted,  // the server's certificate
    failed      // in another way: no HTTP, no memory
  } end = End::failed;
  long status = 0;  // where it answered
  std::string content_type, body;
  std::string redirect;                 // the address that a 3xx names
  std::optional<double> retry_after_s;  // the server's wish
  std::string trouble;                  // where it did not answer: why, for people; not redacted
  bool sent = false;                    // the request may have reached the server, and be charged for
};

// Sends it, through libcurl: certificates are verified, redirects never followed, no other protocol than HTTP, no
// compression, nothing from the environment. Throws Error(interrupted) at once when a signal arrives, and
// Error(environment) where libcurl cannot be used.
Posted post(const Post& request);

}  // namespace kgate::search
