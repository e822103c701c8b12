// write_golden_search FOLDER: writes what a search's page and text say now, for a person to look at.
#include <cstdio>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/search/page.h"
#include "gate/report/search/text.h"
#include "tests/search_report/made_up.h"

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: write_golden_search FOLDER\n");
    return 64;
  }
  try {
    const std::filesystem::path folder = argv[1];
    const auto write = [&](const char* name, const kgate::search::journal::Summary& summary) {
      kgate::write_file_atomic(folder / (std::string(name) + ".html"),
                               std::string_view(kgate::report::write_search_page(summary)));
      kgate::write_file_atomic(folder / (std::string(name) + ".txt"),
                               std::string_view(kgate::report::write_search_text(summary, 100)));
    };
    write("a_search", made_up::a_search());
    write("begun", made_up::begun());
  } catch (const kgate::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 70;
  }
  return 0;
}
