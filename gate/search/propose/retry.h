#pragma once

#include <string>

#include "base/philox.h"
#include "gate/search/propose/transport.h"

namespace kgate::search {

// Whether a request that ended so may well succeed a little later.
bool may_pass(const Posted& posted);

// Seconds before try number `tries` + 1: twice as long each time, from 1 s to `most` s, of which a random half is left
// out so that many who failed together do not come back together.
double pause_after(int tries, double most, RandomStream& jitter);

// What to do about an answer that will not change by itself; empty where nothing is known.
std::string remedy_for(long status, const std::string& words);

}  // namespace kgate::search
