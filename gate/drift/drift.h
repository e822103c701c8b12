#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "fingerprint/comparison.h"
#include "gate/verdict/result/verdict.h"

// What `kgate drift` found, as types; drift.json (schema kgate.drift/1) is its other form, and every report is a pure
// function of it. Days are UTC, counted from 1970-01-01; day_text() writes them.
namespace kgate::drift {

// A night of the history: one record, or one imported result. Several of one day are several nights here; a series
// takes the latest that has its figure.
struct Night {
  std::int64_t day = 0;
  std::string time;             // UTC, "2026-11-29T22:55:27Z"
  std::string device_class;     // fingerprint::class_of
  std::string driver, toolkit;  // as its fingerprint has them; empty: not known
  std::string origin;           // "record 12", the path of an imported result, "now"
};

// One night's figure of one case.
struct Point {
  std::int64_t day = 0;
  double us = 0;               // a launch sequence
  std::int64_t accepted = 0;   // the ledger's record whose version was timed; 0: not known (imported)
  std::size_t night = 0;       // in Drift::nights
  bool compiled_here = false;  // by that night's toolkit: the recorded machine code did not run there
};

// From a night on, a case's time is another one.
struct Change {
  std::size_t point = 0;                          // in Series::points: the first night after it
  std::int64_t last_before = 0, first_after = 0;  // days: it came after the one and by the other
  double ratio = 1, low = 1, high = 1;            // time after over time before, and its interval
  double p = 1;
  std::int64_t nights_before = 0, nights_after = 0;  // that the ratio is from, bad nights not counted
  std::size_t event = 0;                             // in Drift::events: what it is part of
};

// The last nights beside what they are held against.
struct Against {
  std::string what;                     // "accepted": the present version's first nights; "last-release": the release's
  std::int64_t sequence = 0;            // of the ledger's record
  std::string release;                  // "v1.4"; empty: none
  std::int64_t day = 0;                 // of the record: what changed after it counts
  std::optional<double> recorded_us;    // the figure in the record, of this GPU's like
  double ratio = 1, low = 0, high = 0;  // the last nights over those; high may be infinite: nothing is known
  std::int64_t nights_then = 0, nights_now = 0;  // bad nights not counted
  // What the changes since then multiply to, but for those of another accepted version; 1: there were none.
  double changed = 1;
};

// One performance case, night by night.
struct Series {
  std::string name;           // the case's
  std::string bound;          // "memory", "compute"; empty: the cases do not say, or it is between the two
  double level_us = 0;        // of its last nights
  std::vector<Point> points;  // by day, one a day
  std::vector<Change> changes;
  std::vector<Against> against;
};

// Why a change came, as far as kgate records it.
enum class Cause {
  version,  // another version was accepted: no drift
  toolkit,  // what compiles the accepted source here
  machine,  // driver, GPU, host, or nothing that is recorded
};
const char* name_of(Cause cause);  // "version", "toolkit", "machine"

// Changes of one night, one direction and one cause, over all kernels: "+4.2 % on 6 of 40 kernels".
struct Event {
  std::int64_t last_before = 0, day = 0;  // it came after the one and by the other
  Cause cause = Cause::machine;
  std::vector<fingerprint::Difference> differences;  // between the nights beside it, that times may follow
  std::vector<std::int64_t> records;                 // of the ledger, that came into use: cause version
  double ratio = 1, lowest = 1, highest = 1;         // geometric mean over its kernels; the extremes over its cases
  std::string bound;                                 // of all its cases: "memory", "compute"; empty: mixed, not known
  std::vector<std::string> kernels;                  // by name
  std::size_t of_kernels = 0;                        // that had figures on both sides of it
};

struct Kernel {
  std::string name;
  verdict::Verdict verdict = verdict::Verdict::pass;  // pass, regressed, environment, missing, untrusted
  std::string reason;                                 // empty where it passes without a word
  std::optional<Cause> cause;                         // of regressed
  bool blocks = false;                                // the profile lets this verdict end the run with its exit code
  std::vector<Series> cases;                          // by name; those that have figures
};

// A kind of GPU: series go on across drivers and toolkits, not across these.
struct Hardware {
  std::string key;  // fingerprint::hardware_of
  std::string name, architecture, backend;
  std::string last_night;  // its day, "2026-11-29"; empty: the history has none
};

// The record of this run.
struct Appended {
  std::int64_t sequence = 0;
  std::string digest, branch, where;  // "pushed to origin"
  std::vector<std::string> signers;
};

struct Drift {
  std::string time;  // of the run, UTC
  std::string profile;
  std::string tool_version, tool_commit;
  std::string branch, digest;    // of the history; of its newest record
  std::int64_t sequence = 0;     // 0: there is none
  std::string since;             // "2026-01-01"; empty: all nights
  Hardware hardware;             // whose nights these are
  std::vector<Hardware> others;  // that the history has too
  std::vector<Night> nights;     // by time
  std::vector<Event> events;     // the newest first
  std::vector<Kernel> kernels;   // by name
  std::vector<std::string> notes;
  bool measured = false;  // the last night is this run's
  std::optional<Appended> appended;
  verdict::Verdict verdict = verdict::Verdict::pass;
  int exit_code = 0;
  std::string reason;
};

Json to_json(const Drift& drift);  // kgate.drift/1

std::string day_text(std::int64_t day);  // "2026-11-29"
// Of "2026-11-29" or a longer text that begins so; nothing where it is no date.
std::optional<std::int64_t> day_from(std::string_view text);

}  // namespace kgate::drift
