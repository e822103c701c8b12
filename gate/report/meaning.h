#pragma once

#include <string>

#include "gate/verdict/result/result.h"

// What a result means to the person who reads it, whatever the format.
namespace kgate::report {

// The exit code in a few words, as README.md's table has it; a code that several verdicts share is told by the run's
// own.
const char* meaning_of(const verdict::Result& result, verdict::Verdict verdict);
bool is_interrupted(const verdict::Result& result);
// Whether this kernel is a reason for the exit code.
bool blocks(const verdict::KernelResult& kernel, const verdict::Result& result);
// What the exit code comes from: a worse verdict may be one that the profile does not block on.
verdict::Verdict decisive(const verdict::Result& result);
// What a person can do next, where the judge's reason does not say it. Commands have a line of their own, which begins
// with blanks and is never broken: they run as they stand, but for the words in capitals.
std::string remedy_of(const verdict::KernelResult& kernel, const verdict::Result& result);
// A word for a shell. Names come from the change: nobody should paste a command that it wrote.
std::string word(const std::string& text);

}  // namespace kgate::report
