#include "tests/lease/lease_fixture.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "tests/support/catch.h"

using namespace kgate;

lease::LeaseRequest LeaseFixture::request(const std::string& job, lease::Priority priority) const {
  lease::LeaseRequest request;
  request.folder = folder();
  request.device = "GPU-1";
  request.priority = priority;
  request.who = lease::own_claim(job);
  request.wait = std::chrono::seconds(60);
  return request;
}

std::vector<std::string> LeaseFixture::files() const {
  std::vector<std::string> names;
  if (!std::filesystem::exists(folder())) return names;
  for (const auto& entry : std::filesystem::directory_iterator(folder()))
    names.push_back(entry.path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

void LeaseFixture::write(const std::string& name, const std::string& content) const {
  lease::Folder::open(folder());
  write_file_atomic(folder() / name, content);
}

OtherProcess::OtherProcess(const std::function<lease::Lease()>& action, uid_t user) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  from_child_ = UniqueFd(ends[0]);
  id_ = ::fork();
  REQUIRE(id_ >= 0);
  if (id_ > 0) {
    ::close(ends[1]);
    return;
  }
  ::close(from_child_.get());
  std::string text = "ready";
  try {
    if (user != 0 && (::setgid(user) != 0 || ::setuid(user) != 0)) text = "cannot become somebody else";
    const lease::Lease lease = action();
    ::write(ends[1], text.data(), text.size()) == 0 ? ::_exit(1) : void();
    while (true) ::pause();
  } catch (const std::exception& error) {
    text = error.what();
    ::write(ends[1], text.data(), text.size()) == 0 ? ::_exit(1) : void();
  }
  ::_exit(0);
}

OtherProcess::~OtherProcess() {
  kill();
}

std::string OtherProcess::answer() {
  std::array<char, 4096> text{};
  const ssize_t got = ::read(from_child_.get(), text.data(), text.size());
  return {text.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

void OtherProcess::signal(int number) const {
  ::kill(id_, number);
}

void OtherProcess::kill() {
  if (id_ <= 0) return;
  ::kill(id_, SIGKILL);
  int status = 0;
  ::waitpid(id_, &status, 0);
  id_ = -1;
}

bool becomes_true(const std::function<bool()>& condition) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::minutes(1);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > end) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}
