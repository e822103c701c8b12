#pragma once

#include <filesystem>

#include "gate/report/writers.h"

namespace kgate::cli {

// samples/ of an output folder: the raw times, a file a kernel.
void write_samples(const std::filesystem::path& folder, const report::RawTimes& samples);
// Those of the kernels of a result; a file that is not there, or is none of kgate's, has no times.
report::RawTimes read_samples(const std::filesystem::path& folder, const verdict::Result& result);

}  // namespace kgate::cli
