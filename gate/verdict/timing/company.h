#pragma once

#include <string>
#include <vector>

namespace kgate::verdict {

// Problem: versions that are timed side by side share one context, one L2 and one clock. A candidate that slows down
// whatever runs beside it (lines that it keeps in the L2, heat, writes that linger) makes its own ratio look good, and
// nothing within a block can show it.
// Choice: at the end the earlier version is timed alone, in a process that never saw the candidate. Absolute times
// agree from process to process within 0.2 to 1 % on an H200 when buffers move, so 3 % and what the samples
// themselves leave open is room enough for honest candidates; what is over it is measured again, side by side and
// alone, before it is said.
struct Company {
  double ratio = 1;     // beside the candidate, over alone
  bool slowed = false;  // surely by more than kCompanyRoom
};
constexpr double kCompanyRoom = 0.03;

// Microseconds by block; fewer than four of either tell nothing.
Company compare_company(const std::vector<double>& beside_us, const std::vector<double>& alone_us);

}  // namespace kgate::verdict
