#pragma once

#include <optional>
#include <string>

#include "gate/scaffold/new_file.h"

namespace kgate::scaffold {

enum class CiHost { github, gitlab };

// By the URL of a remote: "git@github.com:team/repo.git", "https://gitlab.example.org/team/repo". Nothing: neither's
// name is in its host.
std::optional<CiHost> ci_host_of(const std::string& url);
// The gate for every change, with a kgate that is installed on the runner.
NewFile ci_file(CiHost host);

}  // namespace kgate::scaffold
