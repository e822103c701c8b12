#include "tests/fuzz/targets.h"

const std::vector<FuzzTarget>& fuzz_targets() {
  static const std::vector<std::string> toml{
      "[",           "]",          "{",     "}",      "=",    "\"",          "\n",        "'",    ".",
      ",",           "[[case]]",   "-1",    "1e400",  "nan",  "inf",         "true",      "\"\"", "9223372036854775807",
      "0x7f",        "1979-05-27", "\x80",  "\"\"\"", "rows", "2 * ",        "ceil_div(", ")",    "[[launch]]",
      "[reference]", "\\u0000",    "a.b.c", "= {",    "#",    "[[override]]"};
  static const std::vector<std::string> json{
      "{",  "}",     "[",       "]",       ":",  ",",   "\"\"", "\"",     "null",    "true",
      "-0", "1e999", "\\ud800", "\\u0000", "\\", "0.1", "\xff", "[[[[[[", "1e-9999", "18446744073709551616"};
  // Small numbers, lengths and bytes of CBOR: maps, arrays, tags, endless strings, NaN.
  static const std::vector<std::string> cbor{"\xa0",     "\xbf",
                                             "\x9f",     "\xff",
                                             "\xf6",     "\xf5",
                                             "\x40",     "\xfb\x7f\xf8\x01",
                                             "\xf9\x7e", "\x1b\xff\xff\xff\xff\xff\xff\xff\xff",
                                             "\x9b\x10", "\x81",
                                             "\x38\x7f", "\xc1",
                                             "\x5f",     "\x3b\xff\xff"};
  static const std::vector<FuzzTarget> targets{
      {"npy", fuzz_npy, {"(", ")", ",", "'", "<f4", "True", "99999999999999999999", "{", "}", "-1"}},
      {"safetensors", fuzz_safetensors, json},
      {"json", fuzz_json, json},
      {"kernel", fuzz_kernel, toml},
      {"cases", fuzz_cases, toml},
      {"policy", fuzz_policy, toml},
      {"envelope", fuzz_envelope, json},
      {"statement", fuzz_statement, json},
      {"request", fuzz_request, cbor},
      {"reply", fuzz_reply, cbor},
      {"proposal", fuzz_proposal, json},
      {"journal", fuzz_journal, json},
  };
  return targets;
}
