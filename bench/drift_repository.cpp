#include "bench/drift_repository.h"

#include <chrono>
#include <fstream>

#include <fcntl.h>
#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/unique_fd.h"
#include "gate/trust/dsse.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"
#include "gate/trust/repository.h"

namespace kgate::bench {
namespace {

using namespace kgate::trust;

constexpr const char* kPolicy = R"(schema = "kgate.policy/1"
[trust]
unsigned = "warn"
[[key]]
file = "keys/accept.pub.pem"
roles = ["accept"]
[[key]]
file = "keys/history.pub.pem"
roles = ["history"]
)";

constexpr const char* kSource = R"(__global__ void scale(float* y, const float* x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = 2.0f * x[i];
}
)";

constexpr const char* kKernel = R"toml(schema = "kgate.kernel/1"
kind = "cuda"
sources = ["scale.cu"]
[[launch]]
entry = "scale"
grid = ["ceil_div(n, 64)", 1, 1]
block = [64, 1, 1]
)toml";

constexpr const char* kParams = R"toml(
[[param]]
name = "y"
kind = "out"
dtype = "f32"
shape = ["n"]
[[param]]
name = "x"
kind = "in"
dtype = "f32"
shape = ["n"]
[[param]]
name = "n"
kind = "scalar"
dtype = "i32"
value = "n"
[reference]
sources = ["scale.cu"]
entry = "scale"
grid = ["ceil_div(n, 64)", 1, 1]
block = [64, 1, 1]
)toml";

std::string cases_toml(const SimulatedHistory& history, std::int64_t kernel) {
  std::string text = fmt::format("schema = \"kgate.cases/1\"\nkernel = \"{}\"\nrevision = 1\n",
                                 SimulatedHistory::kernel_name(kernel)) +
                     kParams;
  const std::string bound = SimulatedHistory::bound_of(kernel);
  if (!bound.empty())
    text += fmt::format("[work]\nbytes = \"8 * n\"\nflops = \"{} * n\"\n", bound == "memory" ? 1 : 2000);
  for (std::int64_t c = 0; c < history.cases; ++c) {
    text += fmt::format(
        "[[case]]\nname = \"case_{}\"\nrole = \"performance\"\nsizes = {{ n = {} }}\ninputs = {{ x = {{ normal = [0.0, "
        "1.0] }} }}\nseed = \"fresh\"\ntolerance = {{ y = {{ rtol = 1e-6 }} }}\n",
        c, 1000000 * (c + 1));
  }
  return text;
}

class Writer {
 public:
  Writer(std::filesystem::path folder, const SimulatedHistory& history)
      : folder_(std::move(folder)), history_(history) {}

  std::int64_t write() {
    std::filesystem::create_directories(folder_);
    run({"init", "-q", "-b", "main"});
    write_tree();
    run({"add", "-A"});
    run({"commit", "-q", "-m", "kernels"});
    repository_.emplace(Repository::open(folder_.string()));
    accept_all();
    return append_nights();
  }

 private:
  void write_tree() {
    const auto put = [&](const std::string& path, const std::string& text) {
      write_file_atomic(folder_ / path, std::string_view(text));
    };
    put(".kgate/policy.toml", kPolicy);
    put(".kgate/keys/accept.pub.pem", accept_.public_key().pem());
    put(".kgate/keys/history.pub.pem", nights_.public_key().pem());
    for (std::int64_t k = 0; k < history_.kernels; ++k) {
      const std::string place = "kernels/" + SimulatedHistory::kernel_name(k) + "/";
      put(place + "kernel.toml", kKernel);
      put(place + "scale.cu", kSource);
      put(place + "cases.toml", cases_toml(history_, k));
    }
  }

  void accept_all() {
    const std::int64_t first = *drift::day_from(history_.first_night);
    for (std::int64_t k = 0; k < history_.kernels; ++k) accept(SimulatedHistory::kernel_name(k), k, first - 1, "v1.4");
    for (const PlantedChange& change : history_.changes) {
      if (change.accepted != 0)
        accept(change.kernel, std::stoll(change.kernel.substr(7)), first + change.night - 1, "v1.5");
    }
  }

  void accept(const std::string& kernel, std::int64_t number, std::int64_t day, const std::string& release) {
    Draft draft;
    const auto store = [&](const std::string& text) {
      const std::string digest = digest_of(view_of(text));
      draft.objects[digest] = bytes_of(text);
      return digest;
    };
    Record& record = draft.record;
    record.kernel = kernel;
    record.time = drift::day_text(day) + "T12:00:00Z";
    record.commit = std::string(40, '0');
    record.path = "kernels/" + kernel + "/kernel.toml";
    record.files[record.path] = store(kKernel);
    record.files["kernels/" + kernel + "/scale.cu"] = store(kSource);
    record.content = digest_of(view_of(kernel + release));
    record.cases_digest = digest_of(view_of(cases_toml(history_, number)));
    record.cases_revision = 1;
    record.reason = "release " + release;
    record.release = release;
    const auto night = history_.night(0);
    Measurement one;
    one.device_class = night.device_class;
    one.backend = night.backend;
    one.device_name = night.device_name;
    one.architecture = night.architecture;
    one.toolkit = "13.0";
    one.code = store("code of " + kernel + release);
    one.symbols = {{"scale", "_Z5scalePfPKfi"}};
    one.fingerprint = store(canonical_json(history_.fingerprint_of(0)) + "\n");
    for (std::int64_t c = 0; c < history_.cases; ++c)
      one.cases[fmt::format("case_{}", c)] = {SimulatedHistory::level(number, c), 60, 2, 30, "graph", ""};
    record.measurements.push_back(std::move(one));
    const Keyring keyring({{accept_.public_key(), "keys/accept.pub.pem", {"accept"}, {}, {}}}, {});
    const GitProgram git(folder_, environment());
    append(*repository_, git, keyring, {{}, 10, false}, draft,
           [&](Envelope& envelope) { add_signature(envelope, accept_); });
  }

  // By git fast-import: ten years by trust::append are an hour of git processes. A commit a record; nobody reads the
  // trees of any but the last, so only that one has its files.
  std::int64_t append_nights() {
    std::vector<std::int64_t> numbers;
    for (std::int64_t i = 0; i < history_.nights; ++i) {
      if (!history_.night(i).kernels.empty()) numbers.push_back(i);
    }
    const auto stream = folder_ / ".git" / "nights";
    std::ofstream out(stream, std::ios::binary);
    for (std::size_t i = 1; i <= numbers.size(); ++i) {
      out << "commit refs/heads/kgate/history\ncommitter kgate <noreply@kgate.dev> " << 1700000000 + i
          << " +0000\ndata 7\nrecord\n";
    }
    const auto file = [&](const std::string& path, std::string_view content) {
      out << "M 100644 inline " << path << "\ndata " << content.size() << '\n' << content << '\n';
    };
    Place place;
    std::string heads, text;
    for (const std::int64_t number : numbers) {
      Draft draft = drift::draft_of(history_.night(number), history_.fingerprint_of(number));
      Record& record = draft.record;
      heads = heads_text(place.heads);
      record.sequence = place.sequence;
      record.previous = place.previous;
      record.kernel_previous = kernel_previous_in(place.heads, record);
      record.heads = digest_of(view_of(heads));
      Envelope envelope = wrap(to_statement(record, kHistoryPredicate));
      add_signature(envelope, nights_);
      text = write_envelope(envelope);
      file(record_path(record.kernel, record.sequence), text);
      for (const auto& [digest, content] : draft.objects) file(object_path(digest), text_of(content));
      advance(place, record, digest_of(view_of(text)));
    }
    file(kNewestFile, text);
    file(kHeadsFile, heads);
    if (!out.flush()) throw Error(ErrorKind::environment, stream.string(), "cannot be written");
    run({"fast-import", "--quiet"}, stream);
    std::filesystem::remove(stream);
    return static_cast<std::int64_t>(numbers.size());
  }

  static std::map<std::string, std::string> environment() {
    return {{"PATH", ProcessOptions().search_path},
            {"HOME", "/nonexistent"},
            {"GIT_CONFIG_NOSYSTEM", "1"},
            {"GIT_AUTHOR_NAME", "nobody"},
            {"GIT_AUTHOR_EMAIL", "nobody@example"},
            {"GIT_COMMITTER_NAME", "nobody"},
            {"GIT_COMMITTER_EMAIL", "nobody@example"}};
  }

  void run(std::vector<std::string> arguments, const std::filesystem::path& input = "/dev/null") const {
    const UniqueFd from(::open(input.c_str(), O_RDONLY | O_CLOEXEC));
    ProcessOptions process;
    process.descriptors = {{from.get(), 0}};
    process.command = {"git", "-C", folder_.string()};
    process.command.insert(process.command.end(), arguments.begin(), arguments.end());
    process.environment = environment();
    CommandLimits limits;
    limits.deadline = std::chrono::minutes(30);
    const auto result = run_command(process, limits);
    if (!result.status.ok())
      throw Error(ErrorKind::environment, "git " + arguments.front(), "failed: " + result.output);
  }

  std::filesystem::path folder_;
  const SimulatedHistory& history_;
  PrivateKey accept_ = PrivateKey::generate(), nights_ = PrivateKey::generate();
  std::optional<Repository> repository_;
};

}  // namespace

std::int64_t write_drift_repository(const std::filesystem::path& folder, const SimulatedHistory& history) {
  return Writer(folder, history).write();
}

}  // namespace kgate::bench
