#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/verdict/judge.h"

namespace kgate::report {

// One version's values over a run: of a block, or the median of some that follow one another.
struct SampleSeries {
  std::string arm;
  std::vector<double> places;  // along the blocks: 0 is the first one
  std::vector<double> values;
  std::vector<double> sorted;  // all of them, none left out
};

// A case's samples, fit to be drawn.
struct SampleSet {
  std::vector<SampleSeries> arms;       // microseconds
  SampleSeries ratio;                   // of the first arm over one of the others, block by block; empty: there is none
  std::vector<std::size_t> round_ends;  // in blocks; the last is their number
  std::size_t step = 1;                 // blocks a value
};
// Without arms where the lists do not belong together: one an arm in every round, of equal length, at least one block.
// What is no time takes its block along. `against`: of whom the ratio is, as arms name it ("base and accepted").
SampleSet sample_set(const verdict::CaseSamples& samples, const std::string& against);

// Of what is sorted and not empty; `share` from 0 to 1.
double quantile_of(const std::vector<double>& sorted, double share);

}  // namespace kgate::report
