#include <algorithm>
#include <ctime>
#include <iostream>

#include <fmt/format.h>
#include <unistd.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/file.h"
#include "base/memory_tree.h"
#include "base/nearest.h"
#include "base/utc.h"
#include "gate/cases/case_files.h"
#include "gate/cli/qualifying.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/report/format.h"
#include "gate/report/qualification.h"
#include "gate/report/report.h"
#include "gate/trust/repository.h"
#include "gate/trust/revision_rule.h"

// Cases are signed as they lie in the working tree. Every file is read once: what is qualified is what is signed.
namespace kgate::cli {
namespace {

constexpr const char* kPolicyFile = ".kgate/policy.toml";
constexpr std::uint64_t kMaxPolicy = 1u << 20, kMaxFile = 256u << 20;  // as those read them who verify

// Cases, with the bytes of all their files.
struct CasesRead {
  cases::CasesSpec spec;
  std::shared_ptr<const FileTree> files;
  trust::CasesStatement statement;  // without weaknesses and date
};

CasesRead read_cases(const FileTree& tree, const std::string& path) {
  const auto need = [&tree](const std::string& file, std::uint64_t limit) {
    auto content = tree.read(file, limit);
    if (!content)
      throw Error(ErrorKind::usage, file, "is not in " + tree.description(),
                  "add the file, or take it out of cases.toml");
    return std::move(*content);
  };
  CasesRead read;
  std::map<std::string, Bytes> files{{path, need(path, cases::kMostCasesBytes)}};
  read.spec = cases::parse_cases(text_of(files.at(path)), path);
  for (const auto& file : cases::files_of(read.spec, tree)) {
    if (file != path) files.emplace(file, need(file, kMaxFile));
  }
  read.statement.kernel = read.spec.kernel;
  read.statement.revision = read.spec.revision;
  for (const auto& [file, content] : files) {
    read.statement.files[cases::name_in(read.spec, file)] = sha256_hex(content);
  }
  read.files = std::make_shared<MemoryTree>(std::move(files), tree.description());
  return read;
}

trust::Policy read_policy(const FileTree& tree) {
  const auto text = tree.read(kPolicyFile, kMaxPolicy);
  return text ? trust::parse_policy(text_of(*text), kPolicyFile) : trust::default_policy();
}

void warn(const std::string& line) {
  std::cerr << "warning: " << report::one_line(line) << '\n';
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
        std::cerr << "kgate: " << report::neutral(error.what()) << '\n';
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
                    suggestion(pattern, names));
      }
    }
    return paths;
  }

  // A key that the policy does not know may be on its way into it: the signature is made, and said not to count.
  void take_key() {
    key_.emplace(signing_key(arguments_, invocation_.surroundings));
    try {
      keyring_ = trust::Keyring::read(policy_, tree_);
      keyring_.require(key_->public_key(), "cases", utc_day(std::time(nullptr)));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      warn(fmt::format("THIS SIGNATURE WILL NOT COUNT: {}", error.what()));
    }
  }

  void sign(const std::string& path, const Qualifying& qualifying) const {
    CasesRead read = read_cases(tree_, path);
    if (arguments_.dry_run) {
      const auto qualification = qualify(read, qualifying);
      refuse_faults(path, qualification);
      accept_weaknesses(path, qualification, read.statement);
      return;
    }
    const std::string place = trust::envelope_path(path);
    trust::Envelope envelope;
    trust::EarlierCases earlier = base_cases(read.spec.kernel);
    earlier.lying = read_envelope(place, envelope);
    const bool adds = trust::adds_signature(read.statement, earlier, path);

    const auto qualification = qualify(read, qualifying);
    refuse_faults(path, qualification);
    if (adds) {
      accept_earlier(place, *earlier.lying, qualification);
    } else {
      accept_weaknesses(path, qualification, read.statement);
      read.statement.signed_at = utc_time(std::time(nullptr));
      envelope = trust::wrap(trust::to_statement(read.statement));
    }
    trust::add_signature(envelope, *key_);
    write_file_atomic(std::filesystem::path(repository_.root()) / place, trust::write_envelope(envelope));
    std::cout << fmt::format("{} {}: {}, revision {}, key {:.16}\n", adds ? "signed too:" : "signed:", place,
                             report::count(read.statement.files.size(), "file"), read.statement.revision,
                             key_->public_key().id());
    tell_what_counts(envelope, place);
  }

  // What the base commit says of the kernel, wherever it stood there. Cases that cannot be read there say nothing.
  trust::EarlierCases base_cases(const std::string& kernel) const {
    trust::EarlierCases earlier;
    const auto head = repository_.resolve("HEAD");
    if (!head) return earlier;
    earlier.base_name = fmt::format("commit {:.10} (HEAD)", *head);
    const auto tree = repository_.tree(*head);
    try {
      const auto found = cases::find_cases(*tree, policy_.kernels);
      const auto mine = found.find(kernel);
      if (mine != found.end()) earlier.base = read_cases(*tree, mine->second).statement;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;
      warn(fmt::format("the revision is not compared with {}'s: {}", earlier.base_name, error.what()));
    }
    return earlier;
  }

  // The envelope that lies there; nothing where there is none that this kgate could have written.
  std::optional<trust::CasesStatement> read_envelope(const std::string& place, trust::Envelope& envelope) const {
    const auto text = tree_.read(place, trust::kMaxEnvelope);
    if (!text) return std::nullopt;
    try {
      envelope = trust::parse_envelope(text_of(*text), place);
      auto statement = trust::cases_statement_from(trust::unwrap(envelope, trust::kCasesPredicate, place), place);
      // A signature goes on nothing but what is shown here.
      if (trust::wrap(trust::to_statement(statement)).payload == envelope.payload) return statement;
      warn(place + " says more than a statement about cases does: it is replaced");
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      warn(fmt::format("{}: it is replaced", error.what()));
    }
    return std::nullopt;
  }

  verdict::Qualification qualify(const CasesRead& read, const Qualifying& qualifying) const {
    TerminalProgress progress(std::cerr, progress_style(arguments_, invocation_.surroundings));
    auto qualification = verdict::qualify(read.spec, read.files, qualifying.options(), progress);
    if (arguments_.format == "json") {
      std::cout << report::qualification_json(read.spec, qualifying.options().backend, qualification).dump(2) << '\n';
    } else if (!arguments_.quiet) {
      std::cout << report::write_qualification(read.spec, qualifying.options().backend, qualification);
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
    if (!arguments_.accept_weak) {
      throw Error(ErrorKind::usage, path,
                  fmt::format("{} every case ({})",
                              qualification.weaknesses.size() == 1
                                  ? "1 mutant passes"
                                  : fmt::format("{} mutants pass", qualification.weaknesses.size()),
                              report::list(mutants_of(qualification.weaknesses))),
                  "mend the cases as is said above, or sign with --accept-weak REASON");
    }
    statement.weaknesses = qualification.weaknesses;
    statement.weak_reason = *arguments_.accept_weak;
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

  void tell_what_counts(const trust::Envelope& envelope, const std::string& place) const {
    try {
      const auto signers = keyring_.verify(envelope, "cases", utc_day(std::time(nullptr)), place);
      std::cout << "it holds by this working tree's policy: " << report::list(signers) << '\n';
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted) throw;
      std::cout << "it does not hold yet: " << report::one_line(error.fact()) << "; " << report::one_line(error.hint())
                << '\n';
    }
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
