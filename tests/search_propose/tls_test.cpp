// A server whose certificate nobody vouches for gets neither key nor sources.
#include <array>
#include <csignal>
#include <memory>
#include <string>
#include <thread>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "base/file.h"
#include "base/unique_fd.h"
#include "tests/search_propose/fixtures.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::search;
using namespace kgate::test;

namespace {

template <typename Object, void (*free)(Object*)>
struct Free {
  void operator()(Object* object) const { free(object); }
};
using Key = std::unique_ptr<EVP_PKEY, Free<EVP_PKEY, EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Free<X509, X509_free>>;

// Signed by itself, for `name` (an address).
Certificate certificate_for(EVP_PKEY* key, const std::string& name) {
  Certificate one(X509_new());
  X509_set_version(one.get(), 2);
  ASN1_INTEGER_set(X509_get_serialNumber(one.get()), 1);
  X509_gmtime_adj(X509_getm_notBefore(one.get()), -86400);
  X509_gmtime_adj(X509_getm_notAfter(one.get()), 86400);
  X509_set_pubkey(one.get(), key);
  X509_NAME* const subject = X509_get_subject_name(one.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>("kgate test"), -1, -1,
                             0);
  X509_set_issuer_name(one.get(), subject);
  const std::string names = "IP:" + name;
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
  X509_add_ext(one.get(), extension, -1);
  X509_EXTENSION_free(extension);
  X509_sign(one.get(), key, EVP_sha256());
  return one;
}

// Passes what is in TLS on to a scripted model, one connection at a time, and back.
class TlsFront {
 public:
  TlsFront(const ScriptedModel& model, const std::string& name)
      : key_(EVP_EC_gen("P-256")),
        certificate_(certificate_for(key_.get(), name)),
        context_(SSL_CTX_new(TLS_server_method())),
        listening_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)),
        stop_(::eventfd(0, EFD_CLOEXEC)) {
    SSL_CTX_use_certificate(context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
    const std::string host = model.host();
    model_port_ = static_cast<std::uint16_t>(std::stoi(host.substr(host.find(':') + 1)));
    sockaddr_in address = loopback(0);
    socklen_t length = sizeof address;
    REQUIRE(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&address), length) == 0);
    REQUIRE(::listen(listening_.get(), 4) == 0);
    ::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&address), &length);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~TlsFront() {
    ::eventfd_write(stop_.get(), 1);
    thread_.join();
  }
  TlsFront(const TlsFront&) = delete;
  TlsFront& operator=(const TlsFront&) = delete;

  std::string url() const { return fmt::format("https://127.0.0.1:{}/v1", port_); }
  std::string pem() const {
    const std::unique_ptr<BIO, Free<BIO, BIO_free_all>> bio(BIO_new(BIO_s_mem()));
    PEM_write_bio_X509(bio.get(), certificate_.get());
    char* data = nullptr;
    const long size = BIO_get_mem_data(bio.get(), &data);
    return {data, static_cast<std::size_t>(size)};
  }

 private:
  static sockaddr_in loopback(std::uint16_t port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(port);
    return address;
  }

  void serve() {
    while (true) {
      std::array<pollfd, 2> watched{{{listening_.get(), POLLIN, 0}, {stop_.get(), POLLIN, 0}}};
      ::poll(watched.data(), watched.size(), -1);
      if (watched[1].revents != 0) return;
      const UniqueFd client(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      const std::unique_ptr<SSL, Free<SSL, SSL_free>> tls(SSL_new(context_.get()));
      SSL_set_fd(tls.get(), client.get());
      if (SSL_accept(tls.get()) == 1) pass(tls.get());
    }
  }

  // The request, as far as it comes at once with its head and body, then the whole answer.
  void pass(SSL* tls) const {
    const UniqueFd model(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_in address = loopback(model_port_);
    if (::connect(model.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return;
    std::array<char, 65536> chunk;
    std::string request;
    std::size_t whole = std::string::npos;
    while (request.size() < whole) {
      const int got = SSL_read(tls, chunk.data(), static_cast<int>(chunk.size()));
      if (got <= 0) return;
      request.append(chunk.data(), static_cast<std::size_t>(got));
      const auto head = request.find("\r\n\r\n"), length = request.find("Content-Length: ");
      if (head != std::string::npos && length != std::string::npos)
        whole = head + 4 + std::stoul(request.substr(length + 16));
    }
    ::send(model.get(), request.data(), request.size(), MSG_NOSIGNAL);
    for (ssize_t got = 0; (got = ::recv(model.get(), chunk.data(), chunk.size(), 0)) > 0;)
      SSL_write(tls, chunk.data(), static_cast<int>(got));
    SSL_shutdown(tls);
  }

  Key key_;
  Certificate certificate_;
  std::unique_ptr<SSL_CTX, Free<SSL_CTX, SSL_CTX_free>> context_;
  UniqueFd listening_, stop_;
  std::uint16_t port_ = 0, model_port_ = 0;
  std::thread thread_;
};

Reply asked(const ScriptedModel& model, const TlsFront& front, const std::string& ca_file) {
  FakeClock clock;
  HttpOptions options = options_for(model, clock);
  options.server.url = front.url();
  options.server.ca_file = ca_file;
  return HttpProposer(options).propose(briefing());
}

}  // namespace

TEST_CASE("a certificate that nobody vouches for, or of another host, gets neither key nor sources") {
  ::signal(SIGPIPE, SIG_IGN);  // as base/interrupt does
  const TemporaryFolder folder("kgate-tls-test-");
  const auto trust = [&](const TlsFront& front) {
    const auto path = folder.path() / "ca.pem";
    write_file_atomic(path, std::string_view(front.pem()));
    return path.string();
  };
  const ScriptedModel model({says(kProposal), says(kProposal)});
  {
    const TlsFront unknown(model, "127.0.0.1");
    const Reply reply = asked(model, unknown, "");
    CHECK(reply.refusal.kind == Refusal::Kind::unavailable);
    CHECK(reply.refusal.reason.find(unknown.url().substr(8, unknown.url().size() - 11) +
                                    " is not trusted, and was sent nothing: ") == 0);
    CHECK(reply.usage.tokens_in == 0);
  }
  {
    const TlsFront other(model, "192.0.2.1");
    CHECK(asked(model, other, trust(other)).refusal.reason.find(" is not trusted, and was sent nothing: ") !=
          std::string::npos);
  }
  CHECK(model.requests().empty());
  const TlsFront known(model, "127.0.0.1");
  const Reply reply = asked(model, known, trust(known));
  INFO(reply.refusal.reason);
  CHECK(reply.proposal);
  REQUIRE(model.requests().size() == 1);
  CHECK(model.requests()[0].headers.at("authorization") == "Bearer " + kKey);
}
