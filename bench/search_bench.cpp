// How fast gate/search/tuner finds a good configuration on spaces that others measured whole, beside random search, a
// genetic algorithm and simulated annealing; and how long it thinks. The tables and the drawing of
// docs/search-tuner.md.
//
//   bench_search --spaces FOLDER [--seeds 50] [--evaluations 400] [--plot docs/search-curves.svg] [--part
//   replay|speed|all]
#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <string>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "bench/search_curves.h"
#include "gate/search/tuner/tuner.h"

using namespace kgate;
using namespace kgate::bench;

namespace {

void print_replays(const std::filesystem::path& folder, std::size_t evaluations, std::uint64_t seeds,
                   const std::string& plot) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().string().ends_with("_T4.json.gz")) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  if (files.empty()) throw Error(ErrorKind::usage, folder.string(), "holds no file *_T4.json.gz");
  std::cout << fmt::format("Best so far over the best of the space: median (quartiles) of {} seeds\n", seeds);
  std::vector<SpaceCurves> spaces;
  for (const auto& file : files) {
    spaces.push_back(replay_all(read_measured_space(file), evaluations, seeds));
    std::cout << "\n" << table_of(spaces.back()) << std::flush;
  }
  if (!plot.empty()) write_file_atomic(plot, search_plot(spaces));
}

std::vector<std::string> doubling(std::size_t count) {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < count; ++i) values.push_back(fmt::format("{}", std::size_t{1} << i));
  return values;
}

// The time of a suggestion, by how many points are known.
void print_speed(std::size_t points) {
  const std::map<std::string, std::vector<std::string>> tunables{
      {"A", doubling(10)}, {"B", doubling(5)}, {"C", doubling(5)}, {"D", doubling(5)},
      {"E", doubling(2)},  {"F", doubling(2)}, {"G", doubling(2)}};
  tuner::Tuner tuner{tuner::Space(tunables)};
  std::vector<double> milliseconds;
  for (std::size_t i = 0; i <= points; ++i) {
    const auto start = std::clock();
    const auto one = tuner.suggest();
    milliseconds.push_back(1e3 * static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC);
    double log_time = 0;
    for (std::size_t k = 0; k < one->size(); ++k) log_time += std::cos(0.7 * (*one)[k] * static_cast<double>(k + 1));
    tuner.observe(*one, std::exp(log_time));
  }
  std::cout << fmt::format(
      "\nCPU milliseconds a suggestion, {} candidates\n\n| points known | median | most |\n|---|---|---|\n",
      *tuner.space().size());
  for (std::size_t first = 0; first < milliseconds.size(); first += 100) {
    std::vector<double> part(
        milliseconds.begin() + static_cast<std::ptrdiff_t>(first),
        milliseconds.begin() + static_cast<std::ptrdiff_t>(std::min(first + 100, milliseconds.size())));
    std::sort(part.begin(), part.end());
    std::cout << fmt::format("| {} to {} | {:.1f} | {:.1f} |\n", first, first + part.size() - 1, part[part.size() / 2],
                             part.back());
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string spaces, plot, part = "all";
  std::size_t evaluations = 400;
  std::uint64_t seeds = 50;
  CLI::App app{"the tuner replayed on measured spaces, and timed", "bench_search"};
  app.add_option("--spaces", spaces, "folder with files *_T4.json.gz");
  app.add_option("--seeds", seeds)->capture_default_str();
  app.add_option("--evaluations", evaluations)->capture_default_str();
  app.add_option("--plot", plot, "SVG to write");
  app.add_option("--part", part)->check(CLI::IsMember({"replay", "speed", "all"}));
  CLI11_PARSE(app, argc, argv);
  try {
    if (part != "speed") print_replays(spaces, evaluations, seeds, plot);
    if (part != "replay") print_speed(500);
  } catch (const std::exception& error) {
    std::cerr << "bench_search: " << error.what() << "\n";
    return 1;
  }
  return 0;
}
