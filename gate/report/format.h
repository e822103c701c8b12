#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "gate/verdict/result/result.h"

// How numbers and foreign words are written, in every report for people.
namespace kgate::report {

// A ratio of times as a change: 1.031 is "+3.1 %"; two decimals where it is under 1 %.
std::string change(double ratio);
// With its bounds: "+3.1 % [+2.9, +3.3]".
std::string change(double ratio, double low, double high);
// Four significant digits: "5.123", "236.1", "12340".
std::string microseconds(double us);
// Three significant digits, for GB/s and GFLOP/s: "0.52", "87.3", "3120".
std::string rate(double value);
// At most four significant digits, also of what is not finite: "0.0123", "2.1e-10", "nan".
std::string value(double number);
// "1 kernel", "3 kernels".
std::string count(std::size_t number, const std::string& noun);
// Names one after the other: "a, b, c".
std::string list(const std::vector<std::string>& names);

// Foreign text for the middle of a line: neutral, and line breaks become blanks.
std::string one_line(const std::string& text);
// The beginning of a foreign text, on one line: as cut(one_line(text), width), however long the text is.
std::string short_line(const std::string& text, std::size_t width);
// A foreign name: on one line, cut where nobody would read on.
std::string short_name(const std::string& name);
// Columns on a terminal: one a code point, none for combining marks, two for wide East Asian ones.
std::size_t columns(const std::string& text);
// Cut at the end, with "...", where it is wider.
std::string cut(const std::string& text, std::size_t width);
// Lines of at most `width` columns, broken at blanks (a longer word stays whole); each begins with `indent` blanks. No
// final newline.
std::string wrap(const std::string& text, std::size_t width, std::size_t indent);

// Whether this verdict is one of those that a person has to look at; colours and lists follow it.
enum class Tone { good, doubtful, bad };
Tone tone_of(verdict::Verdict verdict);
// The text in the tone's colour, when `color`.
std::string painted(const std::string& text, Tone tone, bool color);

}  // namespace kgate::report
