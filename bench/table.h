#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bench/noise.h"
#include "bench/tally.h"

namespace kgate::bench {

// An error is a block where the planted effect is at most `tolerate`, or a pass where it is at least `block`. Between
// them neither is.
bool is_false_alarm_effect(double effect);
bool is_miss_effect(double effect);

// Cells of one model, effect after effect: a line a rule. Shares blocked where nothing should be, in between, shares
// passed where nothing should be, the share undecided without an effect and at the worst of the effects, and samples of
// each arm without an effect.
void print_model(const NoiseModel& model, const std::vector<Cell>& cells);

// Over models (the stated ones, or those beyond): a line a rule, with the mean over the models and the worst of them.
void print_summary(const std::string& title, const std::vector<Cell>& cells, bool stated);

// A row for each cell, with a head line.
std::string csv_of(const std::vector<Cell>& cells);

}  // namespace kgate::bench
