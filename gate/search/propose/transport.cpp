#include "gate/search/propose/transport.h"

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>

#include <curl/curl.h>
#include <fmt/format.h>

#include "base/error.h"

// Why the multi interface for a single transfer: a signal has to end the wait at once, so it is polled together with
// libcurl's own descriptors; and "stalled" can be told from "thinks". libcurl's own limit on speed (LOW_SPEED_TIME)
// counts from the beginning, and a model that is asked for a whole kernel sends nothing for minutes and then all of it.
namespace kgate::search {
namespace {

using Seconds = std::chrono::duration<double>;
using Steady = std::chrono::steady_clock;

constexpr std::size_t kMostHeaders = 256 << 10;

struct Receiver {
  std::string body;
  std::size_t header_bytes = 0, most_bytes = 0;
  bool too_large = false;
  std::optional<Steady::time_point> last_byte;

  std::size_t take(const char* data, std::size_t size) {
    last_byte = Steady::now();
    too_large = body.size() + size > most_bytes;
    if (too_large) return 0;
    body.append(data, size);
    return size;
  }
  std::size_t take_header(std::size_t size) {
    last_byte = Steady::now();
    header_bytes += size;
    too_large = header_bytes > kMostHeaders;
    return too_large ? 0 : size;
  }
};

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* receiver) {
  return static_cast<Receiver*>(receiver)->take(data, size * count);
}
std::size_t on_header(char*, std::size_t size, std::size_t count, void* receiver) {
  return static_cast<Receiver*>(receiver)->take_header(size * count);
}

using Easy = std::unique_ptr<CURL, decltype(&curl_easy_cleanup)>;
using Multi = std::unique_ptr<CURLM, decltype(&curl_multi_cleanup)>;
using Headers = std::unique_ptr<curl_slist, decltype(&curl_slist_free_all)>;

// Takes the transfer out again, in whatever way it is left.
class Added {
 public:
  Added(CURLM* multi, CURL* easy) : multi_(multi), easy_(easy) { curl_multi_add_handle(multi, easy); }
  Added(const Added&) = delete;
  Added& operator=(const Added&) = delete;
  ~Added() { curl_multi_remove_handle(multi_, easy_); }

 private:
  CURLM* multi_;
  CURL* easy_;
};

[[noreturn]] void unusable(const char* why) {
  throw Error(ErrorKind::environment, "libcurl", fmt::format("cannot be used: {}", why));
}

void ready_libcurl() {
  // Once, and safe between threads, which curl_global_init itself was not before 7.84.
  static const CURLcode ready = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (ready != CURLE_OK) unusable(curl_easy_strerror(ready));
}

// A libcurl from another distribution looks for the certificates where that one has them.
std::string certificates() {
  for (const char* const path : {"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt",
                                 "/etc/ssl/ca-bundle.pem", "/etc/ssl/cert.pem"}) {
    std::error_code ignored;
    if (std::filesystem::exists(path, ignored)) return path;
  }
  return {};
}

template <typename Value>
void set(CURL* easy, CURLoption option, Value value) {
  if (const CURLcode code = curl_easy_setopt(easy, option, value); code != CURLE_OK) unusable(curl_easy_strerror(code));
}

Headers headers_of(const Post& request) {
  curl_slist* list = nullptr;
  const auto add = [&](const std::string& line) {
    curl_slist* const longer = curl_slist_append(list, line.c_str());
    if (longer == nullptr) {
      curl_slist_free_all(list);
      unusable("no memory");
    }
    list = longer;
  };
  add("Content-Type: application/json");
  add("Accept: application/json");
  add("Expect:");  // no round of its own before a large body
  if (!request.bearer.empty()) add("Authorization: Bearer " + request.bearer);
  return {list, &curl_slist_free_all};
}

void limit_protocols(CURL* easy) {
#if LIBCURL_VERSION_NUM >= 0x075500
  set(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  set(easy, CURLOPT_PROTOCOLS, static_cast<long>(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
}

void configure(CURL* easy, const Post& request, const Headers& headers, Receiver& receiver, char* words) {
  const auto ms = [](double seconds) { return static_cast<long>(seconds * 1e3) + 1; };
  set(easy, CURLOPT_URL, request.url.c_str());
  limit_protocols(easy);
  set(easy, CURLOPT_FOLLOWLOCATION, 0L);
  set(easy, CURLOPT_SSL_VERIFYPEER, 1L);
  set(easy, CURLOPT_SSL_VERIFYHOST, 2L);
  const std::string trusted = request.ca_file.empty() ? certificates() : request.ca_file;
  if (!trusted.empty()) set(easy, CURLOPT_CAINFO, trusted.c_str());
  set(easy, CURLOPT_PROXY, request.proxy.c_str());  // an empty one keeps libcurl from asking the environment
  set(easy, CURLOPT_NOSIGNAL, 1L);
#if LIBCURL_VERSION_NUM >= 0x075700
  set(easy, CURLOPT_QUICK_EXIT, 1L);  // whoever interrupts does not wait for a name to be looked up
#endif
  set(easy, CURLOPT_CONNECTTIMEOUT_MS, ms(request.connect_s));
  set(easy, CURLOPT_TIMEOUT_MS, ms(request.whole_s));
  set(easy, CURLOPT_POST, 1L);
  set(easy, CURLOPT_POSTFIELDS, request.body.data());
  set(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body.size()));
  set(easy, CURLOPT_HTTPHEADER, headers.get());
  set(easy, CURLOPT_USERAGENT, "kgate");
  set(easy, CURLOPT_WRITEFUNCTION, &on_body);
  set(easy, CURLOPT_WRITEDATA, static_cast<void*>(&receiver));
  set(easy, CURLOPT_HEADERFUNCTION, &on_header);
  set(easy, CURLOPT_HEADERDATA, static_cast<void*>(&receiver));
  set(easy, CURLOPT_ERRORBUFFER, words);
}

// Nothing where it stalled.
std::optional<CURLcode> transfer(CURLM* multi, const Post& request, const Receiver& receiver) {
  constexpr int kTickMs = 100;
  for (int running = 1; running > 0;) {
    if (const CURLMcode code = curl_multi_perform(multi, &running); code != CURLM_OK)
      unusable(curl_multi_strerror(code));
    if (running == 0) break;
    curl_waitfd signals{request.interrupt == nullptr ? -1 : request.interrupt->fd(), CURL_WAIT_POLLIN, 0};
    const unsigned others = request.interrupt == nullptr ? 0 : 1;
    if (const CURLMcode code = curl_multi_poll(multi, &signals, others, kTickMs, nullptr); code != CURLM_OK)
      unusable(curl_multi_strerror(code));
    if (request.interrupt != nullptr) request.interrupt->check();
    if (receiver.last_byte && Seconds(Steady::now() - *receiver.last_byte).count() > request.stall_s)
      return std::nullopt;
  }
  int left = 0;
  const CURLMsg* const message = curl_multi_info_read(multi, &left);
  return message == nullptr ? CURLE_FAILED_INIT : message->data.result;
}

Posted::End end_of(CURLcode code) {
  switch (code) {
    case CURLE_OK:
      return Posted::End::answered;
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
    case CURLE_COULDNT_CONNECT:
      return Posted::End::not_connected;
    case CURLE_GOT_NOTHING:
    case CURLE_PARTIAL_FILE:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
    case CURLE_SSL_CONNECT_ERROR:
      return Posted::End::dropped;
    case CURLE_OPERATION_TIMEDOUT:
      return Posted::End::timed_out;
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
      return Posted::End::untrusted;
    default:
      return Posted::End::failed;
  }
}

std::string text_info(CURL* easy, CURLINFO what) {
  char* text = nullptr;
  return curl_easy_getinfo(easy, what, &text) == CURLE_OK && text != nullptr ? text : "";
}

curl_off_t number_info(CURL* easy, CURLINFO what) {
  curl_off_t number = 0;
  return curl_easy_getinfo(easy, what, &number) == CURLE_OK ? number : 0;
}

void describe(CURL* easy, Posted& posted) {
  curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &posted.status);
  posted.content_type = text_info(easy, CURLINFO_CONTENT_TYPE);
  posted.redirect = text_info(easy, CURLINFO_REDIRECT_URL);
  if (const curl_off_t wish = number_info(easy, CURLINFO_RETRY_AFTER); wish > 0)
    posted.retry_after_s = static_cast<double>(wish);
  posted.sent = number_info(easy, CURLINFO_PRETRANSFER_TIME_T) > 0;
}

}  // namespace

Posted post(const Post& request) {
  ready_libcurl();
  const Easy easy(curl_easy_init(), &curl_easy_cleanup);
  const Multi multi(curl_multi_init(), &curl_multi_cleanup);
  if (easy == nullptr || multi == nullptr) unusable("no memory");
  const Headers headers = headers_of(request);
  std::array<char, CURL_ERROR_SIZE> words{};
  Receiver receiver;
  receiver.most_bytes = request.most_bytes;
  configure(easy.get(), request, headers, receiver, words.data());
  const Added added(multi.get(), easy.get());
  const auto code = transfer(multi.get(), request, receiver);

  Posted posted;
  describe(easy.get(), posted);
  posted.body = std::move(receiver.body);
  if (!code) {
    posted.end = Posted::End::dropped;
    posted.trouble = fmt::format("sent nothing for {:g} s in the middle of its answer", request.stall_s);
  } else if (receiver.too_large) {
    posted.end = Posted::End::too_large;
    posted.trouble = fmt::format("sent more than {} bytes", request.most_bytes);
  } else {
    posted.end = end_of(*code);
    // Only the time for connecting was over.
    if (posted.end == Posted::End::timed_out && !posted.sent) posted.end = Posted::End::not_connected;
    if (posted.end != Posted::End::answered)
      posted.trouble = words[0] != '\0' ? words.data() : curl_easy_strerror(*code);
  }
  return posted;
}

}  // namespace kgate::search
