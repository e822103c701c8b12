#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

// git as these tests run it: no configuration but the repository's, the same names and `time` in every run. Returns
// what it printed, without the final newline; the test fails with it.
std::string run_git(const std::filesystem::path& folder, const std::vector<std::string>& arguments,
                    const std::string& time = "2019-01-01T00:00:00Z");

// That environment, for programs that run git.
const std::map<std::string, std::string>& git_environment();
