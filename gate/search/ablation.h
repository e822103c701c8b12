#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace kgate::search {

class History;
struct Step;

// Which parts of a proposal to try next, by index in their order.
//
// A proposal of several parts that wins in one case and loses in another, or is slower altogether, may hold a good part
// and a bad one. Each part is left out once; then, where several turned out to be better left out, all of those are
// left out together: at most one trial more than there are parts. Leaving one out was chosen over trying each alone,
// because parts lean on each other (a helper, and who calls it), and a part that cannot stand alone would be lost;
// trying all subsets would find more, for 2^n measurements.
std::optional<std::vector<std::size_t>> due_trial(const History& history, const Step& step);

}  // namespace kgate::search
