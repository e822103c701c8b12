// One entry a verb. It is what `kgate help VERB`, `kgate VERB --help`, the manual page and the completions say beside
// the flags, which arguments.cpp has; tests parse every example, and ask for an entry for every verb.
#include "gate/cli/help/verb_help.h"

#include <algorithm>

#include <fmt/format.h>

#include "gate/cli/help/exit_codes.h"
#include "gate/report/format.h"

namespace kgate::cli {
namespace {

constexpr std::size_t kWidth = 100;

std::vector<VerbHelp> table() {
  return {
      {"run",
       "Compiles every kernel that was selected, checks it against its reference cases on fresh inputs, and times what "
       "changed beside the base commit's and the accepted version, interleaved on the same GPU. Policy and keys are "
       "read from the base commit, never from the change. The folder of --out gets result.json and a report in every "
       "format.",
       {{"kgate run", "all kernels, as the policy's profile pr says"},
        {"kgate run softmax 'gemm_*'", "these alone"},
        {"kgate run --profile release --policy-ref origin/main", "against what was accepted and the last release"},
        {"kgate run softmax --seed 9f1c2e3b4a5d6e7f", "the same inputs, orders and places again"},
        {"kgate run --format github", "with annotations, in a GitHub job"}},
       "reports.md",
       ""},
      {"check",
       "Correctness alone: the first half of run. On a machine without a GPU the host backend compiles the same CUDA "
       "C++ "
       "for the CPU.",
       {{"kgate check", "all kernels"},
        {"kgate check softmax --backend host", "on the CPU, wherever you are"},
        {"kgate check softmax --sanitize", "under NVIDIA's compute-sanitizer too"}},
       "host-backend.md",
       ""},
      {"accept",
       "Measures a version here and now and records it, signed, as the accepted one: what later runs compare with, and "
       "what an intended slowdown needs. Where several people or machines take part, drafts are measured first and "
       "signed elsewhere.",
       {{"kgate accept softmax --key accept.key.pem --reason 'vectorised loads'", "a new version"},
        {"kgate accept softmax --slower 'exact rounding' --key accept.key.pem", "although it is slower"},
        {"kgate accept '*' --release v1.5 --reason release --key accept.key.pem", "all kernels, as a release"},
        {"kgate accept softmax --retire --reason 'nobody calls it' --key accept.key.pem", "the end of a kernel"},
        {"kgate accept softmax --prepare drafts --reason 'new block size'", "measure only"},
        {"kgate accept --sign drafts --key accept.key.pem", "sign what was measured elsewhere"}},
       "accept.md",
       ""},
      {"log",
       "The records of the ledger, newest first: what was accepted, when, by whom, how fast, and why.",
       {{"kgate log", "the last twenty records"}, {"kgate log softmax --limit 0", "everything of one kernel"}},
       "ledger.md",
       ""},
      {"search",
       "Looks for a version of a kernel that is right and takes less time. A tuner, a language model or a program of "
       "yours proposes; the gate judges each proposal as it judges any change, within the bounds of the policy's "
       "[search]. The repository is never written to: what comes out is a patch, a report and a journal, and the same "
       "command goes on where a killed one was.",
       {{"kgate search softmax", "as the policy's [search] says"},
        {"kgate search softmax --iterations 60 --gpu-seconds 300", "with bounds of your own, on your own machine"},
        {"kgate search softmax --proposer tuner --proposer http", "first the tuner, then a model"}},
       "search.md",
       "0: it could look, whatever it found. 1, 2: the version to begin with is over a limit, or wrong. 5: the machine "
       "failed, or nobody who was to propose could be asked and nothing better was found. 64: nothing is allowed. "
       "Others "
       "as of run."},
      {"keygen",
       "A new Ed25519 key pair: NAME.key.pem, which stays secret, and NAME.pub.pem, for .kgate/keys/. Prints the lines "
       "that the policy needs.",
       {{"kgate keygen reviewers", "asks for a passphrase on a terminal"},
        {"kgate keygen release --keys-out ~/keys", "in another folder"}},
       "signing.md",
       ""},
      {"sign",
       "First qualifies the cases: wrong outputs (zeros, a copy of an input, one element off, half precision) must "
       "fail "
       "them, and the reference must pass itself. Then signs cases.toml and every file that it names.",
       {{"kgate sign softmax --key reviewers.key.pem", "qualify, then sign"},
        {"kgate sign softmax --dry-run", "qualify alone; needs no key"},
        {"kgate sign --keys --key root.key.pem", "the policy's next key set"}},
       "signing.md",
       ""},
      {"verify",
       "Checks every signature of the cases, the key set, and the whole ledger, record by record.",
       {{"kgate verify", "everything"}, {"kgate verify softmax --format json", "one kernel, for a script"}},
       "ledger.md",
       ""},
      {"fingerprint",
       "Driver, toolkit, GPU and its state, host and the variables that change what CUDA does. With two files: what "
       "differs, axis by axis, and what each difference may do to times.",
       {{"kgate fingerprint", "this machine"},
        {"kgate fingerprint --format json", "for a file to compare with later"},
        {"kgate fingerprint old/result.json kgate-out/result.json", "what changed between two runs"}},
       "fingerprint.md",
       ""},
      {"drift",
       "Times what is accepted, as it was recorded, on today's machine; keeps the night in the signed branch "
       "kgate/history; and looks through all nights: since when is which kernel slower, by how much, and what changed "
       "on "
       "the machine that night.",
       {{"kgate drift --key history.key.pem", "a night: timed, recorded, reported"},
        {"kgate drift --no-measure --since 2026-01-01", "what the recorded nights say, on any machine"},
        {"kgate drift --no-measure --import old/result.json", "nights from before there was a history"}},
       "drift.md",
       "Exit codes: 0 also where the profile does not block on what was found (nightly blocks on environment and "
       "missing); 1 regressed; 4 untrusted; 5 environment; 6 missing; 64 usage; 130, 143 interrupted: nothing is "
       "recorded."},
      {"bisect",
       "Finds the commit that made a kernel slower, wrong or unable to compile, by runs of the gate on old versions "
       "with "
       "today's policy and cases. GOOD is an older commit than BAD. Nothing is checked out, and commits that leave the "
       "machine code alone are not "
       "measured: a thousand commits take at most eleven measurements.",
       {{"kgate bisect v1.4 HEAD softmax", "slower or wrong since the release"},
        {"kgate bisect HEAD~200 HEAD softmax --seed 1f2e3d4c5b6a7988", "the same inputs again"},
        {"kgate bisect MERGE^1 MERGE^2 softmax", "inside of a merge"},
        {"kgate report kgate-out/bisect/1a2b3c4d5e", "a measurement's whole result"}},
       "bisect.md",
       "Exit codes: 0 BAD is neither slower nor wrong; 1 slower, 2 wrong: found, or narrowed to several commits; 3 too "
       "noisy to say; 4 untrusted; 5 environment; 6 no such kernel; 64 usage, such as a GOOD that is wrong too; 130, "
       "143 "
       "interrupted: what was found until then is in bisect.json."},
      {"doctor",
       "What is missing on this machine, and what to do about it. With --noise: times every kernel against itself and "
       "with a planted slowdown, and says how small a slowdown this runner can see. With --sandbox: tries, from inside "
       "of "
       "it, what a hostile kernel could.",
       {{"kgate doctor", "before the first run on a runner"},
        {"kgate doctor --noise", "how small a slowdown this runner can see"},
        {"kgate doctor --sandbox", "what a kernel's process can open, read and reach"}},
       "sandbox.md",
       ""},
      {"plan",
       "Splits a run into shards of about the same expected length, and writes what starts them: a matrix for GitHub "
       "Actions, a child pipeline for GitLab, an array job for Slurm. The split is a function of the working tree, the "
       "base commit and the policy, so that every shard comes to the same one by itself. Needs no GPU and no compiler.",
       {{"kgate plan --shards 4", "which kernels go together, and what each shard is expected to take"},
        {"kgate plan --seconds-per-shard 120 --format github",
         "matrix=... for $GITHUB_OUTPUT, of as many jobs as it takes"},
        {"kgate plan --shards 4 --format gitlab", "a child pipeline with its merge job"},
        {"kgate plan --shards 8 --format slurm --gres gpu:h100:1", "a script that submits an array and its merge job"},
        {"kgate run --shard 2/4", "one of the shards, anywhere"}},
       "scale.md",
       ""},
      {"report",
       "Renders a result again, in any format; it has no verdict of its own, and exits with 0 where it could render. "
       "With "
       "--merge: makes one result of a run's shards, and exits with the code of the whole.",
       {{"kgate report kgate-out", "as the run said it"},
        {"kgate report kgate-out --format markdown", "for a wiki, or a comment"},
        {"kgate report kgate-out --out again", "the files of all formats"},
        {"kgate report --merge shard-*/result.json --out whole", "the shards of a run as one"}},
       "reports.md",
       ""},
      {"lease",
       "The queue of this machine's GPUs: one holder each, first come first served within a priority, across users, "
       "containers and jobs. status says who holds, who waits and who uses a GPU without its lease. run waits for a "
       "GPU, "
       "runs a command while holding it, and exits as the command does: training and tests of the team can so keep out "
       "of the way of measurements.",
       {{"kgate lease status", "who holds and who waits"},
        {"kgate lease status --format json", "for a script"},
        {"kgate lease run -- pytest -q tests/gpu", "with the first GPU"},
        {"kgate lease run --device 1 --priority search --wait 7200 -- python train.py",
         "a long job, behind the others"},
        {"kgate lease run --device all -- make bench", "with all GPUs"}},
       "lease.md",
       "Exit codes of run: the command's own, 128 + N where signal N ended it; 5 where no GPU was to be had within "
       "--wait, or the command cannot be started. Of status: 0. Of both: 64 usage; 130, 143 interrupted while "
       "waiting."},
      {"init",
       "Begins with what can be found out: a policy for a team that starts, a kernel's folder for every __global__ "
       "function of the sources that are named (parameters and types filled in, the rest marked), and the CI file of "
       "the "
       "host that the remote names. Nothing that is there is overwritten.",
       {{"kgate init", "policy, a sample kernel, CI file"},
        {"kgate init src/softmax.cu", "for the kernels of this file, which stays where it is"},
        {"kgate init --ci none", "no CI file"}},
       "quickstart.md",
       ""},
      {"help",
       "What a verb does, with examples; the exit codes; this manual's other forms.",
       {{"kgate help run", "one verb"},
        {"kgate help exit-codes", "what each exit code means, and what to do"},
        {"kgate help man", "the manual page: kgate help man | man -l -"},
        {"kgate help bash-completion", "likewise zsh-completion and fish-completion"}},
       "",
       ""},
  };
}

}  // namespace

const std::vector<VerbHelp>& verb_help() {
  static const std::vector<VerbHelp> all = table();
  return all;
}

const VerbHelp* help_of(const std::string& verb) {
  const auto found =
      std::find_if(verb_help().begin(), verb_help().end(), [&](const VerbHelp& one) { return one.verb == verb; });
  return found == verb_help().end() ? nullptr : &*found;
}

std::string foot_of(const std::string& verb) {
  const VerbHelp* help = help_of(verb);
  if (help == nullptr) return exit_codes_text();
  std::string text = "Examples:\n";
  for (const auto& [command, what] : help->examples) {
    const bool short_enough = report::columns(command) <= 50;
    text += short_enough ? fmt::format("  {:<50}  {}\n", command, what)
                         : fmt::format("  {}\n  {:<50}  {}\n", command, "", what);
  }
  if (!help->page.empty()) text += "\nMore: docs/" + help->page + "\n";
  return text + "\n" + (help->exits.empty() ? exit_codes_text() : report::wrap(help->exits, kWidth, 0));
}

}  // namespace kgate::cli
