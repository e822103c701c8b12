#pragma once

#include <cstddef>
#include <string>

// The rows of all chapters by number, from 0.
std::size_t row_count();
const std::string& row_name(std::size_t row);

// Does what the row says in a repository of its own, asks kgate, and checks the whole answer: the exit code, the
// message, that result.json is valid and says the same, and that nothing of the change was compiled or run where the
// answer is `untrusted`.
void play_row(std::size_t row);

// docs/attacks.md, from the rows themselves.
std::string attack_table();
