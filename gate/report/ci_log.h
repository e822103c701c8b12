#pragma once

#include <string>

#include "gate/verdict/result/result.h"

// The text of a run for the log of a CI job.
namespace kgate::report {

// GitHub: the text, in which no line is a command to the runner, and then an annotation a finding, at its file and
// line.
std::string write_github(const verdict::Result& result);
// GitLab: coloured, the table and the machine in sections that are folded.
std::string write_gitlab(const verdict::Result& result);

}  // namespace kgate::report
