#pragma once

#include <string>

#include "gate/drift/drift.h"

// What the text and the HTML of a drift say alike. Foreign words are as they are: neutral and escaped where they are
// written.
namespace kgate::report {

// "6 of 40 kernels, memory-bound ones"; of one kernel its name.
std::string on_kernels(const drift::Event& event);
// "since the night of 2026-03-03, with driver 580.82 -> 580.95: +4.2 % on 6 of 40 kernels, ...".
std::string sentence_of(const drift::Event& event);
// The days that have nights: a series has one figure of each.
std::size_t days_of(const drift::Drift& drift);
// "40 nights"; "41 nights on 40 days" where some share theirs.
std::string nights(const drift::Drift& drift);
// "+3.1 % [+2.9, +3.3]", "too few nights", "-" where it is held against nothing.
std::string held(const drift::Against* against);
// The one that is called so; null: none.
const drift::Against* find_against(const drift::Series& series, const std::string& what);

}  // namespace kgate::report
