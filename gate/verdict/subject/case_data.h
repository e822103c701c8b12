#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/shared_memory.h"
#include "gate/cases/job.h"
#include "gate/verdict/subject/subject.h"
#include "runner/client.h"

namespace kgate::verdict {

// The contents of a case's inputs and inouts, sealed, ready to be handed to any number of children.
using CaseInputs = std::map<std::uint32_t, SharedMemory>;

struct CaseSeed {
  std::uint64_t run = 0;  // of this run: secret until the run has ended, then printed
  std::string kernel, name;
};
// The case's own fixed seed, or one drawn from the run's: SHA-256 over run, kernel and case.
std::uint64_t seed_of(const cases::CaseSpec& one, const CaseSeed& seed);

// Throws Error(environment) where the machine has not the memory to make a case's inputs and compare its outputs.
void require_memory(const cases::Binding& binding, const std::string& where);

// Drawn from the run's seed whatever the case says: for orders, places and further contents, which a fixed seed must
// not make the same in every process.
std::uint64_t stream_of(const CaseSeed& seed);

// The contents that a seed makes: seed_of's for what is checked and timed in batches.
CaseInputs make_case_inputs(const Subject& subject, const cases::CaseSpec& one, std::uint64_t seed, unsigned threads);

// Timed samples see several contents: the first, and further ones that nobody has seen before. How many a case has, by
// the size of one; and what makes each of the further ones.
std::uint32_t content_count(const CaseInputs& first);
std::uint64_t content_seed(const CaseSeed& seed, std::uint32_t variant);

// Makes room for a binding in a child and hands it the inputs. Returns the bytes of the pool that the device had room
// for.
std::uint64_t place_case(runner::Client& child, const std::vector<runner::Buffer>& buffers, const CaseInputs& inputs,
                         std::uint64_t pool_bytes);

// The pool to ask a child for, of `wanted` bytes at most: on the host a few times the buffers is enough.
std::uint64_t pool_for(const std::string& backend, const std::vector<runner::Buffer>& buffers, std::uint64_t wanted);

// The policy's word for a placement; it has been checked.
runner::Placement placement_of(const std::string& name);

// The cases that run on a backend.
std::vector<const cases::CaseSpec*> cases_for(const Subject& subject, const std::string& backend);

// What a case waits for by the work that cases.toml says it does: "memory", "compute", or "" where that is not told or
// lies between. Operations for each byte, below and above which that holds on every GPU that CUDA 13 runs on, without
// tensor cores.
constexpr double kMemoryBound = 8, kComputeBound = 100;
std::string bound_of(const Subject& subject, const cases::CaseSpec& one);

// A case by its name; null: there is none.
const cases::CaseSpec* case_named(const Subject& subject, const std::string& name);

// The index of the parameter that a buffer holds, and back; buffers of a binding start with the parameters that are not
// scalars.
struct OutputParam {
  std::uint32_t buffer = 0;
  const cases::ParamSpec* param = nullptr;
};
std::vector<OutputParam> outputs_of(const cases::CasesSpec& cases);

// What a case says of an output; exact where it says nothing.
cases::Tolerance tolerance_of(const cases::CaseSpec& one, const cases::ParamSpec& output);

constexpr double kHandOverLimit = 120;  // seconds for a child to allocate, take an input or give an output

}  // namespace kgate::verdict
