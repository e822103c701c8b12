#include "gate/verdict/timing/track.h"

#include "tests/support/catch.h"

using namespace kgate;
using verdict::Track;
using verdict::TrackOptions;
using verdict::Verdict;

namespace {

using Times = std::vector<double>;

verdict::Timing how(const std::string& regime, std::int64_t launches) {
  verdict::Timing timing;
  timing.regime = regime;
  timing.launches_per_sample = launches;
  return timing;
}

Times repeat(std::int64_t count, double us) {
  return Times(static_cast<std::size_t>(count), us);
}

// Times both, to the last digit, until there is an answer, or so many blocks.
Track timed(double candidate_us, double base_us, const verdict::Timing& timing = how("graph", 100),
            TrackOptions options = {}, std::int64_t most = 1000) {
  Track track(std::move(options));
  while (track.open() && track.trial().blocks() < most) {
    track.start_round();
    for (auto n = track.trial().wanted(); n > 0 && track.trial().blocks() < most; n = track.trial().wanted())
      track.add(repeat(n, candidate_us), repeat(n, base_us), timing);
    track.conclude_round();
  }
  return track;
}

std::string reason_of(Track track, const std::string& gave_up = "after all") {
  track.close(gave_up);
  return track.reason();
}

Verdict verdict_of(Track track) {
  track.close("after all");
  return track.verdict();
}

}  // namespace

TEST_CASE("a case passes, is faster or regressed by the zone, and only a slowdown has words") {
  CHECK(verdict_of(timed(100, 100)) == Verdict::pass);
  CHECK(verdict_of(timed(100.3, 100)) == Verdict::pass);
  CHECK(verdict_of(timed(90, 100)) == Verdict::faster);
  CHECK(verdict_of(timed(105, 100)) == Verdict::regressed);
  CHECK(reason_of(timed(100, 100)).empty());
  CHECK(reason_of(timed(90, 100)).empty());
  CHECK(reason_of(timed(105, 100)) == "slower by 5.00 % [+4.83, +5.17], 0.5 % is tolerated");
}

TEST_CASE("a slowdown against another version than the base says which") {
  TrackOptions options;
  options.against = "accepted";
  CHECK(reason_of(timed(105, 100, how("graph", 100), options)) ==
        "than the accepted version: slower by 5.00 % [+4.83, +5.17], 0.5 % is tolerated");
}

TEST_CASE("what is under the absolute floor is tolerated, however short the kernel is") {
  // 0.02 us of 1 us: tolerated are 2 %, blocked is what is over 4 %.
  CHECK(verdict_of(timed(1.015, 1)) == Verdict::pass);
  CHECK(verdict_of(timed(0.985, 1)) == Verdict::pass);
  CHECK(verdict_of(timed(1.1, 1)) == Verdict::regressed);
  CHECK(verdict_of(timed(0.9, 1)) == Verdict::faster);
  const auto short_one = timed(1.015, 1);
  CHECK(short_one.trial().options().decision.zone.tolerate == Approx(0.02));
  CHECK(short_one.trial().options().decision.zone.block == Approx(0.04));
  // The same share of a long kernel is over the zone's middle.
  CHECK(verdict_of(timed(101.5, 100)) == Verdict::regressed);
  CHECK(reason_of(timed(1.1, 1)).ends_with(", 2 % is tolerated"));
}

TEST_CASE("single launches are seen no finer than a tick, batches share one") {
  // Of 2 us a tick is 1.6 %; the zone ends at 2 %.
  CHECK(verdict_of(timed(2, 2, how("graph", 100))) == Verdict::pass);
  CHECK(verdict_of(timed(2, 2, how("single", 100))) == Verdict::inconclusive);
  CHECK(timed(2, 2, how("single", 100)).trial().options().decision.resolution == Approx(0.016));
  CHECK(timed(2, 2, how("graph", 100)).trial().options().decision.resolution == Approx(0.00016));
  TrackOptions fine;
  fine.tick_us = 0.001;
  CHECK(verdict_of(timed(2, 2, how("single", 1), fine)) == Verdict::pass);
}

TEST_CASE("a slow tail that the mean does not show is in the ratio of the 95th percentiles") {
  Track track({});
  track.start_round();
  track.add({100, 100, 100, 100, 100, 100, 100, 100, 130, 130}, repeat(10, 100), how("single", 1));
  CHECK(track.timing().p95_ratio == Approx(1.3));
  CHECK(track.timing().candidate_us == 100);
  CHECK(track.timing().base_us == 100);
}

TEST_CASE("dropped blocks are counted once, and only those that were there") {
  auto track = timed(100, 100);
  REQUIRE(track.timing().blocks == 14);
  track.drop(0, 5, 100);
  CHECK(track.timing().dropped == 2);
  CHECK(track.timing().blocks == 12);
  track.drop(0, 5, 2);
  track.drop(9, 0, 7);
  CHECK(track.timing().dropped == 2);
  track.drop(0, 0, 5);
  track.drop(1, 0, 7);
  CHECK(track.timing().dropped == 14);
  CHECK(track.timing().blocks == 0);
  CHECK(track.open());
  // Nothing is left to make a figure of, and no figure is made up.
  CHECK(track.timing().base_us == 0);
  CHECK(track.timing().candidate_us == 0);
  CHECK(track.timing().p95_ratio == 1);
  CHECK(reason_of(track, "2 measurements were disturbed") ==
        "2 measurements were disturbed: nothing is known of the ratio; an answer needs a quieter machine or a larger "
        "[budget]");
}

TEST_CASE("a case that could not be measured at all says that nothing is known") {
  CHECK(verdict_of(Track({})) == Verdict::inconclusive);
  CHECK(reason_of(Track({}), "the suite's budget of 5 s is spent") ==
        "the suite's budget of 5 s is spent: nothing is known of the ratio; an answer needs a quieter machine or a "
        "larger [budget]");
}

TEST_CASE("a case without an answer says how finely it was seen and what it lacks") {
  // One round alone, as fine as can be.
  Track track({});
  track.start_round();
  track.add(repeat(7, 100), repeat(7, 100), how("graph", 100));
  track.conclude_round();
  CHECK(reason_of(track, "after 7 blocks in 1 round and 9 s") ==
        "after 7 blocks in 1 round and 9 s: the ratio is known only to [-0.36 %, +0.36 %], by 1 of at least 2 rounds; "
        "an answer needs a larger [budget]");
  // Rounds enough, but coarse ones.
  Track coarse({});
  for (int round = 0; round < 2; ++round) {
    coarse.start_round();
    coarse.add({90, 110, 95, 105, 100, 110, 90}, repeat(7, 100), how("graph", 100));
    coarse.conclude_round();
  }
  CHECK(verdict_of(coarse) == Verdict::inconclusive);
  CHECK(reason_of(coarse, "after 14 blocks in 2 rounds and 5 s") ==
        "after 14 blocks in 2 rounds and 5 s: the ratio is known only to [-15.42 %, +17.54 %]; an answer needs a "
        "narrower interval than the zone 0.5 % to 2 %: a quieter machine, a larger [budget], or a wider [zone]");
}

TEST_CASE("a slowdown that no fresh round could confirm is told as suspected") {
  Track track({});
  for (int round = 0; round < 2; ++round) {
    track.start_round();
    track.add(repeat(7, 105), repeat(7, 100), how("graph", 100));
    track.conclude_round();
  }
  CHECK(track.trial().confirming());
  CHECK(verdict_of(track) == Verdict::inconclusive);
  CHECK(reason_of(track, "after 14 blocks in 2 rounds and 5 s") ==
        "after 14 blocks in 2 rounds and 5 s: slower by 5.00 % [+4.80 %, +5.20 %], which no fresh round has confirmed; "
        "an answer needs a larger [budget]");
}

TEST_CASE("an advantage where inputs repeat alone is suspect, whether the batches had an answer or not") {
  auto track = timed(50, 100);
  track.add_fresh(repeat(16, 100), repeat(16, 100));
  CHECK(verdict_of(track) == Verdict::suspect);
  CHECK(reason_of(track) ==
        "an advantage exists only where inputs repeat: -50.00 % there, +0.00 % [-0.26 %, +0.26 %] on fresh inputs; a "
        "kernel that remembers its inputs skips work");
  Track open({});
  open.start_round();
  open.add(repeat(7, 50), repeat(7, 100), how("graph", 100));
  open.add_fresh(repeat(16, 100), repeat(16, 100));
  CHECK(verdict_of(open) == Verdict::suspect);
}

TEST_CASE("an advantage that fresh inputs shorten, and leave most of, is believed as they have it") {
  auto track = timed(88, 100);
  track.add_fresh(repeat(16, 91.5), repeat(16, 100));
  CHECK(verdict_of(track) == Verdict::faster);
  CHECK(reason_of(track) == "");
  track.close("");
  CHECK(track.timing().regime == "fresh");
  CHECK(track.timing().ratio == Approx(0.915));
  CHECK(track.timing().trace.back().starts_with("-12.00 % where inputs repeat, -8.50 % ["));
}

TEST_CASE("who gains nothing where inputs repeat and is slower on fresh ones is slower, and no cheat") {
  auto track = timed(100, 100);
  track.add_fresh(repeat(16, 108), repeat(16, 100));
  CHECK(verdict_of(track) == Verdict::regressed);
  CHECK(reason_of(track) ==
        "slower by 8.00 % [+7.72 %, +8.28 %] on fresh inputs, 0.5 % is tolerated; where inputs repeat +0.00 %: what it "
        "reads or writes for the first time costs more");
  // As much slower as a cheat that hides its own cost.
  auto hidden = timed(100, 100);
  hidden.add_fresh(repeat(16, 125), repeat(16, 100));
  CHECK(verdict_of(hidden) == Verdict::suspect);
  // Most of a large advantage is gone.
  auto most = timed(87, 100);
  most.add_fresh(repeat(16, 98), repeat(16, 100));
  CHECK(verdict_of(most) == Verdict::suspect);
}

TEST_CASE("what a launch costs by itself makes nobody suspect") {
  // 3 us more for each: the ratio shrinks.
  auto constant = timed(7, 10);
  constant.add_fresh(repeat(16, 10), repeat(16, 13));
  CHECK(verdict_of(constant) == Verdict::faster);
  // Half as much again: it stays.
  auto share = timed(7, 10);
  share.add_fresh(repeat(16, 10.5), repeat(16, 15));
  CHECK(verdict_of(share) == Verdict::faster);
}

TEST_CASE("fresh samples that something from outside disturbed do not count") {
  auto track = timed(50, 100);
  track.add_fresh(repeat(16, 50), repeat(16, 100));
  track.add_fresh(repeat(16, 300), repeat(16, 100));
  track.drop_fresh(16, 16);
  CHECK(track.fresh_blocks() == 16);
  CHECK(verdict_of(track) == Verdict::faster);
  track.drop_fresh(0, 100);
  CHECK(track.fresh_blocks() == 0);
  CHECK(verdict_of(track) == Verdict::faster);
}

TEST_CASE("fresh samples that prove neither way do not block, and are told") {
  auto track = timed(100, 100);
  std::vector<double> noisy;
  for (int i = 0; i < 16; ++i) noisy.push_back(i % 2 == 0 ? 80 : 125);
  track.add_fresh(noisy, repeat(16, 100));
  CHECK(verdict_of(track) == Verdict::pass);
  track.close("");
  CHECK(track.timing().trace.back().starts_with("on fresh inputs "));
  CHECK(track.timing().trace.back().ends_with(" percentage points: proved neither way"));
}

TEST_CASE("who is much faster where inputs repeat is believed only where fresh inputs confirm it") {
  Track confirmed = timed(50, 100), missing = timed(50, 100), a_little = timed(90, 100);
  for (Track* track : {&confirmed, &missing, &a_little}) track->want_fresh();
  confirmed.add_fresh(repeat(64, 52), repeat(64, 104));
  CHECK(verdict_of(confirmed) == Verdict::faster);
  CHECK(verdict_of(missing) == Verdict::inconclusive);
  CHECK(reason_of(missing) ==
        "-50.00 % where inputs repeat, which samples on fresh inputs have not confirmed; an answer needs a larger "
        "[budget] or a quieter machine");
  CHECK(verdict_of(a_little) == Verdict::faster);
}

TEST_CASE("who leaves the budget no room for fresh inputs has proved nothing, however little it seems to gain") {
  Track missed = timed(99, 100), found_room = timed(99, 100);
  for (Track* track : {&missed, &found_room}) {
    track->want_fresh();
    track->miss_fresh(true);
  }
  found_room.add_fresh(repeat(16, 99), repeat(16, 100));
  CHECK(verdict_of(missed) == Verdict::inconclusive);
  CHECK(reason_of(missed) ==
        "-1.00 % where inputs repeat, and the budget had no room for samples on fresh inputs; an answer needs a larger "
        "[budget] or a quieter machine");
  CHECK(passes(verdict_of(found_room)));
}

TEST_CASE("fresh samples that leave everything open are no proof") {
  auto track = timed(100, 100);
  std::vector<double> wild;
  for (int i = 0; i < 16; ++i) wild.push_back(i % 2 == 0 ? 40 : 400);
  track.add_fresh(wild, repeat(16, 100));
  CHECK(verdict_of(track) == Verdict::inconclusive);
  CHECK(reason_of(track).find("where inputs repeat, and on fresh inputs") != std::string::npos);
}
