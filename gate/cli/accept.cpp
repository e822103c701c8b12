#include <algorithm>
#include <ctime>
#include <iostream>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/file_tree.h"
#include "base/utc.h"
#include "gate/cases/case_files.h"
#include "gate/cli/cases_to_sign.h"
#include "gate/cli/judge_options.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/signing_key.h"
#include "gate/cli/terminal.h"
#include "gate/cli/terminal_progress.h"
#include "gate/cli/verbs.h"
#include "gate/report/report.h"
#include "gate/trust/authority.h"
#include "gate/verdict/acceptance.h"

// Problem: what the ledger remembers is what later changes are measured against, so it must be measured by people who
// can be trusted to, and signed. Choice: accept runs the whole gate itself, on what is committed, and takes nothing
// from a job that ran a change. Who has the GPU need not have the key: --prepare measures and writes drafts, --sign
// turns the drafts of all classes into one record. Rejected: figures from a result.json (whoever writes it would be the
// approver).
namespace kgate::cli {
namespace {

struct Choice {
  bool signs = false;  // from drafts
  bool prepares = false;
  bool retires = false;
};

bool is_pattern(const std::string& name) {
  return name.find_first_of("*?[") != std::string::npos;
}

Choice check(const Arguments& arguments) {
  const Choice choice{!arguments.drafts.empty(), arguments.prepare.has_value(), arguments.retire};
  const auto refuse = [](const std::string& subject, const std::string& fact, const std::string& remedy) {
    throw Error(ErrorKind::usage, subject, fact, remedy);
  };
  if (choice.signs && (choice.prepares || choice.retires))
    refuse("kgate accept --sign", "got --prepare or --retire too",
           "what is signed stands in the drafts; leave them out");
  if (choice.signs && !arguments.names.empty())
    refuse("kgate accept --sign", "got kernels too", "the drafts name them; leave them out");
  const auto refuse_words = [&](const char* subject, bool with_reason, const char* remedy) {
    const std::pair<const char*, bool> words[] = {{"--reason", with_reason && !arguments.reason.empty()},
                                                  {"--slower", !arguments.slower.empty()},
                                                  {"--release", !arguments.release.empty()},
                                                  {"--renamed-from", !arguments.renamed_from.empty()}};
    for (const auto& [name, given] : words) {
      if (given) refuse(subject, fmt::format("got {} too", name), remedy);
    }
  };
  if (choice.signs)
    refuse_words("kgate accept --sign", true, "what is signed stands in the drafts; give it to --prepare");
  if (choice.retires) refuse_words("kgate accept --retire", false, "a kernel that ends is neither; leave it out");
  if (!choice.signs && arguments.names.empty())
    refuse("kgate accept", "got no kernel", "name those that are to be accepted, or a pattern in quotes");
  if (!choice.signs && arguments.reason.empty() && arguments.slower.empty() && arguments.release.empty())
    refuse("kgate accept", "got no reason", "write --reason TEXT: kgate log shows it to whoever asks later");
  if (!arguments.renamed_from.empty() && (arguments.names.size() != 1 || is_pattern(arguments.names.front())))
    refuse("kgate accept --renamed-from", "got several kernels", "give the one new name");
  return choice;
}

verdict::Word word_of(const Arguments& arguments) {
  verdict::Word word{arguments.reason, arguments.slower, arguments.release, arguments.renamed_from};
  if (word.reason.empty() && !word.release.empty()) word.reason = "release " + word.release;
  return word;
}

class Acceptor {
 public:
  explicit Acceptor(const Invocation& invocation)
      : invocation_(invocation),
        arguments_(invocation.arguments),
        options_(judge_options(invocation)),
        authority_(trust::read_authority(options_.repository, options_.base)),
        git_(authority_.repository->root(), invocation.surroundings.environment, &invocation.interrupt) {}

  ExitCode run() {
    const Choice choice = check(arguments_);
    if (!choice.prepares) take_key();
    // The newest ledger, before anything is measured against it.
    const trust::Ledger ledger = trust::read_ledger(authority_, arguments_.no_push ? nullptr : &git_);
    const bool measures = !choice.signs && !choice.retires;  // and says it then
    if (const auto unpushed = trust::unpushed_records(authority_); !measures && !unpushed.empty()) warn(unpushed);
    if (choice.signs) {
      const std::vector<std::filesystem::path> folders(arguments_.drafts.begin(), arguments_.drafts.end());
      const auto& repository = *authority_.repository;
      const auto head = repository.resolve("HEAD");
      if (!head)
        throw Error(ErrorKind::usage, repository.root(), "has no commit yet", "check out the commit that was measured");
      for (const auto& prepared : verdict::read_drafts(folders, *repository.tree(*head))) {
        const std::string& kernel = prepared.draft.record.kernel;
        refuse_used(ledger, prepared);
        if (write(prepared.draft, folders.front() / kernel)) verdict::remove_draft(prepared);
      }
      return ExitCode::pass;
    }
    const auto needed = authority_.policy.thresholds.at("accept");
    if (!choice.prepares && needed > 1) {
      throw Error(ErrorKind::usage, "kgate accept",
                  fmt::format("{} keys must sign, by the policy's [threshold]", needed),
                  "write drafts with --prepare DIR; then each signs them: kgate accept --sign DIR");
    }
    const auto known = known_kernels(ledger, choice);
    for (const auto& name : known) trust::check_sense(ledger, word_about(name));
    if (choice.retires) return retire(ledger, known, choice);
    return measure(choice);
  }

 private:
  void take_key() {
    key_ = signing_key(arguments_, invocation_.surroundings);
    // Before minutes of measuring, not after.
    authority_.keyring.require(key_->public_key(), "accept", utc_day(std::time(nullptr)));
  }

  // Those of the names that the ledger can have a say about. Who retires means what is there, and no file tells.
  std::vector<std::string> known_kernels(const trust::Ledger& ledger, const Choice& choice) const {
    std::vector<std::string> known;
    for (const auto& name : arguments_.names) {
      const auto before = known.size();
      if (is_pattern(name)) {
        for (const auto& kernel : ledger.kernels()) {
          if (glob_match(name, kernel)) known.push_back(kernel);
        }
      } else if (!choice.retires || ledger.head(name)) {
        known.push_back(name);
      }
      if (choice.retires && known.size() == before)
        throw Error(ErrorKind::missing, fmt::format("kernel \"{}\"", name), "is not in the ledger", "see kgate log");
    }
    return known;
  }

  // What is about to be said of a kernel, without the figures.
  trust::Record word_about(const std::string& kernel) const {
    trust::Record record;
    record.kernel = kernel;
    record.retired = arguments_.retire;
    record.release = arguments_.release;
    record.renamed_from = arguments_.renamed_from;
    return record;
  }

  ExitCode retire(const trust::Ledger& ledger, const std::vector<std::string>& names, const Choice& choice) {
    for (const auto& name : names) {
      warn_if_here(name);
      keep(verdict::retirement(ledger.head(name)->record, arguments_.reason), choice);
    }
    return ExitCode::pass;
  }

  // It may be on its way out, in this very change.
  void warn_if_here(const std::string& name) const {
    const auto working = authority_.repository->working_tree();
    std::map<std::string, std::string> found;
    try {
      found = cases::find_cases(*working, authority_.policy.kernels);
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::usage) throw;  // no other kernel's files keep this one from being retired
    }
    const auto place = found.find(name);
    if (place == found.end()) return;
    warn(fmt::format("kernel \"{}\": is still in this tree ({})", name,
                     join_beneath(parent_of(place->second), "kernel.toml")));
  }

  // Into the ledger, or for others to sign.
  void keep(const trust::Draft& draft, const Choice& choice) {
    if (!choice.prepares) {
      write(draft, {});
      return;
    }
    const auto place = verdict::write_draft(*arguments_.prepare, draft);
    std::cout << report::neutral(fmt::format("{}: to be signed: {}\nnext, where the key is: kgate accept --sign {}\n",
                                             draft.record.kernel, place.string(), arguments_.prepare->string()));
  }

  ExitCode measure(const Choice& choice) {
    const OutputFolder out(arguments_.out);
    verdict::Judgement judgement;
    std::vector<verdict::Acceptance> found;
    try {
      TerminalProgress progress(std::cerr, progress_style(arguments_, invocation_.surroundings));
      found = verdict::measure_acceptance(options_, word_of(arguments_), progress, judgement);
    } catch (const Error& error) {
      verdict::seal(judgement, &error, invocation_.interrupt.signal());
      if (error.kind() != ErrorKind::usage) out.write(judgement);
      throw;
    }
    verdict::seal(judgement, nullptr, 0);
    out.write(judgement);
    std::vector<verdict::Verdict> refused;
    for (const auto& one : found) {
      if (one.draft) continue;
      std::cout << report::neutral(fmt::format("{}: not accepted: {}\n", one.kernel.name, one.refusal));
      refused.push_back(one.kernel.verdict);
    }
    // All or none: what belongs together is accepted together.
    if (!refused.empty()) {
      const auto code = verdict::exit_code_of(verdict::worst(refused));
      return code == ExitCode::pass ? ExitCode::usage : code;
    }
    for (const auto& one : found) keep(*one.draft, choice);
    return ExitCode::pass;
  }

  // A copy of a draft that somebody else's copy made a record of: no two measurements have the same samples.
  static void refuse_used(const trust::Ledger& ledger, const verdict::PreparedDraft& prepared) {
    const trust::Record& record = prepared.draft.record;
    const auto measured = [](const trust::Record& one) { return trust::to_statement(one).predicate["measurements"]; };
    if (record.measurements.empty()) return;
    ledger.records(record.kernel, [&](const trust::LedgerEntry& entry) {
      if (entry.record.content == record.content && measured(entry.record) == measured(record)) {
        throw Error(ErrorKind::usage, prepared.places.front().string(),
                    fmt::format("this draft is record {} already", entry.record.sequence), "remove it");
      }
      return true;
    });
  }

  // `shared`: the draft's folder, where those who signed before left their signatures; empty: nobody else signs. A
  // record's place in the ledger is part of what is signed: signatures for another place are of no use, and dropped.
  // False where others have to sign too.
  bool write(const trust::Draft& draft, const std::filesystem::path& shared) {
    describe(draft.record);
    trust::AppendOptions options;
    options.ledger = trust::ledger_options(authority_.policy);
    options.push = !arguments_.no_push;
    const auto waiting = shared.empty() ? shared : shared / "signed-so-far.dsse";
    std::string missing;              // signatures
    std::vector<std::string> others;  // whose keys can add them
    bool renews = false;
    const auto sign = [&](trust::Envelope& envelope) {
      missing.clear();
      if (!waiting.empty()) add_earlier(envelope, waiting);
      renews = has_signed(envelope);
      trust::add_signature(envelope, *key_);
      if (waiting.empty()) return;
      write_file_atomic(waiting, trust::write_envelope(envelope));
      try {
        authority_.keyring.verify(envelope, "accept", utc_day(std::time(nullptr)), draft.record.kernel);
      } catch (const Error& error) {
        missing = error.fact();
        others = authority_.keyring.others_for(envelope, "accept", utc_day(std::time(nullptr)));
        throw;
      }
    };
    try {
      const auto entry = trust::append(*authority_.repository, git_, authority_.keyring, options, draft, sign);
      std::cout << report::neutral(fmt::format("{}: {} as record {} of {}, signed by {}, {}\n", draft.record.kernel,
                                               draft.record.retired ? "retired" : "accepted", entry.record.sequence,
                                               options.ledger.branch, fmt::join(entry.signers, " and "), entry.digest));
      std::cout << report::neutral(fmt::format("{}: {}\n", draft.record.kernel, where_it_is(options)));
      std::error_code gone;
      std::filesystem::remove(waiting, gone);
      return true;
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::untrusted || missing.empty()) throw;
      std::cout << report::neutral(
          fmt::format("{}: {}, and not accepted yet: {}\nnext, by the owner of {}: kgate accept --sign {}\n",
                      draft.record.kernel, renews ? "signature renewed" : "signed", missing,
                      others.empty() ? "another key" : fmt::format("{}", fmt::join(others, " or ")),
                      fmt::join(arguments_.drafts, " ")));
      return false;
    }
  }

  bool has_signed(const trust::Envelope& envelope) const {
    const auto signers = authority_.keyring.signers(envelope);
    return std::any_of(signers.begin(), signers.end(),
                       [&](const auto* one) { return one->key.id() == key_->public_key().id(); });
  }

  // Who else can see the record.
  std::string where_it_is(const trust::AppendOptions& options) const {
    const std::string& remote = options.ledger.remote;
    if (!git_.has_remote(remote)) return fmt::format("on the local branch, for want of a remote {}", remote);
    if (options.push) return "pushed to " + remote;
    return fmt::format("on the local branch alone; push it: git push {} {}", remote, options.ledger.branch);
  }

  static void add_earlier(trust::Envelope& envelope, const std::filesystem::path& waiting) {
    std::error_code error;
    if (!std::filesystem::exists(waiting, error)) return;
    const auto earlier = trust::parse_envelope(text_of(read_file(waiting, trust::kMaxEnvelope)), waiting.string());
    if (earlier.payload == envelope.payload) envelope.signatures = earlier.signatures;
  }

  // What the signature says, before it is made.
  void describe(const trust::Record& record) const {
    const auto tell = [&](const std::string& text) {
      std::cout << report::neutral(fmt::format("{}: {}\n", record.kernel, text));
    };
    tell(record.retired ? "it is retired"
                        : fmt::format("{:.17} of commit {:.10}, right by cases revision {}", record.content,
                                      record.commit, record.cases_revision));
    tell("reason: " + record.reason);
    if (!record.slower.empty()) tell("it may be slower: " + record.slower);
    if (!record.release.empty()) tell("it is release " + record.release);
    if (!record.renamed_from.empty()) tell("it goes on from " + record.renamed_from);
    for (const auto& one : record.measurements) {
      for (const auto& [name, measured] : one.cases)
        tell(fmt::format("{}: {:.2f} us on {}", name, measured.us, one.device_name));
    }
  }

  const Invocation& invocation_;
  const Arguments& arguments_;
  verdict::JudgeOptions options_;
  trust::Authority authority_;
  trust::GitProgram git_;
  std::optional<trust::PrivateKey> key_;
};

}  // namespace

ExitCode accept(const Invocation& invocation) {
  return Acceptor(invocation).run();
}

}  // namespace kgate::cli
