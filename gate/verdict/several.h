#pragma once

#include <string>
#include <vector>

#include "gate/verdict/judge.h"

namespace kgate::verdict {

// The devices that --device means, as judge() takes them: UUIDs where NVML knows them. On the host every word of a list
// is a lane of its own on the same processor, which serves to try a run over several GPUs where there is none. Throws
// Error as fingerprint::choose_gpus.
std::vector<std::string> devices_of(const std::string& wanted, const std::string& backend);

// Those of the devices that nobody has at the moment, where there are such; else all. `notes`: who has the others.
std::vector<std::string> idle_of(const std::vector<std::string>& devices, const JudgeOptions& options,
                                 std::vector<std::string>& notes);

// One run over several GPUs of one host. Each has a lane: a judge of its own, in a thread of its own, with its own part
// of the kernels by expected cost; all versions of a kernel run in one lane, on one GPU. Fills `judgement` with what
// all lanes found, as judge() does; what ended a lane early is thrown once all have ended.
//
// Rejected: to hand a kernel to whichever GPU is free (a kernel's checked answers come from the GPU that times it, and
// the split of a run that is repeated would be another), and to spread the rounds of one kernel over GPUs (they differ
// by more than what is looked for).
void judge_on(const std::vector<std::string>& devices, const JudgeOptions& options, Progress& progress,
              Judgement& judgement);

}  // namespace kgate::verdict
