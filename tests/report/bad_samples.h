#pragma once

#include <vector>

#include "tests/report/samples.h"

// Results that no writer may break on: hostile and enormous names, nothing to tell, only errors, thousands of cases.
std::vector<Sample> bad_samples();
