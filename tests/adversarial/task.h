#pragma once

#include <string>

// What kernels have to compute, as reviewers signed it, with an honest version to compare with. Every kernel of a task
// has the same base and reference, so they are compiled once.
struct Task {
  std::string name;       // of the entry, and of the folder's files
  std::string honest;     // the base version's source
  std::string reference;  // another way to compute it
  std::string params;     // [[param]] of cases.toml
  std::string cases;      // [[case]]
  std::string grid;
  int block = 256;
};

// y = f(x), with `rounds` steps for each element: what is skipped pays. Short enough to be timed in batches.
const Task& blend();
// The same, so long that it is timed in single launches. For a GPU.
const Task& long_blend();
// The same, checked and not timed.
const Task& untimed_blend();
// One small case: for what takes long in each.
const Task& lone_blend();
// y = x, but for its last 128 bytes, which are most of the work: too few to be met where parts of a large output are
// looked at. For a GPU.
const Task& heavy_end();
// y = f(y): in place.
const Task& in_place();
// y = 2 x + 1 of 16 MiB, most of what an L2 holds. For a GPU.
const Task& stream();
// The sum of x, in an order that is nobody's business.
const Task& total();

// Headers that honest and dishonest kernels share: "blend.cuh" has answer(x, rounds), "timed.cuh" tells by the number
// of launches whether a kernel is being timed.
std::string blend_header();
std::string timed_header();
