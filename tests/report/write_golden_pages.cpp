// write_golden_pages FOLDER: writes what the pages say now into the golden files, for a person to look at in a browser.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/page/page.h"
#include "tests/report/samples.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_pages FOLDER\n");
    return 64;
  }
  try {
    const std::filesystem::path folder = argv[1];
    for (const std::string& name : page_samples())
      kgate::write_file_atomic(folder / (name + ".html"), kgate::report::write_page(sample(name), {}));
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
