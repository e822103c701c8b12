#pragma once

#include <chrono>
#include <string>
#include <vector>

#include <sys/types.h>

// What a process has started, and what it leaves behind.
namespace kgate::test {

// Orphans of our descendants become our own children, so that nobody slips away.
void adopt_orphans();

struct Descendant {
  pid_t id = 0;
  std::string command;  // the command line, with spaces
};
// Of this process, without `parent` itself; zombies do not count.
std::vector<Descendant> descendants_of(pid_t parent);

// The names of those of our descendants that are still there once so much time has passed; empty: none, and as early as
// that. Reaps what ended.
std::vector<std::string> left_after(std::chrono::milliseconds patience);

}  // namespace kgate::test
