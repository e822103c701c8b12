#include "gate/verdict/subject/once_merged.h"

#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/error.h"
#include "gate/cases/case_files.h"
#include "gate/trust/signed_cases.h"

namespace kgate::verdict {
namespace {

constexpr std::uint64_t kMaxPolicy = 1u << 20;

// What `action` finds untrusted, or cannot use; empty where all holds.
template <typename Action>
std::string objection(const Action& action) {
  try {
    action();
    return {};
  } catch (const Error& error) {
    return error.what();  // whatever it is: nothing that a change says here ends the run
  }
}

class Outlook {
 public:
  explicit Outlook(const OnceMergedOptions& options) : options_(options), working_(*options.working) {}

  std::vector<std::string> look() {
    // By what cannot be read nothing else can be judged.
    if (tell(".kgate is untrusted", objection([&] { read_policy(); }))) return found_;
    tell(policy_.ledger_branch + " is untrusted", objection([&] { check_ledger(); }));
    check_cases();
    return found_;
  }

 private:
  bool tell(const std::string& what, const std::string& why) {
    if (!why.empty()) found_.push_back(fmt::format("once merged, {}: {}", what, why));
    return !why.empty();
  }

  void read_policy() {
    const auto text = working_.read(trust::kPolicyFile, kMaxPolicy);
    policy_ = text ? trust::parse_policy(text_of(*text), trust::kPolicyFile) : trust::default_policy();
    keyring_ = trust::Keyring::read(policy_, working_);
  }

  void check_ledger() const {
    trust::Ledger::open(*options_.authority->repository, trust::ledger_options(policy_), keyring_)
        .verify(options_.threads);
  }

  // One line for all of them: what is wrong with one is mostly wrong with the others too.
  void check_cases() {
    std::map<std::string, std::string> all;
    // Files that do not hold are told where they are read.
    if (!objection([&] { all = cases::find_cases(working_, policy_.kernels); }).empty()) return;
    std::vector<std::string> names;
    std::string first;
    for (const auto& [name, path] : all) {
      const std::string why = objection([&, &path = path] { check(path); });
      if (why.empty()) continue;
      names.push_back(name);
      if (first.empty()) first = why;
    }
    if (names.empty()) return;
    tell(fmt::format("the cases of {} are untrusted", fmt::join(names, ", ")), first);
  }

  void check(const std::string& path) const {
    const bool is_signed = trust::read_signed_cases(working_, path, keyring_, options_.day).has_value();
    if (is_signed || !policy_.unsigned_blocks || options_.authority->policy.unsigned_blocks) return;
    throw Error(ErrorKind::untrusted, path, "is not signed", "have it signed in the same change: kgate sign");
  }

  const OnceMergedOptions& options_;
  const FileTree& working_;
  trust::Policy policy_;
  trust::Keyring keyring_;
  std::vector<std::string> found_;
};

}  // namespace

std::vector<std::string> once_merged(const OnceMergedOptions& options) {
  return Outlook(options).look();
}

}  // namespace kgate::verdict
