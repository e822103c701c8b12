#include "gate/cli/arguments.h"

#include <functional>
#include <map>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/nearest.h"
#include "gate/cli/help/exit_codes.h"
#include "gate/cli/help/manual.h"
#include "gate/cli/help/verb_help.h"
#include "gate/cli/lease_options.h"
#include "gate/cli/search_options.h"
#include "gate/cli/version.h"
#include "gate/report/format.h"
#include "gate/report/writers.h"
#include "gate/verdict/result/consistency.h"

namespace kgate::cli {
namespace {

struct Verb {
  const char* name;
  const char* help;
  const char* names;  // what the positional arguments are; null: none
  const char* names_help;
  bool judges;  // takes the options of a run
  bool signs = false;
};

// The one table of verbs.
constexpr Verb kVerbs[] = {
    {"run", "the gate: check and time candidates against the base's version", "KERNEL",
     "kernels by name or pattern; all when none is given", true},
    {"check", "correctness only (any machine: host backend where there is no GPU)", "KERNEL",
     "kernels by name or pattern; all when none is given", true},
    {"bisect", "the commit between two that made a kernel slower or wrong", nullptr, nullptr, true},
    {"keygen", "a new Ed25519 key pair for signing", "NAME", "what the files are called: NAME.key.pem and NAME.pub.pem",
     false},
    {"sign", "qualify the cases of kernels, then sign them; with --keys, sign the policy's keys", "KERNEL",
     "kernels by name or pattern", true, true},
    {"accept", "record a version as accepted, measured here and now (needs a key with the role accept)", "KERNEL",
     "kernels by name or pattern", true, true},
    {"log", "what was accepted, when, by whom, how fast", "KERNEL",
     "kernels by name or pattern; all when none is given", false},
    {"verify", "check every signature and the whole ledger", "KERNEL",
     "kernels by name or pattern; all when none is given", true},
    {"fingerprint",
     "this machine: driver, toolkit, GPU and its state, host, CUDA's variables; or the differences between two "
     "recorded "
     "fingerprints, axis by axis, with what each may do to times",
     "FILE", "two fingerprint.json or result.json to compare", false},
    {"doctor", "what is missing on this machine; with --noise, how small a slowdown it can see", "KERNEL",
     "with --noise: kernels by name or pattern; all when none is given", true},
    {"search", "look for a version of a kernel that takes less time, within the policy's bounds", "KERNEL",
     "the kernel's name", true},
    {"drift", "nightly: time what is accepted, record the night, find since when kernels are slower and why", "KERNEL",
     "kernels by name or pattern; all when none is given", true, true},
    {"plan", "split a run into shards: a matrix for GitHub, a child pipeline for GitLab, an array job for Slurm",
     "KERNEL", "kernels by name or pattern; all when none is given", false},
    {"report", "render a result in any format; with --merge, those of shards as one", "RESULT",
     "result.json, or a folder that holds one", false},
    {"lease", "the GPU queue: who holds and who waits; or any command, while it holds a GPU", nullptr, nullptr, false},
    {"init", "a policy, a first kernel and CI files in this repository", "FILE",
     "CUDA sources whose kernels get a folder each; none: a sample kernel", false},
    {"help", "what a verb does, with examples", "TOPIC",
     "a verb; exit-codes, man, bash-completion, zsh-completion, fish-completion", false},
};

void add_accept_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--reason", arguments.reason, "why; kgate log shows it")->type_name("REASON");
  app.add_option("--slower", arguments.slower, "accept a slowdown, and why")->type_name("REASON");
  app.add_option("--release", arguments.release, "this version is the release of that name")->type_name("NAME");
  app.add_option("--renamed-from", arguments.renamed_from, "the kernel that goes on under the new name")
      ->type_name("KERNEL");
  app.add_flag("--retire", arguments.retire, "end the kernel: it is no longer missing where it is gone");
  app.add_option("--prepare", arguments.prepare, "measure only, and write drafts to this folder")->type_name("DIR");
  app.add_option("--sign", arguments.drafts, "sign drafts of any number of machines, and measure nothing")
      ->type_name("DIR");
  app.add_flag("--no-push", arguments.no_push, "write the local branch only");
}

void add_bisect_options(CLI::App& app, Arguments& arguments) {
  app.add_option("GOOD", arguments.good, "commit in which the kernel was as it should be")->required();
  app.add_option("BAD", arguments.bad, "later commit in which it is slower or wrong")->required();
  app.add_option("KERNEL", arguments.names, "the kernel's name")->required()->expected(1);
}

void add_passphrase(CLI::App& app, Arguments& arguments) {
  app.add_option("--passphrase-file", arguments.passphrase_file,
                 "file with the private key's passphrase (else KGATE_KEY_PASSPHRASE)")
      ->type_name("FILE");
}

void add_signing_options(CLI::App& app, const Verb& verb, Arguments& arguments) {
  app.add_option("--key", arguments.key, "private key to sign with, a PEM file (else KGATE_KEY, KGATE_KEY_FILE)")
      ->type_name("FILE");
  app.add_option("--key-command", arguments.key_command,
                 "command that prints the private key, such as a vault's client")
      ->type_name("COMMAND");
  add_passphrase(app, arguments);
  if (std::string_view(verb.name) != "sign") return;
  app.add_flag("--keys", arguments.sign_keys, "sign the policy's keys: the next key set, or one that others began");
  app.add_option("--accept-weak", arguments.accept_weak, "sign although some mutants pass, for this reason")
      ->type_name("REASON");
  app.add_option("--seeds", arguments.seeds, "on how many seeds the reference must pass itself")
      ->check(CLI::Range(2U, 10000U))
      ->capture_default_str();
  app.add_flag("--dry-run", arguments.dry_run, "qualify alone: needs no key and writes nothing");
}

void add_drift_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--since", arguments.since, "look at the nights from this day on")->type_name("DATE");
  app.add_option("--import", arguments.imports, "results of kgate run (result.json, or its folder), as nights")
      ->type_name("RESULT");
  app.add_flag("--no-measure", arguments.no_measure, "time nothing: look at what is recorded and imported");
  app.add_option("--hardware", arguments.hardware, "with --no-measure: whose nights, by name or key (else the newest)")
      ->type_name("GPU");
  app.add_flag("--no-push", arguments.no_push, "write the local branch only");
}

void add_place(CLI::App& app, Arguments& arguments) {
  app.add_flag("--no-fetch", arguments.no_fetch,
               "take the ledger and the target branch as they lie here, in a CI job too");
  app.add_option("--repo", arguments.repo, "a folder of the repository")->type_name("DIR")->capture_default_str();
  app.add_option("--policy-ref", arguments.policy_ref,
                 "read policy and base version from this ref (else from the CI job, else HEAD)")
      ->type_name("REF");
}

void add_shard_option(CLI::App& app, Arguments& arguments) {
  app.add_option("--shard", arguments.shard,
                 "judge the I-th of N parts of the kernels; kgate report --merge puts the parts together")
      ->type_name("I/N");
}

void add_plan_options(CLI::App& app, Arguments& arguments) {
  app.add_option("--shards", arguments.shards, "how many")
      ->check(CLI::Range(std::int64_t{1}, verdict::kMostShards))
      ->type_name("N");
  app.add_option("--seconds-per-shard", arguments.seconds_per_shard,
                 "as many as it takes for none to be expected longer; at most 256")
      ->type_name("S");
  app.add_flag("--check", arguments.plan_check, "of kgate check, not kgate run: nothing is timed");
  app.add_flag("--time-unchanged", arguments.time_unchanged, "of a run with this option");
  app.add_option("--gres", arguments.gres, "for Slurm: what a shard's GPU is, such as gpu:h100:1 (else gpu:1)")
      ->type_name("GRES");
  app.add_option("--constraint", arguments.constraint, "for Slurm: the feature of the nodes, such as h100")
      ->type_name("FEATURE");
}

// Of a run as its shards are to be typed.
void add_planned_run(CLI::App& app, Arguments& arguments) {
  app.add_option("--backend", arguments.backend, "auto, cuda or host")
      ->check(CLI::IsMember({"auto", "cuda", "host"}))
      ->capture_default_str();
  app.add_option("--baseline", arguments.baseline, "compare with this ref instead of the base commit")
      ->type_name("REF");
  app.add_option("--profile", arguments.profile, "pr, release or nightly: what blocks")
      ->check(CLI::IsMember({"pr", "release", "nightly"}))
      ->capture_default_str();
}

void add_answer(CLI::App& app, const Verb& verb, Arguments& arguments) {
  // A result has every format of the table; other answers have two.
  const std::string_view name = verb.name;
  std::vector<std::string> formats{"text", "json"};
  if (name == "run" || name == "check" || name == "report") {
    formats.clear();
    for (const auto& writer : report::writers()) formats.emplace_back(writer.name);
  }
  if (name == "plan") formats.insert(formats.end(), {"github", "gitlab", "slurm"});
  app.add_option("--format", arguments.format, fmt::format("what stdout gets: {}", fmt::join(formats, ", ")))
      ->check(CLI::IsMember(formats))
      ->capture_default_str();
  app.add_flag("--quiet", arguments.quiet, "the verdict alone");
  app.add_flag("--no-color", arguments.no_color, "no colours on a terminal");
}

void add_options(CLI::App& app, const Verb& verb, Arguments& arguments) {
  if (verb.names != nullptr) app.add_option(verb.names, arguments.names, verb.names_help);
  const bool bisects = std::string_view(verb.name) == "bisect", drifts = std::string_view(verb.name) == "drift",
             searches = std::string_view(verb.name) == "search";
  if (bisects) add_bisect_options(app, arguments);
  if (verb.signs) add_signing_options(app, verb, arguments);
  if (std::string_view(verb.name) == "help") return;
  if (std::string_view(verb.name) == "lease") return add_lease_options(app, arguments);
  if (std::string_view(verb.name) == "init") {
    app.add_option("--repo", arguments.repo, "a folder of the repository")->type_name("DIR")->capture_default_str();
    app.add_option("--ci", arguments.ci, "auto (by the remote and the files that are there), github, gitlab or none")
        ->check(CLI::IsMember({"auto", "github", "gitlab", "none"}))
        ->capture_default_str();
    return;
  }
  if (std::string_view(verb.name) == "keygen") {
    app.add_option("--keys-out", arguments.keys_out, "folder for the new files (else the current one)")
        ->type_name("DIR");
    app.add_option("--role", arguments.roles,
                   "what it is to sign: cases, accept, history; stands in the lines for the policy")
        ->check(CLI::IsMember({"cases", "accept", "history"}))
        ->type_name("ROLE");
    add_passphrase(app, arguments);
    return;
  }
  add_answer(app, verb, arguments);
  if (std::string_view(verb.name) == "log") {
    app.add_option("--limit", arguments.limit, "how many records, the newest first; 0: all")
        ->check(CLI::Range(std::int64_t{0}, std::int64_t{1000000000}))
        ->capture_default_str();
    add_place(app, arguments);
    return;
  }
  if (std::string_view(verb.name) == "plan") {
    add_plan_options(app, arguments);
    add_place(app, arguments);
    add_planned_run(app, arguments);
    return;
  }
  if (std::string_view(verb.name) == "report") {
    app.add_flag("--merge", arguments.merge,
                 "the results are shards of one run: judge them as one, with its exit code");
    app.add_option("--out", arguments.report_out, "write the files of all formats to this folder")->type_name("DIR");
  }
  const bool several = std::string_view(verb.name) == "run" || std::string_view(verb.name) == "check";
  app.add_option("--device", arguments.device,
                 several ? "the GPU, by UUID or index; several: all, a list with commas, or a name such as h200"
                         : "the GPU, by UUID or index")
      ->type_name("GPU");
  app.add_option("--cuda", arguments.cuda, "the CUDA toolkit's folder (else CUDA_HOME, CUDA_PATH, the usual places)")
      ->type_name("DIR");
  app.add_option("--backend", arguments.backend, "auto, cuda or host")
      ->check(CLI::IsMember({"auto", "cuda", "host"}))
      ->capture_default_str();
  if (std::string_view(verb.name) == "doctor") {
    app.add_flag("--noise", arguments.noise, "time every kernel against itself, and with a slowdown of known size");
    app.add_flag("--sandbox", arguments.try_sandbox, "try what can be done from inside the sandbox");
  } else if (verb.judges) {
    app.add_option("--sandbox", arguments.sandbox, "best, or none to look for a fault (the policy may forbid it)")
        ->check(CLI::IsMember({"best", "none"}))
        ->capture_default_str();
  }
  if (!verb.judges) return;
  add_place(app, arguments);
  add_lease_folder(app, arguments);
  if (std::string_view(verb.name) == "run")
    app.add_flag("--time-unchanged", arguments.time_unchanged, "time kernels whose machine code is the base's too");
  if (std::string_view(verb.name) == "run" || std::string_view(verb.name) == "check") add_shard_option(app, arguments);
  if (std::string_view(verb.name) == "run" || std::string_view(verb.name) == "check")
    app.add_flag("--sanitize", arguments.sanitize, "run the correctness cases under NVIDIA's compute-sanitizer too");
  if (std::string_view(verb.name) == "accept") add_accept_options(app, arguments);
  if (searches) add_search_options(app, arguments);
  if (drifts) add_drift_options(app, arguments);
  if (!bisects && !searches) {
    app.add_option("--baseline", arguments.baseline, "compare with this ref instead of the base commit")
        ->type_name("REF");
    app.add_option("--profile", arguments.profile, "pr, release or nightly: what blocks")
        ->check(CLI::IsMember({"pr", "release", "nightly"}))
        ->default_str(drifts ? "nightly" : arguments.profile);
  }
  app.add_option("--out", arguments.out,
                 bisects    ? "folder for bisect.json and bisect/, a result a measurement"
                 : drifts   ? "folder for drift.html and drift.json"
                 : searches ? "folder for search/: journal, summary, report, patch"
                            : "folder for result.json, the reports, fingerprint.json and samples")
      ->type_name("DIR")
      ->capture_default_str();
  app.add_option("--seed", arguments.seed, "16 hex digits: repeat a run's inputs, orders and places (else fresh)")
      ->type_name("HEX");
  app.add_option("--cache", arguments.cache, "folder of compiled code (else ~/.cache/kgate; empty: none)")
      ->type_name("DIR");
  app.add_option("--threads", arguments.threads, "CPU threads to use (else all)");
}

std::string help_text(const CLI::App& app, const std::vector<std::string>& topics) {
  // Not app.help(), which would be of the verb that was parsed, this one.
  if (topics.empty()) return app.get_formatter()->make_help(&app, "kgate", CLI::AppFormatMode::Normal);
  const std::map<std::string, std::function<std::string()>> others{
      {"exit-codes", [] { return exit_codes_page(); }},
      {"man", [&] { return man_page(app); }},
      {"bash-completion", [&] { return bash_completion(app); }},
      {"zsh-completion", [&] { return zsh_completion(app); }},
      {"fish-completion", [&] { return fish_completion(app); }}};
  const std::string& topic = topics.front();
  if (const auto other = others.find(topic); other != others.end() && topics.size() == 1) return other->second();
  if (const auto* help = help_of(topic); help != nullptr && topics.size() == 1)
    return report::wrap(help->about, 100, 0) + "\n\n" + app.get_subcommand(topic)->help("kgate");
  std::vector<std::string> known;
  for (const auto& [name, text] : others) known.push_back(name);
  for (const auto& one : verb_help()) known.push_back(one.verb);
  if (topics.size() > 1) throw Error(ErrorKind::usage, "kgate help", "takes one topic", "see kgate help");
  const auto near = nearest(topic, known);
  throw Error(ErrorKind::usage, fmt::format("\"{}\"", topic), "is no verb and no topic",
              near ? fmt::format("did you mean \"{}\"?", *near) : "kgate help lists them");
}

std::vector<std::string> words_of(const CLI::App& app) {
  std::vector<std::string> words;
  for (const auto* option : app.get_options()) {
    for (const auto& name : option->get_lnames()) words.push_back("--" + name);
  }
  for (const auto* verb : app.get_subcommands([](const CLI::App*) { return true; })) words.push_back(verb->get_name());
  return words;
}

}  // namespace

Arguments parse_arguments(int argc, const char* const* argv) {
  Arguments arguments;
  CLI::App app{"kgate: a regression gate for CUDA kernels", "kgate"};
  app.footer(exit_codes_text());
  app.require_subcommand(0, 1);
  app.set_version_flag("--version", std::string("kgate ") + kVersion + " (" + kCommit + ")");
  for (const auto& verb : kVerbs) {
    auto* command = app.add_subcommand(verb.name, verb.help);
    command->footer(foot_of(verb.name));
    add_options(*command, verb, arguments);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    arguments.message = chosen.empty() ? app.help() : chosen.front()->help("kgate");
    return arguments;
  } catch (const CLI::CallForVersion&) {
    arguments.message = app.version() + "\n";
    return arguments;
  } catch (const CLI::ExtrasError&) {
    const auto chosen = app.get_subcommands();
    const CLI::App& where = chosen.empty() ? app : *chosen.front();
    const auto unknown = app.remaining(true);
    const std::string word = unknown.empty() ? "" : unknown.front();
    const auto near = nearest(word, words_of(where));
    throw Error(ErrorKind::usage, fmt::format("\"{}\"", word), "is not known",
                near ? fmt::format("did you mean \"{}\"?", *near)
                     : fmt::format("see kgate {}--help", chosen.empty() ? "" : chosen.front()->get_name() + " "));
  } catch (const CLI::ParseError& error) {
    const auto chosen = app.get_subcommands();
    const std::string command = chosen.empty() ? "kgate" : "kgate " + chosen.front()->get_name();
    throw Error(ErrorKind::usage, command, error.what(), fmt::format("see {} --help", command));
  }
  const auto chosen = app.get_subcommands();
  if (chosen.empty()) {
    arguments.message = app.help();
  } else {
    arguments.verb = chosen.front()->get_name();
    if (arguments.verb == "help") {
      arguments.message = help_text(app, arguments.names);
      arguments.verb.clear();
    }
    if (arguments.verb == "drift" && chosen.front()->count("--profile") == 0) arguments.profile = "nightly";
  }
  return arguments;
}

}  // namespace kgate::cli
