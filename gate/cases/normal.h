#pragma once

#include <cstddef>
#include <cstdint>

namespace kgate::cases {

// The inverse of the standard normal distribution's lower tail, for 0 < p < 1: Wichura, "Algorithm AS 241: The
// Percentage Points of the Normal Distribution", Applied Statistics 37 (1988), routine PPND16; about 16 digits. The
// same bits on every platform with IEEE 754 doubles, because it is made of + - * / and the square root alone.
double inverse_normal(double p);

// Standard normal numbers from 64 random bits each: the sign from the top one, the tail from 52 of the rest, so both
// halves are mirror images.
void standard_normals(const std::uint64_t* words, std::size_t count, double* values);

// None of them is further from 0.
inline constexpr double kNormalLimit = 8.3;

}  // namespace kgate::cases
