#pragma once

#include <map>
#include <string>
#include <vector>

#include "gate/verdict/result/verdict.h"
#include "tests/adversarial/task.h"

enum class Backend { host, cuda };

// Where a kernel can do what it tries.
enum class Place { both, host, gpu };

// What kgate has against it.
enum class Known {
  today,
  nothing  // nothing catches it yet: told, no failure
};

using Verdicts = std::vector<kgate::verdict::Verdict>;

// One row of the table: a kernel whose base version is honest, and a change of it that is not. The change is the source
// and what else is said here; whoever signs cases and policy has no part in it.
struct Cheat {
  std::string name = {};  // the kernel's
  std::string tries = {};
  Place place = Place::both;
  Verdicts expected = {};
  std::string words = {};  // that the reason, or the compile log, must hold
  std::string caught_by = {};
  Known known = Known::today;
  const Task* task = &blend();
  std::string source = {};        // cheat.cu; {secret} and {trace} are files that kernels must not reach
  std::string keys = {};          // further keys of kernel.toml
  std::string launch = {};        // further keys of its launch, and tables after it
  std::string file = "cheat.cu";  // the source's name
  bool compiles = true;           // for a GPU
  bool endless = false;           // judged apart, under a short deadline for compilers
  bool landlock = false;          // holds only where the sandbox has Landlock
};

struct Chapter {
  std::string title;
  std::string note;  // or empty
  std::vector<Cheat> (*cheats)();
};
// All of them, in the order of the table; the last chapter is the honest ones.
const std::vector<Chapter>& chapters();

std::vector<Cheat> cheats_that_remember();
std::vector<Cheat> cheats_by_time();
std::vector<Cheat> cheats_on_memory();
std::vector<Cheat> cheats_on_the_answer();
std::vector<Cheat> cheats_by_compiling();
std::vector<Cheat> cheats_on_reports();
std::vector<Cheat> cheats_on_the_machine();
std::vector<Cheat> honest_kernels();

// Sets of verdicts that rows share.
Verdicts wrong();
Verdicts suspect();
Verdicts caught();      // wrong or suspect
Verdicts not_faster();  // the trick must not pay: anything but `faster`
Verdicts passes();      // without a word
