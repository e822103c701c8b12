#include "gate/counters/report.h"

#include <filesystem>

#include "base/file.h"
#include "tests/support/catch.h"

using namespace kgate;
using namespace kgate::counters;

namespace {

constexpr const char* kHead = R"("ID","Kernel Name","Metric Name","Metric Unit","Metric Value")"
                              "\n";

// A report of one launch with one metric.
Report with_value(const std::string& value) {
  return read_report(std::string(kHead) + R"("0","k","m.sum","%",")" + value + "\"\n");
}

std::optional<double> value_read(const std::string& text) {
  return with_value(text).kernels.at("k").at("m.sum").value;
}

double value(const Report& report, const std::string& kernel, std::string_view metric) {
  return report.kernels.at(kernel).find(metric)->second.value.value();
}

}  // namespace

TEST_CASE("what Nsight Compute 2025.3 wrote on an H200 is read") {
  const auto file = std::filesystem::path(KGATE_TEST_DATA) / "counters" / "h200_ncu_2025.3.csv";
  const Report report = read_report(text_of(read_file(file, 1 << 20)));
  CHECK(report.trouble == Trouble::none);
  REQUIRE(report.kernels.size() == 2);
  const std::string scale = "scale(float *, const float *, int)", spin = "spin(float *, int)";
  // Of two launches the one that took 54 us, not the one that took 2.
  CHECK(value(report, scale, kDuration.metric) == 54048);
  CHECK(value(report, scale, kCompute.metric) == 49.35);
  CHECK(value(report, scale, kMemory.metric) == 44.21);
  CHECK(value(report, scale, kDram.metric) == 44.21);
  CHECK(value(report, scale, "l1tex__data_bank_conflicts_pipe_lsu.sum") == 212748);
  CHECK(value(report, spin, kDuration.metric) == 1361600);
  CHECK(value(report, spin, kCompute.metric) == 99.20);
  CHECK(report.kernels.at(spin).find(kCompute.metric)->second.unit == "%");
}

TEST_CASE("numbers are read with and without commas before every three digits") {
  CHECK(value_read("0") == 0);
  CHECK(value_read("0.00") == 0);
  CHECK(value_read("999") == 999);
  CHECK(value_read("1,361,600") == 1361600);
  CHECK(value_read("153,452,184,179.46") == 153452184179.46);
  CHECK(value_read("1361600.5") == 1361600.5);
}

TEST_CASE("what is no number is none, and the metric is there without one") {
  for (const char* text :
       {"nan", "-nan", "NaN", "n/a",   "inf", "",        " ",   "-1",   "44,21",        "1,23,456", ",123",
        "1,",  "1.",   ".5",  "1.2.3", "1;2", "12 ; 34", "1e5", "0x10", "PolicySpread", "1,2345",   "1.234,567"}) {
    INFO(text);
    CHECK(value_read(text) == std::nullopt);
  }
}

TEST_CASE("columns are found by their names, wherever they stand") {
  const Report report = read_report(
      "\"Metric Value\",\"New\",\"Metric Name\",\"ID\",\"Kernel Name\",\"Metric Unit\"\n"
      "\"7\",\"?\",\"m\",\"0\",\"k\",\"ns\"\n");
  CHECK(value(report, "k", "m") == 7);
  CHECK(report.kernels.at("k").at("m").unit == "ns");
}

TEST_CASE("a user who may not read counters is told so, by the report or by what the tool printed") {
  const std::string refused =
      "==PROF== Connected to process 7 (/usr/bin/kgate-runner)\n"
      "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance Counters on the "
      "target device 0.\n==PROF== Disconnected from process 7\n";
  CHECK(read_report(refused).trouble == Trouble::not_permitted);
  CHECK(read_output("hello\n" + refused + "==ERROR== The application returned an error code (1).\n").trouble ==
        Trouble::not_permitted);
  CHECK(read_output("==ERROR== Something else\n" + refused).trouble == Trouble::not_permitted);
}

TEST_CASE("another error is told in the tool's words, the first of them") {
  const Report report = read_report("==ERROR== Cuda driver is not compatible with Nsight Compute\n==ERROR== later\n");
  CHECK(report.trouble == Trouble::failed);
  CHECK(report.words == "\"Cuda driver is not compatible with Nsight Compute\"");
  CHECK(read_output("==PROF== nothing\n==WARNING== slow\n").trouble == Trouble::none);
}

TEST_CASE("a report without a kernel is a failure, whatever else it is") {
  for (const char* text :
       {"", "\n\n", "==PROF== Disconnected from process 7\n", "==WARNING== No kernels were profiled.\n",
        R"("ID","Kernel Name","Metric Name","Metric Unit","Metric Value")", "\"0\",\"k\",\"m\",\"%\",\"1\"\n",
        "\"ID\",\"Kernel Name\",\"Metric Name\"\n\"0\",\"k\",\"m\"\n", "\x7f\x45\x4c\x46\x02", "\"", "\"\"\"", ","}) {
    INFO(text);
    const Report report = read_report(text);
    CHECK(report.kernels.empty());
    CHECK(report.trouble == Trouble::failed);
    CHECK(report.words == "its report names no kernel");
  }
}

TEST_CASE("a broken row is passed over, and the rows around it are read") {
  const std::string good = "\"0\",\"k\",\"a\",\"%\",\"1\"\n";
  for (const char* bad :
       {"\"0\",\"k\",\"b\",\"%\"\n", "\"0\",\"k\",\"b\",\"%\",\"2\",\"3\"\n", "\"0\",\"k\",\"b\",\"%\",\"2\n",
        "0,k,b,%,2\n", "\"0\",\"k\"x,\"b\",\"%\",\"2\"\n", "\"0\",\"k\",\"b\",\"%\",\"2\",\n", "\"0\",\"a name that\n",
        "breaks its line\",\"b\",\"%\",\"2\"\n", "\n", "\r\n"}) {
    INFO(bad);
    const Report report = read_report(kHead + good + bad + "\"0\",\"k\",\"c\",\"%\",\"3\"\n");
    CHECK(report.kernels.at("k").size() == 2);
    CHECK(value(report, "k", "a") == 1);
    CHECK(value(report, "k", "c") == 3);
  }
}

TEST_CASE("a report that was cut off is read as far as it goes") {
  const Report report = read_report(std::string(kHead) + "\"0\",\"k\",\"a\",\"%\",\"1\"\n\"0\",\"k\",\"b\",\"%\",\"2");
  CHECK(report.kernels.at("k").size() == 1);
}

TEST_CASE("a name with quotes, commas and the tool's own marks is a name and nothing else") {
  const Report report =
      read_report(std::string(kHead) + "\"0\",\"a\"\",\"\"b==ERROR== ERR_NVGPUCTRPERM\",\"m\",\"%\",\"1\"\r\n");
  CHECK(report.trouble == Trouble::none);
  REQUIRE(report.kernels.size() == 1);
  CHECK(report.kernels.begin()->first == "a\",\"b==ERROR== ERR_NVGPUCTRPERM");
  CHECK(value(report, report.kernels.begin()->first, "m") == 1);
}

TEST_CASE("neither many kernels, nor many metrics, nor long names fill the memory") {
  std::string text = kHead;
  for (int i = 0; i < 1000; ++i)
    text += "\"" + std::to_string(i) + "\",\"k" + std::to_string(i) + "\",\"m\",\"%\",\"1\"\n";
  CHECK(read_report(text).kernels.size() == 64);
  text = kHead;
  for (int i = 0; i < 1000; ++i) text += "\"0\",\"k\",\"m" + std::to_string(i) + "\",\"%\",\"1\"\n";
  CHECK(read_report(text).kernels.at("k").size() == 256);
  const std::string row = "\"0\",\"" + std::string(100000, 'x') + "\",\"m\",\"%\",\"1\"\n";
  CHECK(read_report(kHead + row).kernels.empty());
}

TEST_CASE("of several launches of a kernel the longest counts, as one whole") {
  const auto launch = [](int id, const std::string& duration, const std::string& other) {
    const std::string head = "\"" + std::to_string(id) + "\",\"k\",\"";
    return head + std::string(kDuration.metric) + "\",\"ns\",\"" + duration + "\"\n" + head + "m\",\"%\",\"" + other +
           "\"\n";
  };
  CHECK(value(read_report(kHead + launch(0, "5", "1") + launch(1, "9", "2") + launch(2, "7", "3")), "k", "m") == 2);
  CHECK(value(read_report(kHead + launch(0, "nan", "1") + launch(1, "nan", "2")), "k", "m") == 1);
}
