// The tuner on tuning spaces that others measured whole, which lie beside the checkout where the project is developed;
// and the reader of their files.
#include <cmath>
#include <filesystem>

#include <zlib.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/search_curves.h"
#include "tests/support/catch.h"
#include "tests/support/skip.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

const std::filesystem::path kSpaces = KGATE_SOURCE_DIR "/../shared/spaces";

std::filesystem::path packed(const TemporaryFolder& folder, const std::string& text) {
  const std::filesystem::path path = folder.path() / "made-up_T4.json.gz";
  gzFile file = gzopen(path.c_str(), "wb");
  gzwrite(file, text.data(), static_cast<unsigned>(text.size()));
  gzclose(file);
  return path;
}

std::string result(const std::string& configuration, const std::string& invalidity, const std::string& time) {
  return R"({"configuration": )" + configuration + R"(, "invalidity": ")" + invalidity +
         R"(", "measurements": [{"name": "power", "value": 1}, {"name": "time", "value": )" + time + "}]}";
}

std::string complaint_of(const std::filesystem::path& path) {
  try {
    read_measured_space(path);
  } catch (const Error& error) {
    const std::string message = error.what();
    const auto at = message.find(path.string());
    return at == 0 ? message.substr(path.string().size()) : message;
  }
  return "no complaint";
}

// How near to the best a replay of the tuner came.
double tuned(const MeasuredSpace& measured, std::size_t evaluations, std::uint64_t seed) {
  Replay replay(measured, evaluations);
  optimisers().front().run(replay, seed);
  REQUIRE(replay.best_so_far().size() == evaluations);
  return replay.best_so_far().back();
}

}  // namespace

TEST_CASE("on the measured dedispersion the tuner comes within 10 % of the best in 60 evaluations") {
  const auto file = kSpaces / "dedispersion_milo-A4000_T4.json.gz";
  if (!std::filesystem::exists(file)) KGATE_SKIP("no measured spaces beside this checkout");
  const MeasuredSpace measured = read_measured_space(file);
  CHECK(measured.times.size() == 11130);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) CHECK(tuned(measured, 60, seed) <= 1.1);
}

TEST_CASE("on the measured convolution, where some configurations fail, the tuner halves a random draw's time") {
  const auto file = kSpaces / "convolution_milo-A100_T4.json.gz";
  if (!std::filesystem::exists(file)) KGATE_SKIP("no measured spaces beside this checkout");
  const MeasuredSpace measured = read_measured_space(file);
  CHECK(measured.times.size() == 4362);
  // The median configuration takes 3.3 times the best one's time.
  for (std::uint64_t seed = 1; seed <= 3; ++seed) CHECK(tuned(measured, 100, seed) <= 1.65);
}

TEST_CASE("a measured space is read: values, times, failures") {
  const TemporaryFolder folder("kgate-test");
  const auto path = packed(folder, R"({"results": [)" + result(R"({"A": 1, "B": "x"})", "correct", "2.5") + "," +
                                       result(R"({"A": 2, "B": "x"})", "compile", R"("CompilationFailedConfig")") +
                                       "," + result(R"({"A": 2, "B": "y"})", "correct", "2.0") + "]}");
  const MeasuredSpace measured = read_measured_space(path);
  CHECK(measured.name == "made-up_T4");
  CHECK(measured.best == 2.0);
  const tuner::Space space = measured.space();
  const auto one = space.configuration({{"A", "1"}, {"B", "x"}}),
             failed = space.configuration({{"A", "2"}, {"B", "x"}});
  CHECK(measured.times.at(one) == 2.5);
  CHECK_FALSE(measured.times.at(failed));
  CHECK(space.feasible(failed));
  CHECK_FALSE(space.feasible(space.configuration({{"A", "1"}, {"B", "y"}})));
  for (const Optimiser& optimiser : optimisers()) {
    INFO(optimiser.name);
    Replay replay(measured, 10);
    optimiser.run(replay, 1);
    CHECK(replay.best_so_far().size() == 3);
    CHECK(replay.best_so_far().back() == 1);
  }
}

TEST_CASE("a file that is no measured space is told by what is wrong with it") {
  const TemporaryFolder folder("kgate-test");
  CHECK(complaint_of(folder.path() / "absent") == ": cannot be read; name a file of measured configurations");
  CHECK(complaint_of(packed(folder, "{}")).starts_with(": is not in the T4 format: "));
  CHECK(complaint_of(packed(folder, R"({"results": [{"configuration": {"A": 1}}]})"))
            .starts_with(": is not in the T4 format: "));
  CHECK(complaint_of(packed(folder, R"({"results": [)" + result(R"({"A": 1})", "correct", R"("fast")") + "]}"))
            .starts_with(": is not in the T4 format: "));
  CHECK(complaint_of(packed(folder, R"({"results": [)" + result(R"({"A": 1})", "runtime", "1") + "]}")) ==
        ": holds no configuration that ran");
  CHECK(complaint_of(packed(folder, "{\"results\": [")) != "no complaint");
  const auto whole = packed(folder, std::string(100'000, ' ') + R"({"results": []})");
  std::filesystem::resize_file(whole, std::filesystem::file_size(whole) / 2);
  CHECK(complaint_of(whole) == ": is no whole gzip file; fetch it again");
}

TEST_CASE("curves tell medians, quartiles and when a run came near") {
  SearchCurves curves{"made up", {}};
  for (int run = 1; run <= 4; ++run) curves.runs.push_back({HUGE_VAL, 1 + 0.1 * run, run == 4 ? 1.3 : 1 + 0.01 * run});
  CHECK(curves.quantile(2, 0.25) == Approx(1.1));
  CHECK(curves.quantile(2, 0.5) == Approx(1.2));
  CHECK(curves.quantile(99, 0.75) == Approx(1.03));
  CHECK(curves.quantile(1, 0.5) == HUGE_VAL);
  CHECK(curves.evaluations_until(0.05, 0.75) == 3u);
  CHECK_FALSE(curves.evaluations_until(0.05, 1));
  CHECK(table_of({"space", {curves}}).find("| made up | 1.020 (1.010-1.030) |") != std::string::npos);
  CHECK(search_plot({{"space", {curves}}}).find("space") != std::string::npos);
}
