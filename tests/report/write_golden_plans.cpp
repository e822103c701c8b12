// write_golden_plans FOLDER: writes what the plan's formats say now into the golden files, for a person to look at the
// difference.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "tests/report/plan_samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_plans FOLDER\n");
    return 64;
  }
  try {
    for (const auto& sample : plan_samples()) {
      for (const auto& format : plan_formats())
        kgate::write_file_atomic(std::filesystem::path(argv[1]) / (sample.name + "." + format.name),
                                 format.write(sample.plan));
    }
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
