#include <array>
#include <cstring>
#include <map>
#include <memory>

#include <sys/socket.h>

#include "base/error.h"
#include "base/json.h"
#include "runner/child/session.h"
#include "runner/plausible.h"
#include "runner/protocol.h"
#include "runner/wire.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/targets.h"

using namespace kgate;

namespace {

constexpr std::size_t kMostBytes = 100'000;  // that a socket takes at once
constexpr std::uint64_t kMemory = 1 << 20;

// A device that is only memory, and checks what it is asked to touch.
class MemoryDevice : public runner::Backend {
 public:
  runner::DeviceInfo probe() override { return {}; }
  runner::Compiled compile(const runner::CompileJob&) override { return {}; }
  runner::Loaded load(const runner::LoadJob&) override { return {}; }
  std::uint64_t allocate(const runner::Allocation& allocation) override {
    rooms_.clear();
    std::uint64_t sum = 0;
    for (const auto& buffer : allocation.buffers) {
      if (buffer.bytes > kMemory || (sum += buffer.bytes + 2 * runner::kGuardBytes) > kMemory)
        throw Error(ErrorKind::environment, "device memory", "is too small");
      rooms_.emplace_back(buffer.bytes + 2 * runner::kGuardBytes);
    }
    return 0;
  }
  void write(const runner::Region& region, ByteView data) override {
    require(region.variant < runner::kMostVariants && !data.empty());
    const auto room = at(region);
    if (region.variant > 0) return;
    for (std::size_t i = 0; i < room.size(); ++i) room[i] = data[i % data.size()];
  }
  void read(const runner::Region& region, std::span<std::byte> data) override {
    const auto room = at(region);
    require(room.size() == data.size());
    if (!data.empty()) std::memcpy(data.data(), room.data(), data.size());
  }
  runner::RunOutcome run(const runner::TimedArm& arm) override {
    touch(arm.launches);
    return {};
  }
  runner::TimeOutcome time(const runner::TimeJob& job, const runner::SampleVisitor&) override {
    for (const auto& arm : job.arms) {
      touch(arm.launches);
      touch(arm.tail);
    }
    return {};
  }

 private:
  std::span<std::byte> at(const runner::Region& region) {
    require(region.buffer < rooms_.size());
    Bytes& room = rooms_[region.buffer];
    require(region.offset <= room.size() && region.length <= room.size() - region.offset);
    return std::span(room).subspan(region.offset, region.length);
  }
  void touch(const runner::Launches& launches) const {
    for (const auto& launch : launches) {
      for (const auto& argument : launch.arguments) require(!argument.buffer || *argument.buffer < rooms_.size());
    }
  }

  std::vector<Bytes> rooms_;
};

void append_frame(Bytes& to, ByteView body) {
  for (unsigned i = 0; i < 4; ++i) to.push_back(static_cast<std::byte>(body.size() >> (8 * i)));
  to.insert(to.end(), body.begin(), body.end());
}

// What goes to the socket.
Bytes stream_of(const std::uint8_t* data, std::size_t size) {
  Bytes stream;
  if (size == 0) return stream;
  const auto rest = std::as_bytes(std::span(data, size)).subspan(1);
  if (data[0] == 'f') {
    append_frame(stream, rest);
  } else if (data[0] == 's') {
    const Json list = Json::from_cbor(data + 1, data + size, true, false);
    if (!list.is_array()) return stream;
    for (const auto& body : list) {
      const auto cbor = Json::to_cbor(body);
      append_frame(stream, std::as_bytes(std::span(cbor)));
    }
  } else {
    stream.assign(rest.begin(), rest.end());
  }
  if (stream.size() > kMostBytes) stream.resize(kMostBytes);
  return stream;
}

// Every message that arrives; what breaks the protocol, and nothing else, is Error(internal).
template <typename Read>
int each_message(const std::uint8_t* data, std::size_t size, Read&& read) {
  Bytes stream;
  try {
    stream = stream_of(data, size);
  } catch (const Json::exception&) {
    return 0;  // no array of bodies: nothing to send
  }
  std::array<int, 2> ends{};
  require(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0);
  const UniqueFd ours(ends[0]);
  UniqueFd theirs(ends[1]);
  if (!stream.empty())
    require(::send(theirs.get(), stream.data(), stream.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(stream.size()));
  theirs.reset();
  try {
    runner::Message message;
    while (runner::receive_message(ours.get(), message, std::nullopt, nullptr) == runner::Received::message)
      read(message);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::internal);
    canonical_json(error.what());
  }
  return 0;
}

// A value that was read is what is sent: it must be the same when it is read again.
template <typename Value, typename Decode>
void holds(const Value& value, Decode decode) {
  const Json body = runner::encode(value);
  require(Json::to_cbor(runner::encode(decode(body))) == Json::to_cbor(body));
}

template <typename Work>
void refused_or_done(Work&& work) {
  try {
    work();
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::internal || error.kind() == ErrorKind::environment ||
            error.kind() == ErrorKind::usage);
  }
}

void obey(runner::Session& session, const Json& body) {
  const std::string what = body.contains("do") && body["do"].is_string() ? body["do"].get<std::string>() : "";
  if (what == "compile") holds(runner::decode_compile_job(body), runner::decode_compile_job);
  if (what == "load") holds(runner::decode_load_job(body), runner::decode_load_job);
  if (what == "allocate") session.allocate(runner::decode_allocation(body));
  if (what == "write") {
    const auto job = runner::decode_write_job(body);
    auto content = SharedMemory::create("fuzz", body.contains("bytes") ? 64 : 16);
    content.seal();
    session.write(job, std::move(content));
  }
  if (what == "read" && body.contains("buffer") && body["buffer"].is_number_unsigned())
    session.read(static_cast<std::uint32_t>(body["buffer"].get<std::uint64_t>() & 0xffffffffU));
  if (what == "run" && body.contains("arm")) {
    std::vector<runner::GuardReport> guards;
    session.run(runner::decode_timed_arm(body["arm"]), 0xa5, guards);
    require(guards.empty());  // nothing on this device writes where it should not
  }
  if (what == "time") {
    const auto job = runner::decode_time_job(body);
    holds(job, runner::decode_time_job);
    session.time(job);
  }
}

}  // namespace

int fuzz_request(const std::uint8_t* data, std::size_t size) {
  MemoryDevice device;
  runner::Session session(device);
  return each_message(data, size,
                      [&](runner::Message& message) { refused_or_done([&] { obey(session, message.body); }); });
}

int fuzz_reply(const std::uint8_t* data, std::size_t size) {
  return each_message(data, size, [](runner::Message& message) {
    const Json& body = message.body;
    refused_or_done([&] { holds(runner::decode_compiled(body), runner::decode_compiled); });
    refused_or_done([&] { holds(runner::decode_loaded(body), runner::decode_loaded); });
    refused_or_done([&] { holds(runner::decode_sandbox_trial(body), runner::decode_sandbox_trial); });
    refused_or_done([&] { runner::decode_sandbox_report(body); });
    refused_or_done([&] {
      if (body.contains("guards")) holds(runner::decode_guard_reports(body["guards"]), runner::decode_guard_reports);
    });
    refused_or_done([&] {
      if (body.contains("outcome")) holds(runner::decode_run_outcome(body["outcome"]), runner::decode_run_outcome);
    });
    refused_or_done([&] {
      if (body.contains("error")) canonical_json(runner::decode_error(body["error"]).what());
    });
    refused_or_done([&] {
      const auto info = runner::decode_device_info(body);
      holds(info, runner::decode_device_info);
      runner::require_plausible(info);
      require(info.memory_bytes > 0 && info.multiprocessors > 0);
    });
    refused_or_done([&] {
      const auto outcome = runner::decode_time_outcome(body);
      runner::TimeJob job;
      job.arms.resize(2);
      job.blocks = 2;
      runner::require_plausible(job, outcome, 1);
      if (!outcome.run.ok || outcome.run.unsupported) return;
      double sum = 0;
      for (const auto& samples : outcome.us) {
        for (const double us : samples) sum += us;
      }
      require(sum > 0 && sum < 2e6);
    });
  });
}
