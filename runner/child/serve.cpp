#include "runner/child/serve.h"

#include <memory>

#include <fmt/format.h>

#include "base/error.h"
#include "runner/child/disassemble.h"
#include "runner/child/sandbox_probes.h"
#include "runner/child/session.h"
#include "runner/fields.h"
#include "runner/protocol.h"
#include "runner/wire.h"

namespace kgate::runner {
namespace {

class Server {
 public:
  explicit Server(const ServeOptions& options) : options_(options) {}

  void warm_up() {
    // What goes wrong here goes wrong again, with an answer, when the judge asks.
    try {
      backend().probe();
    } catch (const Error&) {
      session_.reset();
      backend_.reset();
    }
  }

  // The reply; `out` holds the memory that travels with it.
  Json answer(Message& request, SharedMemory& out) {
    const Json& body = request.body;
    if (!body.contains("version") || body["version"] != kProtocolVersion) {
      throw Error(ErrorKind::internal, "kgate-runner", "the judge speaks another version of the protocol",
                  "install kgate and kgate-runner from one release");
    }
    if (options_.sandbox.level < options_.least) throw weaker_sandbox(options_.sandbox, options_.least);
    const std::string what = body.contains("do") && body["do"].is_string() ? body["do"].get<std::string>() : "";
    if (what == "sandbox") return told(encode(try_everything(options_, probe_places(body))));
    if (what == "disassemble" && !options_.role.toolkit.disassembler.empty())
      return told(encode(disassemble(bytes_field(member(body, "code"), "code"), options_.role)));
    if (what == "compile" && options_.role.compiles) return told(encode(backend().compile(decode_compile_job(body))));
    if ((what == "compile") != options_.role.compiles) {
      throw Error(
          ErrorKind::internal, "kgate-runner",
          fmt::format("was started to {}, and asked to {}", options_.role.compiles ? "compile" : "measure", what));
    }
    if (what == "probe") return told(encode(backend().probe()));
    if (what == "load") return encode(backend().load(decode_load_job(body)));
    if (what == "allocate") return {{"pool_bytes", session().allocate(decode_allocation(body))}};
    if (what == "time") return encode(session().time(decode_time_job(body)));
    if (what == "write") {
      if (request.descriptors.size() != 1)
        throw Error(ErrorKind::internal, "kgate-runner", "an input came without its memory");
      session().write(decode_write_job(body), SharedMemory::open_sealed(std::move(request.descriptors.front())));
      return Json::object();
    }
    if (what == "read") {
      out = session().read(number(body, "buffer"));
      return Json::object();
    }
    if (what == "run") {
      std::vector<GuardReport> guards;
      const auto poison = static_cast<std::uint8_t>(number(body, "poison") & 0xff);
      if (!body.contains("arm")) throw Error(ErrorKind::internal, "runner protocol", "\"arm\" is missing");
      const auto outcome = session().run(decode_timed_arm(body["arm"]), poison, guards);
      return {{"outcome", encode(outcome)}, {"guards", encode(guards)}};
    }
    throw Error(ErrorKind::internal, "kgate-runner", "was asked to \"" + what + "\", which it does not know");
  }

 private:
  Json told(Json reply) const {
    reply["sandbox"] = encode(options_.sandbox);
    return reply;
  }

  static std::uint32_t number(const Json& body, const char* key) {
    if (!body.contains(key) || !body[key].is_number_unsigned() || body[key].get<std::uint64_t>() > 0xffffffffu) {
      throw Error(ErrorKind::internal, "runner protocol", std::string("\"") + key + "\" is missing or out of range");
    }
    return body[key].get<std::uint32_t>();
  }

  Backend& backend() {
    if (!backend_) backend_ = make_backend(options_);
    return *backend_;
  }

  Session& session() {
    if (!session_) session_ = std::make_unique<Session>(backend(), options_.role.observed);
    return *session_;
  }

  ServeOptions options_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<Session> session_;
};

}  // namespace

std::unique_ptr<Backend> make_backend(const ServeOptions& options) {
  if (options.role.backend == "cuda") return make_cuda_backend(options.backend);
  if (options.role.backend == "host") return make_host_backend(options.backend);
  throw Error(ErrorKind::usage, "backend \"" + options.role.backend + "\"", "is not known", "use cuda or host");
}

void serve(int socket, const ServeOptions& options) {
  Server server(options);
  if (options.warm) server.warm_up();
  Message request;
  while (receive_message(socket, request, std::nullopt, nullptr) == Received::message) {
    SharedMemory out;
    Json reply;
    try {
      reply = server.answer(request, out);
    } catch (const Error& error) {
      reply = {{"error", encode(error)}};
    } catch (const std::bad_alloc&) {
      reply = {{"error", encode(Error(ErrorKind::environment, "kgate-runner", "ran out of host memory"))}};
    }
    std::vector<int> descriptors;
    if (out.fd() >= 0) descriptors.push_back(out.fd());
    if (!send_message(socket, reply, descriptors, std::nullopt, nullptr)) return;
  }
}

}  // namespace kgate::runner
