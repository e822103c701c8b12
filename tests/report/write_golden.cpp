// write_golden_reports FOLDER: writes what the reports say now into the golden files, for a person to look at the
// difference.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/report.h"
#include "tests/report/samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_reports FOLDER\n");
    return 64;
  }
  try {
    const std::filesystem::path folder = argv[1];
    for (const Sample& sample : samples()) {
      kgate::write_file_atomic(folder / (sample.name + ".txt"), kgate::report::write_text(sample.result, {}));
      kgate::write_file_atomic(folder / (sample.name + ".json"), kgate::report::write_json(sample.result));
    }
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
