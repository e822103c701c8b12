#pragma once

#include <string>

namespace kgate::search {

// Where a model is asked.
struct Endpoint {
  std::string url;   // whole: ".../v1/chat/completions"
  std::string host;  // with the port, for messages
  bool loopback = false;
};

// From the policy's `url`: the base ("https://api.example.com/v1") or the whole address. Throws Error(usage, "[search]
// url", ...): no URL, another scheme than http and https, a user or password in it, a query, plain http to a host other
// than this one unless `plain_http` allows it.
Endpoint chat_endpoint(const std::string& url, bool plain_http);

}  // namespace kgate::search
