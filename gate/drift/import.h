#pragma once

#include "gate/drift/night.h"
#include "gate/verdict/result/result.h"

namespace kgate::drift {

// The result of a `kgate run` as a night: of each timed case the time of what the candidate was compared with, never
// the candidate's, which nobody may have accepted. Where the first comparison is with an accepted version (profiles
// nightly and release) the record's number comes along; else the version is not known.
NightFigures night_of(const verdict::Result& result);

}  // namespace kgate::drift
