// write_golden_drift FOLDER: writes what the HTML says now into the golden files, for a person to look at.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/drift_html.h"
#include "tests/drift/made_up.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_drift FOLDER\n");
    return 64;
  }
  try {
    const std::filesystem::path folder = argv[1];
    kgate::write_file_atomic(folder / "forty-days.html", kgate::report::write_drift_html(made_up::forty_days()));
    kgate::write_file_atomic(folder / "empty.html", kgate::report::write_drift_html(made_up::empty()));
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
