#include "gate/verdict/noise/noise_summary.h"

#include <cmath>

#include "base/philox.h"
#include "tests/support/catch.h"

using namespace kgate;
using verdict::NoiseSample;

namespace {

double normal(RandomStream& random) {
  return std::sqrt(-2 * std::log(1 - random.uniform())) * std::cos(6.283185307179586 * random.uniform());
}

// Six processes of twenty blocks: a spread of blocks, and one between the processes.
NoiseSample sample_of(std::uint64_t seed, double block_spread, double round_spread = 0) {
  RandomStream random(seed, 1);
  NoiseSample sample;
  sample.block_s = 0.0013;
  for (int round = 0; round < 6; ++round) {
    const double shift = round_spread * normal(random);
    std::vector<double> even, planted, overlapped;
    for (int i = 0; i < 20; ++i) {
      even.push_back(shift + block_spread * normal(random));
      planted.push_back(std::log(1.01) + shift + block_spread * normal(random));
      overlapped.push_back(shift + block_spread * normal(random));
    }
    sample.even.rounds.push_back(even);
    sample.planted.rounds.push_back(planted);
    sample.overlapped.rounds.push_back(overlapped);
    sample.sizes.push_back(0.01);
  }
  return sample;
}

}  // namespace

TEST_CASE("a quiet machine sees small slowdowns, and the planted one as what it is") {
  std::vector<NoiseSample> samples;
  for (std::uint64_t seed = 0; seed < 10; ++seed) samples.push_back(sample_of(seed, 0.002));
  const auto noise = verdict::summarise(samples, {});
  CHECK(noise.round_spread < 0.0004);
  for (const auto& one : noise.cases) {
    CHECK(one.block_spread == Approx(0.002).epsilon(0.4));
    CHECK(one.even_low < 0);
    CHECK(one.even_high > 0);
    CHECK(one.smallest < 0.005);
    CHECK(one.smallest > 0.001);
    CHECK(one.tolerate < one.block);
    REQUIRE(one.planted);
    CHECK(one.planted->size == 0.01);
    CHECK(one.planted->found == Approx(0.01).epsilon(0.1));
    CHECK(one.planted->low > 0);
  }
  CHECK(noise.overlap.harmless);
}

TEST_CASE("a machine whose processes differ is found out, and promises less") {
  std::vector<NoiseSample> quiet, uneven;
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    quiet.push_back(sample_of(seed, 0.002));
    uneven.push_back(sample_of(seed, 0.002, 0.004));
  }
  const auto a = verdict::summarise(quiet, {}), b = verdict::summarise(uneven, {});
  CHECK(b.round_spread == Approx(0.004).epsilon(0.2));
  CHECK(b.cases[0].second_half > 3 * a.cases[0].second_half);
  CHECK(b.cases[0].block - b.cases[0].tolerate > a.cases[0].block - a.cases[0].tolerate);
}

TEST_CASE("a process that starts beside a measurement and widens it threefold, or shifts it, is told") {
  std::vector<NoiseSample> wider{sample_of(1, 0.002)}, shifted{sample_of(1, 0.002)};
  for (auto& round : wider[0].overlapped.rounds) {
    for (auto& value : round) value *= 3;
  }
  for (auto& round : shifted[0].overlapped.rounds) {
    for (auto& value : round) value += 0.003;
  }
  CHECK_FALSE(verdict::summarise(wider, {}).overlap.harmless);
  CHECK_FALSE(verdict::summarise(shifted, {}).overlap.harmless);
}

TEST_CASE("cases that failed, and machines that were never overlapped, are told as such") {
  std::vector<NoiseSample> samples(1);
  samples[0].found.failure = "does not compile here";
  const auto noise = verdict::summarise(samples, {});
  CHECK(noise.cases[0].failure == "does not compile here");
  CHECK(noise.cases[0].blocks == 0);
  CHECK(noise.overlap.blocks == 0);
  CHECK(noise.round_spread == 0);
}
