#include "tests/cli/nightly.h"

#include <filesystem>

#include <fmt/format.h>

#include "gate/trust/key.h"
#include "gate/trust/ledger.h"
#include "gate/trust/repository.h"

using kgate::bench::SimulatedHistory;
using namespace kgate::trust;

const std::string Nightly::kPolicy = R"(schema = "kgate.policy/1"
[trust]
unsigned = "warn"
[[key]]
file = "keys/accept.pub.pem"
roles = ["accept"]
[[key]]
file = "keys/history.pub.pem"
roles = ["history"]
)";

namespace {

constexpr const char* kTimed = R"(
[[case]]
name = "timed"
role = "performance"
sizes = { n = 20000 }
inputs = { x = { normal = [0.0, 1.0] } }
seed = "fresh"
tolerance = { y = { rtol = 1e-5 } }
)";

}  // namespace

Nightly::Nightly() {
  for (const char* name : {"accept", "history"}) {
    const auto key = PrivateKey::generate();
    if (std::string(name) == "history") history_key_ = key.pem("");
    write(fmt::format(".kgate/keys/{}.pub.pem", name), key.public_key().pem());
    const std::string file = fmt::format("private/{}.key.pem", name);
    write(file, key.pem(""));
    std::filesystem::permissions(root() / file,
                                 std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  }
  write(".gitignore", "private/\n");
  write(".kgate/policy.toml", kPolicy);
  const std::string cases(kgate::text_of(kgate::read_file(root() / "kernels/scale/cases.toml", 1 << 20)));
  write("kernels/scale/cases.toml", cases + kTimed);
  commit("keys");
}

CliFixture::Answer Nightly::accept() const {
  return kgate({"accept", "scale", "--reason", "first version", "--key", key("accept"), "--out", out().string(),
                "--backend", "host", "--cache", ""});
}

std::vector<std::string> Nightly::drift_arguments(std::vector<std::string> arguments) const {
  arguments.insert(arguments.begin(), "drift");
  arguments.insert(arguments.end(), {"--out", out().string(), "--cache", ""});
  return arguments;
}

CliFixture::Answer Nightly::tonight(std::vector<std::string> arguments) const {
  arguments.insert(arguments.end(), {"--backend", "host"});
  return drift(std::move(arguments));
}

kgate::Json Nightly::report() const {
  return kgate::parse_json(kgate::text_of(kgate::read_file(out() / "drift.json", 64 << 20)), "drift.json");
}

void Nightly::append(const SimulatedHistory& simulated, const std::string& kernel, const std::string& time) const {
  const auto repository = Repository::open(root().string());
  const GitProgram git(root(), environment);
  const auto secret = PrivateKey::from_pem(history_key_, "", "key");
  const Keyring keyring({{secret.public_key(), "keys/history.pub.pem", {"history"}, {}, {}}}, {});
  AppendOptions options;
  options.ledger.branch = "kgate/history";
  options.ledger.role = "history";
  options.ledger.predicate = kHistoryPredicate;
  for (std::int64_t i = 0; i < simulated.nights; ++i) {
    auto night = simulated.night(i);
    if (night.kernels.empty()) continue;
    if (!time.empty()) night.time = time;
    auto figures = night.kernels.extract("kernel_000");
    figures.key() = kernel;
    figures.mapped().cases["timed"] = figures.mapped().cases.extract("case_0").mapped();
    night.kernels.clear();
    night.kernels.insert(std::move(figures));
    kgate::trust::append(repository, git, keyring, options, kgate::drift::draft_of(night, simulated.fingerprint_of(i)),
                         [&](Envelope& envelope) { add_signature(envelope, secret); });
  }
}

SimulatedHistory Nightly::simulated(std::int64_t nights) {
  SimulatedHistory history;
  history.nights = nights;
  history.kernels = 1;
  return history;
}
