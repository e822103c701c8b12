#include "gate/report/writers.h"

#include <cstdlib>
#include <set>

#include "base/file.h"
#include "base/json.h"
#include "gate/report/report.h"
#include "tests/report/bad_samples.h"
#include "tests/report/validity.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using kgate::report::Writer;
using kgate::report::writers;

TEST_CASE("every format has a name and a file of its own") {
  std::set<std::string> names, files;
  for (const Writer& writer : writers()) {
    CHECK(names.insert(writer.name).second);
    CHECK((std::string(writer.file).empty() || files.insert(writer.file).second));
    CHECK(kgate::report::writer_named(writer.name) == &writer);
  }
  CHECK(files.contains("result.json"));
  CHECK(kgate::report::writer_named("nothing") == nullptr);
}

TEST_CASE("every format of every situation is valid") {
  for (const Sample& sample : samples()) {
    for (const Writer& writer : writers()) {
      INFO(sample.name << " as " << writer.name);
      CHECK(fault_of(writer.name, writer.write(sample.result, {})).empty());
    }
  }
}

namespace {

bool is_large(const Sample& sample) {
  return sample.name.find("2000") != std::string::npos;
}

void check_all_formats(const Sample& sample) {
  constexpr std::size_t kLargest = 6 << 20;
  for (const Writer& writer : writers()) {
    INFO(sample.name << " as " << writer.name);
    const std::string format = writer.name, text = writer.write(sample.result, {});
    if (format == "json") {
      // It keeps all that it is given; whether that holds together is for its reader.
      CHECK_NOTHROW(kgate::parse_json(text, "result.json"));
      continue;
    }
    CHECK(fault_of(format, text) == "");
    CHECK(text.size() < kLargest);
    if (format == "markdown") CHECK(text.size() <= 900 << 10);
    if (format == "comment") CHECK(text.size() < 60'000);
  }
}

}  // namespace

TEST_CASE("whatever a result holds, every format stays valid, and is no larger than people and readers bear") {
  for (const Sample& sample : bad_samples()) {
    if (!is_large(sample)) check_all_formats(sample);
  }
}

TEST_CASE("thousands of cases fit into every format") {
  for (const Sample& sample : bad_samples()) {
    if (is_large(sample)) check_all_formats(sample);
  }
}

TEST_CASE("junit.xml of every situation is as its schema says") {
  const auto schema = std::filesystem::path(KGATE_TEST_DATA) / "report" / "junit.xsd";
  kgate::TemporaryFolder folder("kgate-junit");
  std::vector<std::string> command{"xmllint", "--noout", "--schema", schema.string()};
  std::size_t number = 0;
  for (const auto& all : {samples(), bad_samples()}) {
    for (const Sample& sample : all) {
      const auto file = folder.path() / (std::to_string(number++) + ".xml");
      kgate::write_file_atomic(file, kgate::report::writer_named("junit")->write(sample.result, {}));
      command.push_back(file.string());
    }
  }
  std::string line;
  for (const std::string& word : command) line += "'" + word + "' ";
  if (std::system("command -v xmllint >/dev/null 2>&1") != 0) KGATE_SKIP("xmllint is not installed");
  const auto out = folder.path() / "out";
  const int code = std::system((line + ">" + out.string() + " 2>&1").c_str());
  INFO(kgate::text_of(kgate::read_file(out, 1 << 20)));
  CHECK(code == 0);
}

TEST_CASE("metrics are read by Prometheus's own client") {
  if (std::system("python3 -c 'import prometheus_client.openmetrics.parser' >/dev/null 2>&1") != 0)
    KGATE_SKIP("python3's prometheus_client is not installed");
  kgate::TemporaryFolder folder("kgate-metrics");
  std::size_t number = 0;
  for (const auto& all : {samples(), bad_samples()}) {
    for (const Sample& sample : all) {
      if (is_large(sample)) continue;  // slow in Python
      const auto file = folder.path() / (std::to_string(number++) + ".prom");
      kgate::write_file_atomic(file, kgate::report::writer_named("metrics")->write(sample.result, {}));
    }
  }
  const std::string read =
      "python3 -c 'import glob, sys; from prometheus_client.openmetrics.parser import text_string_to_metric_families "
      "as "
      "read; [list(read(open(name).read())) for name in glob.glob(sys.argv[1] + \"/*.prom\")]' ";
  CHECK(std::system((read + folder.path().string()).c_str()) == 0);
}
