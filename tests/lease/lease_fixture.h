#pragma once

#include <functional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "base/file.h"
#include "base/unique_fd.h"
#include "gate/lease/lease.h"

// A folder of leases, and requests in it.
class LeaseFixture {
 public:
  std::filesystem::path folder() const { return parent_.path() / "leases"; }
  kgate::lease::LeaseRequest request(const std::string& job = "make bench",
                                     kgate::lease::Priority priority = kgate::lease::Priority::pull_request) const;
  // The names in the folder, sorted.
  std::vector<std::string> files() const;
  void write(const std::string& name, const std::string& content) const;

 private:
  kgate::TemporaryFolder parent_{"kgate-test"};
};

// A process of its own, that says a line when it is ready and ends when it is told to, or killed.
class OtherProcess {
 public:
  // `action` runs in the child; what it returns lives until the child ends. As another user where `user` is not 0 (root
  // alone can do that).
  explicit OtherProcess(const std::function<kgate::lease::Lease()>& action, uid_t user = 0);
  ~OtherProcess();
  OtherProcess(const OtherProcess&) = delete;
  OtherProcess& operator=(const OtherProcess&) = delete;

  pid_t id() const { return id_; }
  // Waits until the action has returned: "ready", or the message of its Error.
  std::string answer();
  void signal(int number) const;
  void kill();  // and reap

 private:
  pid_t id_ = -1;
  kgate::UniqueFd from_child_;
};

// Waits, for as long as it takes on a busy machine, until it is so; false after a minute.
bool becomes_true(const std::function<bool()>& condition);
