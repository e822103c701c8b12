// How long it takes to find the last accepted version of a kernel, and to verify everything, in a ledger of many
// records: kgate promises 50 ms, and 20 s and 300 MB, for a hundred thousand.
//
//   bench_ledger [--records N] [--kernels K] [--folder DIR] [--threads T]
//
// Makes the ledger once (DIR is kept and used again), each record signed for real, with git fast-import; then measures
// in processes of its own, so that nothing is warm but the disk's cache.
#include <chrono>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <map>
#include <random>

#include <CLI/CLI.hpp>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/file.h"
#include "base/process.h"
#include "base/utc.h"
#include "gate/trust/ledger.h"
#include "gate/trust/ledger_chain.h"
#include "gate/trust/ledger_names.h"

using namespace kgate;
using namespace kgate::trust;
namespace fs = std::filesystem;

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kFinds = 20;
constexpr std::time_t kFirstTime = 1700000000;
constexpr std::size_t kSource = 1000, kCode = 3000, kSamples = 500;

struct Options {
  std::int64_t records = 100000;
  int kernels = 100;
  unsigned threads = 2;
  fs::path folder = "kgate-bench-ledger";
  std::string kernel;  // of `find`
};

double milliseconds_since(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

double peak_megabytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

// Of this process so far, its start included: what a busy machine does not change much.
double cpu_milliseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) * 1e-3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

std::string kernel_name(std::int64_t number) {
  return fmt::format("kernel_{:03}", number);
}

// ---- making

// Half of it is incompressible, as machine code and samples are.
std::string filler(std::size_t bytes, std::mt19937_64& random) {
  std::string text;
  while (text.size() < bytes) text += fmt::format("{:016x}", random());
  text.resize(bytes);
  return text;
}

class Maker {
 public:
  Maker(const Options& options, std::ostream& out, const PrivateKey& key) : options_(options), out_(out), key_(key) {}

  // A commit a record; nobody reads the trees of any but the last, so only that one has its files. (With all of them,
  // making a hundred thousand takes hours.)
  void make() {
    for (std::int64_t i = 1; i <= options_.records; ++i) commit(i);
    Place place;
    for (std::int64_t i = 1; i <= options_.records; ++i) add(i, place);
  }

 private:
  void add(std::int64_t number, Place& place) {
    std::map<std::string, std::string> files;  // path -> content
    const auto store = [&](std::string content) {
      std::string digest = digest_of(view_of(content));
      files.emplace(object_path(digest), std::move(content));
      return digest;
    };
    Record record;
    record.kernel = kernel_name(static_cast<std::int64_t>(random_() % static_cast<unsigned>(options_.kernels)));
    record.sequence = number;
    record.previous = place.previous;
    record.kernel_previous = kernel_previous_in(place.heads, record);
    const std::string heads = heads_text(place.heads);
    record.heads = digest_of(view_of(heads));
    record.time = utc_time(kFirstTime + number * 60);
    record.commit = fmt::format("{:040x}", number);
    record.path = fmt::format("kernels/{}/kernel.toml", record.kernel);
    record.files[record.path] = store("schema = \"kgate.kernel/1\" # " + record.kernel + "\n");
    record.files[fmt::format("kernels/{0}/{0}.cu", record.kernel)] = store(filler(kSource, random_));
    record.content = digest_of(view_of(fmt::format("{}", number)));
    record.cases_digest = digest_of(view_of(record.kernel));
    record.cases_revision = 1;
    record.reason = fmt::format("the reason of record {}", number);
    Measurement one;
    one.device_class = "0123456789abcdef";
    one.backend = "cuda";
    one.device_name = "NVIDIA H200";
    one.architecture = "sm_90";
    one.toolkit = "13.0.88";
    one.code = store(filler(kCode, random_));
    one.symbols = {{record.kernel, "_Z" + record.kernel + "PfPKfi"}};
    one.fingerprint = store(fmt::format("{{\"driver\":{}}}\n", number / 1000));
    one.registers = 32;
    one.code_bytes = static_cast<std::int64_t>(kCode);
    for (const char* name : {"small", "wide"})
      one.cases[name] = {
          10 + static_cast<double>(random_() % 1000) / 1000, 24, 2, 30, "graph", store(filler(kSamples, random_))};
    record.measurements.push_back(one);

    Envelope envelope = wrap(to_statement(record));
    add_signature(envelope, key_);
    const std::string text = write_envelope(envelope);
    files[record_path(record.kernel, number)] = text;
    if (number == options_.records) {
      files[kNewestFile] = text;
      files[kHeadsFile] = heads;
    }
    for (const auto& [path, content] : files) file(path, content);
    advance(place, record, digest_of(view_of(text)));
  }

  void commit(std::int64_t number) {
    const std::string message = fmt::format("record {}\n", number);
    out_ << "commit refs/heads/kgate/ledger\ncommitter kgate <noreply@kgate.dev> " << kFirstTime + number * 60
         << " +0000\ndata " << message.size() << '\n'
         << message;
  }

  void file(const std::string& path, const std::string& content) {
    out_ << "M 100644 inline " << path << "\ndata " << content.size() << '\n' << content << '\n';
  }

  const Options& options_;
  std::ostream& out_;
  const PrivateKey& key_;
  std::mt19937_64 random_{1};
};

void git(const Options& options, const std::vector<std::string>& arguments, const fs::path& input = "/dev/null") {
  const UniqueFd from(::open(input.c_str(), O_RDONLY | O_CLOEXEC));
  ProcessOptions process;
  process.command = {"git"};
  process.command.insert(process.command.end(), arguments.begin(), arguments.end());
  process.folder = options.folder;
  process.environment = {{"HOME", fs::absolute(options.folder).string()}, {"PATH", process.search_path}};
  process.descriptors = {{from.get(), 0}};
  CommandLimits limits;
  limits.deadline = std::chrono::hours(1);
  const auto result = run_command(process, limits);
  if (!result.status.ok()) throw Error(ErrorKind::environment, "git " + arguments.front(), result.output);
}

void make(const Options& options) {
  fs::create_directories(options.folder);
  git(options, {"init", "-q"});
  const PrivateKey key = PrivateKey::generate();
  write_file_atomic(options.folder / "key.pub.pem", key.public_key().pem());
  const fs::path stream = options.folder / "stream";
  {
    std::ofstream out(stream, std::ios::binary);
    Maker(options, out, key).make();
    if (!out.flush()) throw Error(ErrorKind::environment, stream.string(), "cannot be written");
  }
  git(options, {"fast-import", "--quiet"}, stream);
  fs::remove(stream);
  git(options, {"repack", "-a", "-d", "-q"});
}

// ---- measuring, each in a process of its own

Ledger open(const Options& options) {
  const fs::path file = options.folder / "key.pub.pem";
  const PublicKey key = PublicKey::from_pem(text_of(read_file(file, 1 << 16)), file.string());
  LedgerOptions ledger;
  ledger.remote.clear();
  return Ledger::open(Repository::open(options.folder.string()), ledger,
                      Keyring({{key, "key.pub.pem", {"accept"}, {}, {}}}, {}));
}

void find(const Options& options) {
  const auto start = Clock::now();
  const Ledger ledger = open(options);
  const double opened = milliseconds_since(start);
  const auto head = ledger.head(options.kernel);
  const double found = milliseconds_since(start);
  const std::size_t alive = ledger.kernels().size();
  if (!head || alive == 0) throw Error(ErrorKind::missing, options.kernel, "is not in the ledger");
  std::cout << fmt::format("{} {} {}\n", opened, found, cpu_milliseconds());
}

void verify(const Options& options) {
  const auto start = Clock::now();
  const Ledger ledger = open(options);
  const auto totals = ledger.verify(options.threads);
  std::cout << fmt::format("verify, {} threads: {:.2f} s, {:.2f} s of CPU, peak {:.0f} MB, {} records, {} objects\n",
                           options.threads, milliseconds_since(start) / 1000, cpu_milliseconds() / 1000,
                           peak_megabytes(), totals.records, totals.objects);
}

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    if (line.rfind("model name", 0) == 0) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

std::string child(const Options& options, const std::string& program, std::vector<std::string> arguments) {
  ProcessOptions process;
  process.command = {program};
  process.command.insert(process.command.end(), arguments.begin(), arguments.end());
  process.command.insert(process.command.end(),
                         {"--folder", options.folder.string(), "--threads", std::to_string(options.threads)});
  CommandLimits limits;
  limits.deadline = std::chrono::hours(1);
  const auto result = run_command(process, limits);
  if (!result.status.ok()) throw Error(ErrorKind::internal, "bench_ledger " + arguments.front(), result.output);
  return result.output;
}

void measure(const Options& options) {
  const std::string self = fs::read_symlink("/proc/self/exe").string();
  std::cout << fmt::format("{}, {} threads used; {} records of {} kernels\n", processor(), options.threads,
                           options.records, options.kernels);
  std::vector<std::array<double, 4>> times;
  for (int i = 0; i < kFinds; ++i) {
    const auto start = Clock::now();
    const std::string output = child(options, self, {"find", kernel_name(i * options.kernels / kFinds)});
    const double whole = milliseconds_since(start);
    std::array<double, 4> one{0, 0, whole, 0};
    if (std::sscanf(output.c_str(), "%lf %lf %lf", &one[0], &one[1], &one[3]) != 3)
      throw Error(ErrorKind::internal, "bench_ledger find", output);
    times.push_back(one);
  }
  const char* const names[] = {"open", "open and head(KERNEL)", "the whole process", "its CPU time"};
  for (std::size_t column = 0; column < 4; ++column) {
    std::sort(times.begin(), times.end(), [&](const auto& a, const auto& b) { return a[column] < b[column]; });
    std::cout << fmt::format("find, {}: least {:.1f} ms, median {:.1f} ms, most of {} {:.1f} ms\n", names[column],
                             times.front()[column], times[times.size() / 2][column], times.size(),
                             times.back()[column]);
  }
  std::cout << child(options, self, {"verify"});
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  CLI::App app{"times the ledger", "bench_ledger"};
  app.add_option("--records", options.records)->capture_default_str();
  app.add_option("--kernels", options.kernels)->capture_default_str();
  app.add_option("--threads", options.threads)->capture_default_str();
  app.add_option("--folder", options.folder, "where the ledger is made, and kept")->capture_default_str();
  app.fallthrough();
  auto* const finder = app.add_subcommand("find", "one process: one kernel's last version");
  finder->add_option("KERNEL", options.kernel)->required();
  auto* const verifier = app.add_subcommand("verify", "one process: everything");
  CLI11_PARSE(app, argc, argv);
  try {
    if (finder->parsed()) {
      find(options);
    } else if (verifier->parsed()) {
      verify(options);
    } else {
      if (!fs::exists(options.folder / ".git")) make(options);
      measure(options);
    }
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_ledger: " << error.what() << '\n';
    return 1;
  }
}
