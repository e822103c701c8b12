#pragma once

#include <optional>
#include <string_view>

#include "gate/drift/night.h"

namespace kgate::drift {

// A night's figures in the one byte form in which kgate writes them (canonical JSON), read in one pass and without a
// tree of values: ten years of nights are a quarter of a gigabyte of it. Nothing where the text is any other, be it
// broken or written by somebody else: who reads that tells what is wrong with it.
std::optional<NightFigures> scan_night(std::string_view text);

}  // namespace kgate::drift
