#pragma once

#include "gate/verdict/preparation.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::search {

// Bytes a second of the device's memory; 0: not known (the host, an instance of a GPU, NVML without an answer).
double memory_bandwidth_of(const verdict::Preparation& ready);

// The time in us that no version of a case can get under: what [work] bytes says it has to move, less all that the last
// level of cache can have kept of the launch before or can still hold for later, at the memory's full speed. 0: that is
// not known, or all of it fits the cache. Nothing is said of arithmetic: which peak holds depends on the units and
// types that a version uses.
double memory_floor_us(const cases::CasesSpec& cases, const cases::CaseSpec& one, const runner::DeviceInfo& device,
                       double bandwidth);

}  // namespace kgate::search
