// write_golden_reports FOLDER: writes what the reports say now into the golden files, for a person to look at the
// difference.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/writers.h"
#include "tests/report/samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_reports FOLDER\n");
    return 64;
  }
  try {
    const std::filesystem::path folder = argv[1];
    for (const Sample& sample : samples()) {
      for (const auto& writer : kgate::report::writers()) {
        const std::string suffix = golden_suffix(writer.name);
        if (!suffix.empty()) kgate::write_file_atomic(folder / (sample.name + suffix), writer.write(sample.result, {}));
      }
    }
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
