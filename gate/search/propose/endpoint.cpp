#include "gate/search/propose/endpoint.h"

#include <memory>

#include <arpa/inet.h>
#include <curl/curl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"

// libcurl's own parser takes the address apart: what is judged here must be what is connected to.
namespace kgate::search {
namespace {

constexpr const char* kSubject = "[search] url";
constexpr const char* kExample = "write for example url = \"https://api.example.com/v1\"";

class Url {
 public:
  explicit Url(const std::string& text) : handle_(curl_url(), &curl_url_cleanup) {
    if (handle_ == nullptr) throw Error(ErrorKind::environment, kSubject, "cannot be read: no memory");
    if (curl_url_set(handle_.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
      throw Error(ErrorKind::usage, kSubject, fmt::format("{} is no URL", kgate::quoted(text)), kExample);
  }
  // Empty where there is none.
  std::string part(CURLUPart which) const {
    char* text = nullptr;
    if (curl_url_get(handle_.get(), which, &text, 0) != CURLUE_OK) return {};
    const std::unique_ptr<char, decltype(&curl_free)> owned(text, &curl_free);
    return owned.get();
  }
  void set_path(const std::string& path) { curl_url_set(handle_.get(), CURLUPART_PATH, path.c_str(), 0); }

 private:
  std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> handle_;
};

bool is_loopback(const std::string& host) {
  in_addr address{};
  if (::inet_pton(AF_INET, host.c_str(), &address) == 1) return (ntohl(address.s_addr) >> 24U) == 127;
  return host == "localhost" || host == "[::1]";
}

}  // namespace

Endpoint chat_endpoint(const std::string& text, bool plain_http) {
  Url url(text);
  const std::string scheme = url.part(CURLUPART_SCHEME), host = url.part(CURLUPART_HOST);
  if (scheme != "https" && scheme != "http")
    throw Error(ErrorKind::usage, kSubject, fmt::format("{} is neither https nor http", kgate::quoted(text)), kExample);
  // Not shown: it may be a password.
  if (!url.part(CURLUPART_USER).empty() || !url.part(CURLUPART_PASSWORD).empty())
    throw Error(ErrorKind::usage, kSubject, "holds a user or a password",
                "the key comes from the environment, never from the policy");
  if (!url.part(CURLUPART_QUERY).empty() || !url.part(CURLUPART_FRAGMENT).empty())
    throw Error(ErrorKind::usage, kSubject, fmt::format("{} has a query or a fragment", kgate::quoted(text)), kExample);
  Endpoint endpoint;
  endpoint.loopback = is_loopback(host);
  if (scheme == "http" && !endpoint.loopback && !plain_http)
    throw Error(ErrorKind::usage, kSubject,
                fmt::format("{} would send the key and the sources unencrypted", kgate::quoted(text)),
                "use https; or allow it for a network that is your own, with [search] plain_http = true");
  const std::string port = url.part(CURLUPART_PORT);
  endpoint.host = port.empty() ? host : host + ":" + port;
  std::string path = url.part(CURLUPART_PATH);
  while (path.ends_with('/')) path.pop_back();
  constexpr std::string_view kChat = "/chat/completions";
  url.set_path(path.ends_with(kChat) ? path : path + std::string(kChat));
  endpoint.url = url.part(CURLUPART_URL);
  return endpoint;
}

}  // namespace kgate::search
