#pragma once

#include <cstdint>
#include <vector>

namespace kgate::stats {

// One round's estimate of a case: a trimmed mean of ln ratio and the error that the round's own samples tell.
struct RoundEstimate {
  double center = 0, standard_error = 0;
};

// Standard deviation between rounds beyond the rounds' own errors: DerSimonian and Laird 1986, "Meta-analysis in
// clinical trials", Controlled Clinical Trials 7, the moment estimate. 0 for fewer than two rounds, or where the rounds
// agree within their errors.
double between_rounds(const std::vector<RoundEstimate>& rounds);

// The same over several cases of one machine, whose centers differ: the moments of all are pooled, each case weighing
// by its rounds less one.
double between_rounds_pooled(const std::vector<std::vector<RoundEstimate>>& cases);

// Fewer rounds than this cannot estimate the spread (with two, the interval would be 40 times too wide): the machine's
// record stands alone.
constexpr std::int64_t kRoundsForSpread = 4;

}  // namespace kgate::stats
