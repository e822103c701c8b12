#include <algorithm>
#include <ctime>
#include <iostream>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/nearest.h"
#include "base/utc.h"
#include "gate/cases/case_files.h"
#include "gate/cli/cases_to_sign.h"
#include "gate/cli/complain.h"
#include "gate/cli/qualifying.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/report/format.h"
#include "gate/report/qualification.h"
#include "gate/report/report.h"

// Cases are signed as they lie in the working tree: qualified, then said to be right by a key.
namespace kgate::cli {
namespace {

constexpr const char* kPolicyFile = ".kgate/policy.toml";
constexpr std::uint64_t kMaxPolicy = 1u << 20;

trust::Policy read_policy(const FileTree& tree) {
  const auto text = tree.read(kPolicyFile, kMaxPolicy);
  return text ? trust::parse_policy(text_of(*text), kPolicyFile) : trust::default_policy();
}

class Signer {
 public:
  explicit Signer(const Invocation& invocation)
      : invocation_(invocation),
        arguments_(invocation.arguments),
        repository_(trust::Repository::open(arguments_.repo)),
        working_(repository_.working_tree()),
        tree_(*working_),
        policy_(read_policy(tree_)) {}

  ExitCode run() {
    const auto selected = select();
    if (!arguments_.dry_run) take_key();
    const Qualifying qualifying(invocation_, policy_.compile.timeout_s);
    std::vector<std::string> refused;
    ErrorKind kind = ErrorKind::usage;
    for (const auto& path : selected) {
      try {
        sign(path, qualifying);
      } catch (const Error& error) {
        // One that this machine cannot qualify does not keep the others from being signed.
        if (selected.size() == 1 || (error.kind() != ErrorKind::usage && error.kind() != ErrorKind::environment)) throw;
        std::cerr << "kgate: " << complaint(error) << '\n';
        if (refused.empty()) kind = error.kind();
        refused.push_back(path);
      }
    }
    if (!refused.empty()) {
      throw Error(kind, "kgate sign",
                  fmt::format("{} of {} {}: {}", refused.size(), report::count(selected.size(), "kernel"),
                              arguments_.dry_run ? "would not be signed" : "were not signed", fmt::join(refused, ", ")),
                  "each says above why");
    }
    return ExitCode::pass;
  }

 private:
  std::vector<std::string> select() const {
    const auto found = cases::find_cases(tree_, policy_.kernels);
    std::vector<std::string> names, paths;
    for (const auto& [name, path] : found) names.push_back(name);
    if (arguments_.names.empty()) {
      throw Error(ErrorKind::usage, "kgate sign", "names no kernel",
                  "name one or more, or \"*\": " + report::list(names));
    }
    for (const auto& pattern : arguments_.names) {
      const auto before = paths.size();
      for (const auto& [name, path] : found) {
        if (!glob_match(pattern, name)) continue;
        if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
      }
      const bool any =
          std::any_of(names.begin(), names.end(), [&](const auto& name) { return glob_match(pattern, name); });
      if (paths.size() == before && !any) {
        throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", pattern), "is not in " + tree_.description(),
                    suggestion(pattern, names, "kernels"));
      }
    }
    return paths;
  }

  // A key that the policy does not know may be on its way into it: the signature is made, and said not to count. One
  // that it knows and gives another role, or other days, is a mistake.
  void take_key() {
    key_.emplace(signing_key(arguments_, invocation_.surroundings));
    try {
      keyring_ = trust::Keyring::read(policy_, tree_);
      keyring_.require(key_->public_key(), "cases", utc_day(std::time(nullptr)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted || keyring_.find(key_->public_key()) != nullptr) throw;
      warn(fmt::format("THIS SIGNATURE WILL NOT COUNT: {}", error.what()));
    }
  }

  void sign(const std::string& path, const Qualifying& qualifying) const {
    CasesToSign read = read_cases(tree_, path);
    if (arguments_.dry_run) {
      const auto qualification = qualify(read, qualifying);
      refuse_faults(path, qualification);
      accept_weaknesses(path, qualification, read.statement);
      return;
    }
    const std::string place = trust::envelope_path(path);
    const auto lying = read_envelope(tree_, place);
    auto earlier = cases_of_head(repository_, policy_, read.spec.kernel);
    if (lying) earlier.lying = lying->statement;
    // Told before the work of qualifying.
    const bool adds = trust::adds_signature(read.statement, earlier, path);
    const auto qualification = qualify(read, qualifying);
    refuse_faults(path, qualification);
    trust::Envelope envelope;
    if (adds) {
      accept_earlier(place, lying->statement, qualification);
      envelope = lying->envelope;
    } else {
      accept_weaknesses(path, qualification, read.statement);
      read.statement.signed_at = utc_time(std::time(nullptr));
      envelope = trust::wrap(trust::to_statement(read.statement));
    }
    const auto signers = keyring_.signers(envelope);
    const bool renews = std::any_of(signers.begin(), signers.end(),
                                    [&](const auto* one) { return one->key.id() == key_->public_key().id(); });
    trust::add_signature(envelope, *key_);
    write_file_atomic(std::filesystem::path(repository_.root()) / place, trust::write_envelope(envelope));
    say(fmt::format("{} {}: revision {}, {}, key {:.16}",
                    renews ? "signature renewed:"
                    : adds ? "signature added to"
                           : "signed:",
                    place, read.statement.revision, report::count(read.statement.files.size(), "file"),
                    key_->public_key().id()));
    say_what_counts(envelope, place, read.spec.kernel);
  }

  verdict::Qualification qualify(const CasesToSign& read, const Qualifying& qualifying) const {
    TerminalProgress progress(std::cerr, progress_style(arguments_, invocation_.surroundings));
    auto qualification = verdict::qualify(read.spec, read.files, qualifying.options(), progress);
    if (arguments_.format == "json") {
      std::cout << report::qualification_json(read.spec, qualification).dump() << '\n';
    } else if (!arguments_.quiet) {
      std::cout << report::write_qualification(read.spec, qualification);
    } else {
      for (const auto& weakness : qualification.weaknesses) say(weakness.mutant + " passes; " + weakness.remedy);
    }
    std::cout.flush();
    return qualification;
  }

  static void refuse_faults(const std::string& path, const verdict::Qualification& qualification) {
    const auto& faults = qualification.faults;
    if (faults.empty()) return;
    throw Error(
        ErrorKind::usage, path,
        faults.size() == 1 ? faults.front() : fmt::format("{} faults, the first: {}", faults.size(), faults.front()),
        "such cases cannot be signed");
  }

  void accept_weaknesses(const std::string& path, const verdict::Qualification& qualification,
                         trust::CasesStatement& statement) const {
    if (qualification.weaknesses.empty()) return;
    if (arguments_.accept_weak.empty()) {
      throw Error(ErrorKind::usage, path,
                  fmt::format("{} every case ({})",
                              qualification.weaknesses.size() == 1
                                  ? "1 mutant passes"
                                  : fmt::format("{} mutants pass", qualification.weaknesses.size()),
                              report::list(mutants_of(qualification.weaknesses))),
                  "mend the cases as is said above, or sign with --accept-weak REASON");
    }
    statement.weaknesses = qualification.weaknesses;
    statement.weak_reason = arguments_.accept_weak;
  }

  // The second signer signs the first one's words, and has to know them.
  void accept_earlier(const std::string& place, const trust::CasesStatement& statement,
                      const verdict::Qualification& qualification) const {
    const auto known = mutants_of(statement.weaknesses);
    for (const auto& weakness : qualification.weaknesses) {
      if (std::find(known.begin(), known.end(), weakness.mutant) != known.end()) continue;
      throw Error(ErrorKind::usage, place,
                  fmt::format("was signed without a word of a mutant that passes every case: {}", weakness.mutant),
                  "mend the cases and raise revision, or remove the file and sign with --accept-weak REASON; then the "
                  "others sign again");
    }
    if (statement.weaknesses.empty() || arguments_.accept_weak == statement.weak_reason) return;
    throw Error(
        ErrorKind::usage, place,
        fmt::format("was signed although {} every case ({}), because: {}",
                    known.size() == 1 ? "a mutant passes" : fmt::format("{} mutants pass", known.size()),
                    report::list(known), statement.weak_reason),
        "accept that for the same reason, --accept-weak with these words, or mend the cases and raise revision");
  }

  static std::vector<std::string> mutants_of(const std::vector<trust::Weakness>& weaknesses) {
    std::vector<std::string> names;
    for (const auto& weakness : weaknesses) names.push_back(weakness.mutant);
    return names;
  }

  void say_what_counts(const trust::Envelope& envelope, const std::string& place, const std::string& kernel) const {
    try {
      const auto signers = keyring_.verify(envelope, "cases", utc_day(std::time(nullptr)), place);
      say("it holds by this working tree's policy: " + report::list(signers));
      say("next: kgate check " + kernel);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      say(fmt::format("it does not hold yet: {}; {}", error.fact(), error.hint()));
    }
  }

  // JSON has stdout for itself.
  void say(const std::string& line) const {
    (arguments_.format == "json" ? std::cerr : std::cout) << report::one_line(line) << '\n';
  }

  const Invocation& invocation_;
  const Arguments& arguments_;
  trust::Repository repository_;
  std::unique_ptr<const FileTree> working_;
  const FileTree& tree_;
  trust::Policy policy_;
  trust::Keyring keyring_;
  std::optional<trust::PrivateKey> key_;
};

}  // namespace

ExitCode sign(const Invocation& invocation) {
  if (invocation.arguments.sign_keys) return sign_keys(invocation);
  return Signer(invocation).run();
}

}  // namespace kgate::cli
