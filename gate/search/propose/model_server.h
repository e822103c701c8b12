#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/interrupt.h"
#include "base/philox.h"
#include "gate/search/propose/chat.h"
#include "gate/search/propose/clock.h"
#include "gate/search/propose/endpoint.h"
#include "gate/search/propose/meter.h"
#include "gate/search/propose/proposer.h"
#include "gate/search/propose/secret.h"
#include "gate/search/propose/transport.h"

namespace kgate::search {

struct ServerOptions {
  std::string url;  // [search] url
  std::string key;  // empty: none is sent
  bool plain_http = false;
  std::string proxy;    // for other hosts than this one; empty: none
  std::string ca_file;  // empty: the system's certificates
  Prices prices;
  int retries = 4;
  double connect_s = 10, timeout_s = 300, stall_s = 60;
  double most_wait_s = 60;  // before a retry, whatever the server wishes
  std::uint64_t jitter_seed = 0;
  const Interrupt* interrupt = nullptr;
  Clock* clock = nullptr;  // of waits between tries; nothing: the system's
};

// A model behind HTTP, asked with patience: what may pass (no connection, 408, 429, 5xx, an answer that breaks off) is
// tried again after a growing, jittered wait or the one that the server names; what will not (400, 401, 403, 404, a
// redirect, a certificate that is not trusted) is told with the remedy. Counts what it costs.
class ModelServer {
 public:
  // Throws Error(usage) for an address or a key that cannot be used.
  explicit ModelServer(const ServerOptions& options);

  struct Said {
    std::optional<ChatAnswer> answer;  // nothing: `refusal` says why
    Refusal refusal;
  };
  // Adds what it costs to `spent`, of which briefing's budgets bound the whole. request.max_tokens is what is wished.
  // Throws Error(interrupted) alone.
  Said ask(ChatRequest request, const Briefing& briefing, Usage& spent);

  const Secret& secret() const { return secret_; }
  Clock& clock() { return *clock_; }

 private:
  struct Try;
  bool read(const Posted& posted, Try& one) const;
  void tell(const Posted& posted, Try& one) const;

  ServerOptions options_;
  Secret secret_;
  Endpoint endpoint_;
  Meter meter_;
  RandomStream jitter_;
  SystemClock system_clock_;
  Clock* clock_;
};

}  // namespace kgate::search
