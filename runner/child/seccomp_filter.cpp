#include "runner/child/seccomp_filter.h"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <memory>
#include <span>
#include <vector>

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "runner/child/sanitized.h"

// A list of what is refused, not of what is allowed: NVIDIA's driver, NVRTC and g++ are not ours, what they call is
// documented nowhere and changes with their versions, and a call that an allow list forgot would look like a broken
// GPU. What the list has to close is known: the ways out of the process. So each group below names the way that it
// closes.
//
// The answer is EPERM, as a container's own filter gives it, so that programs go on without; a call that no compiler,
// driver or kernel makes ends the process. clone3 is "not there" (ENOSYS): its flags lie behind a pointer, where a
// filter cannot look, and glibc then takes clone, whose flags it can. For the same reason openat2.
//
// A value is compared in the width in which the kernel reads it: most arguments are 32-bit numbers in 64-bit registers,
// and an equality over all 64 bits could be evaded by what stands in the upper half. Hence the masks.
namespace kgate::runner {
namespace {

// A call, with its number for a libseccomp that is older than it (from 424 on the same on every architecture).
struct Call {
  const char* name;
  int number = __NR_SCMP_ERROR;
};

// Nobody honest calls these.
constexpr std::array<Call, 12> kDeadly{{{"kexec_load"},
                                        {"kexec_file_load"},
                                        {"init_module"},
                                        {"finit_module"},
                                        {"delete_module"},
                                        {"reboot"},
                                        {"swapon"},
                                        {"swapoff"},
                                        {"pivot_root"},
                                        {"iopl"},
                                        {"ioperm"},
                                        {"open_by_handle_at"}}};

// Other processes: their memory, descriptors, fate.
constexpr std::array<Call, 9> kProcesses{{{"process_vm_writev"},
                                          {"process_madvise", 440},
                                          {"process_mrelease", 448},
                                          {"pidfd_open", 434},
                                          {"pidfd_getfd", 438},
                                          {"pidfd_send_signal", 424},
                                          {"kcmp"},
                                          {"setsid"},
                                          {"setpgid"}}};
// Needed by a sanitizer's leak check.
constexpr std::array<Call, 2> kDebugging{{{"ptrace"}, {"process_vm_readv"}}};

// The network, and sockets of this machine. What came with the process, its line to the judge, goes on.
constexpr std::array<Call, 3> kReaching{{{"connect"}, {"accept"}, {"accept4"}}};
constexpr std::array<Call, 4> kSockets{{{"socket"}, {"socketpair"}, {"bind"}, {"listen"}}};

// Namespaces, mounts, the machine's state.
constexpr std::array<Call, 31> kMachine{{{"unshare"},
                                         {"setns"},
                                         {"mount"},
                                         {"umount2"},
                                         {"chroot"},
                                         {"open_tree", 428},
                                         {"move_mount", 429},
                                         {"fsopen", 430},
                                         {"fsconfig", 431},
                                         {"fsmount", 432},
                                         {"fspick", 433},
                                         {"mount_setattr", 442},
                                         {"open_tree_attr", 467},
                                         {"statmount", 457},
                                         {"listmount", 458},
                                         {"acct"},
                                         {"quotactl"},
                                         {"quotactl_fd", 443},
                                         {"syslog"},
                                         {"vhangup"},
                                         {"sethostname"},
                                         {"setdomainname"},
                                         {"settimeofday"},
                                         {"clock_settime"},
                                         {"clock_adjtime"},
                                         {"adjtimex"},
                                         {"uselib"},
                                         {"modify_ldt"},
                                         {"lookup_dcookie"},
                                         {"name_to_handle_at"},
                                         {"fanotify_init"}}};

// Parts of the kernel with a long record of faults, and stores that outlive the process.
constexpr std::array<Call, 20> kKernel{{{"bpf"},
                                        {"perf_event_open"},
                                        {"userfaultfd"},
                                        {"keyctl"},
                                        {"add_key"},
                                        {"request_key"},
                                        {"shmget"},
                                        {"io_uring_setup", 425},
                                        {"io_uring_enter", 426},
                                        {"shmat"},
                                        {"shmctl"},
                                        {"io_uring_register", 427},
                                        {"semget"},
                                        {"semop"},
                                        {"semtimedop"},
                                        {"semctl"},
                                        {"msgget"},
                                        {"mq_open"},
                                        {"mq_unlink"},
                                        {"lsm_set_self_attr", 460}}};

// What can be done to a file without opening it, which Landlock does not see.
constexpr std::array<Call, 28> kFiles{{{"chmod"},
                                       {"fchmod"},
                                       {"fchmodat"},
                                       {"fchmodat2", 452},
                                       {"chown"},
                                       {"lchown"},
                                       {"fchown"},
                                       {"fchownat"},
                                       {"utime"},
                                       {"utimes"},
                                       {"futimesat"},
                                       {"utimensat"},
                                       {"setxattr"},
                                       {"lsetxattr"},
                                       {"fsetxattr"},
                                       {"setxattrat", 463},
                                       {"removexattr"},
                                       {"lremovexattr"},
                                       {"fremovexattr"},
                                       {"removexattrat", 466},
                                       {"file_setattr", 469},
                                       {"truncate"},
                                       {"link"},
                                       {"linkat"},
                                       {"symlink"},
                                       {"symlinkat"},
                                       {"mknod"},
                                       {"mknodat"}}};

// Of a child that measures: it starts nothing and changes no folder.
constexpr std::array<Call, 11> kMeasuring{{{"execve"},
                                           {"execveat"},
                                           {"fork"},
                                           {"vfork"},
                                           {"rename"},
                                           {"renameat"},
                                           {"renameat2"},
                                           {"mkdir"},
                                           {"mkdirat"},
                                           {"rmdir"},
                                           {"tkill"}}};

// Of those, what is refused to a child that compute-sanitizer looks at: the tool keeps its own files.
constexpr std::array<Call, 4> kStarting{{{"execve"}, {"execveat"}, {"fork"}, {"vfork"}}};

// libcuda removes the name of its own socket before it binds it, where there is nothing to remove; told that it may
// not, it gives up with error 304 (H200, driver 580.159). So to a driver there is never anything to remove.
constexpr std::array<Call, 2> kRemoving{{{"unlink"}, {"unlinkat"}}};

// Asked about, where somebody wants to know; not refused as such.
constexpr std::array<Call, 2> kOpening{{{"open"}, {"openat"}}};

// Where code of the change runs as native code, or a compiler reads its text: what NVIDIA's driver alone may need.
constexpr std::array<Call, 5> kNotOfDriver{
    {{"inotify_init"}, {"inotify_init1"}, {"setpriority"}, {"ioprio_set"}, {"migrate_pages"}}};
// Their first argument is a process or thread, 0 is the caller.
constexpr std::array<Call, 4> kScheduling{
    {{"sched_setaffinity"}, {"sched_setscheduler"}, {"sched_setparam"}, {"sched_setattr"}}};
// Their first argument is a process, which must be this one.
constexpr std::array<Call, 4> kSignals{{{"kill"}, {"tgkill"}, {"rt_sigqueueinfo"}, {"rt_tgsigqueueinfo"}}};

constexpr std::array<unsigned, 7> kNewNamespaces{CLONE_NEWNS,   CLONE_NEWCGROUP, CLONE_NEWUTS, CLONE_NEWIPC,
                                                 CLONE_NEWUSER, CLONE_NEWPID,    CLONE_NEWNET};

constexpr std::uint64_t kWord = 0xffffffff;
constexpr std::uint64_t kSocketTypes = 0xf;  // the rest of the argument are flags

scmp_arg_cmp same(unsigned argument, std::uint64_t value, std::uint64_t mask = kWord) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value & mask};
}
scmp_arg_cmp other(unsigned argument, std::uint64_t value) {
  return {argument, SCMP_CMP_NE, value, 0};
}

class Filter {
 public:
  explicit Filter(Refusal refusal)
      : context_(::seccomp_init(SCMP_ACT_ALLOW), ::seccomp_release),
        refused_(refusal == Refusal::ask ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(EPERM)),
        absent_(refusal == Refusal::ask ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(ENOSYS)),
        nothing_(refusal == Refusal::ask ? SCMP_ACT_NOTIFY : SCMP_ACT_ERRNO(ENOENT)) {}

  void refuse(std::span<const Call> calls) {
    for (const Call& call : calls) add(refused_, call);
  }
  template <typename... Arguments>
  void refuse_if(const Call& call, Arguments... arguments) {
    add(refused_, call, {arguments...});
  }
  template <typename... Arguments>
  void refuse_each(std::span<const Call> calls, Arguments... arguments) {
    for (const Call& call : calls) add(refused_, call, {arguments...});
  }
  void deny_existence(const Call& call) { add(absent_, call); }
  void find_nothing(std::span<const Call> calls) {
    for (const Call& call : calls) add(nothing_, call);
  }
  void kill(std::span<const Call> calls) {
    for (const Call& call : calls) add(SCMP_ACT_KILL_PROCESS, call);
  }

  // Nothing, or why it cannot be.
  std::string load(Refusal refusal) {
    const auto set = [&](scmp_filter_attr attribute, std::uint32_t value) {
      if (failed_ == 0) failed_ = ::seccomp_attr_set(context_.get(), attribute, value);
    };
    // 32-bit calls and x32 would be another list of numbers.
    set(SCMP_FLTATR_ACT_BADARCH, SCMP_ACT_KILL_PROCESS);
    if (refusal == Refusal::error) set(SCMP_FLTATR_CTL_TSYNC, 1);
    // Kernels before 5.16 slow a filtered process down against a kind of leak within one process (SSBD); it would
    // change the times that are measured, and there is nothing in this process to be kept from the kernel in it.
    set(SCMP_FLTATR_CTL_SSB, 1);
    set(SCMP_FLTATR_CTL_OPTIMIZE, 2);  // a tree, not a list: a call costs the same wherever it stands
    if (failed_ == 0) failed_ = ::seccomp_load(context_.get());
    return failed_ == 0 ? std::string() : fmt::format("seccomp cannot be used: {}", std::strerror(-failed_));
  }
  int listener() const { return ::seccomp_notify_fd(context_.get()); }

 private:
  void add(std::uint32_t action, const Call& call, std::initializer_list<scmp_arg_cmp> arguments = {}) {
    int number = ::seccomp_syscall_resolve_name(call.name);
    if (number == __NR_SCMP_ERROR) number = call.number;
    if (number < 0 || failed_ != 0) return;  // this architecture has no such call
    const std::vector<scmp_arg_cmp> list(arguments);
    failed_ = ::seccomp_rule_add_array(context_.get(), action, number, static_cast<unsigned>(list.size()), list.data());
  }

  std::unique_ptr<void, decltype(&::seccomp_release)> context_;
  std::uint32_t refused_, absent_, nothing_;
  int failed_ = 0;
};

void refuse_new_namespaces(Filter& filter) {
  for (const unsigned flag : kNewNamespaces) filter.refuse_if({"clone"}, same(0, flag, flag));
}

// libcuda opens a socket of its own (abstract, seqpacket) as it starts, by which other processes could ask it for
// memory, and fails without. As nothing can connect, and nothing is accepted, nobody is ever served. Not datagrams:
// they need no connection.
// compute-sanitizer's part in the process connects to its other half, by a socket of the same kind.
void allow_sockets_of_driver(Filter& filter) {
  for (const char* const name : {"socket", "socketpair"}) {
    filter.refuse_if({name}, other(0, AF_UNIX));
    for (const unsigned type : {SOCK_DGRAM, SOCK_RAW, SOCK_RDM, SOCK_DCCP, SOCK_PACKET})
      filter.refuse_if({name}, same(1, type, kSocketTypes));
  }
}

// By flags, as far as a filter sees them: nothing is opened to be written. Landlock says the same; without it this is
// what keeps a native kernel from the user's files.
void refuse_writing(Filter& filter) {
  const auto refuse = [&](const char* name, unsigned argument) {
    for (const unsigned mode : {O_WRONLY, O_RDWR, O_ACCMODE}) filter.refuse_if({name}, same(argument, mode, O_ACCMODE));
    for (const unsigned flag : {O_CREAT, O_TRUNC}) filter.refuse_if({name}, same(argument, flag, flag));
  };
  refuse("open", 1);
  refuse("openat", 2);
  filter.refuse_if({"creat"});
  filter.deny_existence({"openat2"});
}

void refuse_control(Filter& filter) {
  // Typing on the user's terminal.
  for (const unsigned request : {TIOCSTI, 0x541c /* TIOCLINUX */}) filter.refuse_if({"ioctl"}, same(1, request));
  // To outlive the judge; to be opened to a debugger.
  filter.refuse_if({"prctl"}, same(0, PR_SET_PDEATHSIG), other(1, SIGKILL));
  if (kSanitizer == nullptr) {
    filter.refuse_if({"prctl"}, same(0, PR_SET_DUMPABLE), other(1, 0));
    filter.refuse_if({"prctl"}, same(0, PR_SET_PTRACER));
  }
  filter.refuse_if({"prlimit64"}, other(0, 0));
  filter.refuse_if({"personality"}, other(0, kWord));  // else than to ask for it
}

}  // namespace

Filtered filter_system_calls(const Role& role, Refusal refusal) {
  Filter filter(refusal);
  const bool driver = role.cuda() && !role.compiles;
  const bool observed = role.relaxed_for_observer();
  filter.kill(kDeadly);
  filter.refuse(kProcesses);
  if (kSanitizer == nullptr) filter.refuse(kDebugging);
  if (!observed) filter.refuse(kReaching);
  filter.refuse(kMachine);
  filter.refuse(kKernel);
  if (!observed) filter.refuse(kFiles);
  filter.deny_existence({"clone3"});
  refuse_new_namespaces(filter);
  refuse_control(filter);
  if (driver) {
    allow_sockets_of_driver(filter);
  } else {
    filter.refuse(kSockets);
    filter.refuse(kNotOfDriver);
    filter.refuse_each(kScheduling, other(0, 0));
  }
  if (!role.compiles) {
    filter.refuse(observed ? std::span<const Call>(kStarting) : kMeasuring);
    if (!driver) {
      filter.refuse(kRemoving);
    } else if (!observed) {
      filter.find_nothing(kRemoving);
    }
    filter.refuse_each(kSignals, other(0, static_cast<std::uint64_t>(::getpid())));
    // Threads, no processes. (A sanitizer's leak check is one.)
    if (kSanitizer == nullptr) filter.refuse_if({"clone"}, same(0, 0, CLONE_THREAD));
  }
  if (refusal == Refusal::ask) {
    filter.refuse(kOpening);
  } else if (role.runs_native_kernels()) {
    refuse_writing(filter);
  }
  Filtered result;
  result.why_not = filter.load(refusal);
  if (result.why_not.empty() && refusal == Refusal::ask) result.listener = UniqueFd(filter.listener());
  return result;
}

}  // namespace kgate::runner
