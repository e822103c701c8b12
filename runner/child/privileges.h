#pragma once

#include <string>

namespace kgate::runner {

// Gives up every capability for good (all five sets), and the means to get one back (no_new_privs). Root without
// capabilities is a user like others, who owns much. Answers with what could not be given up; empty: all of it was.
// `keep_counters`: but for CAP_PERFMON, where it is there. NVIDIA's driver (565 and newer) then lets this process read
// the GPU's performance counters where others may not (NVreg_RestrictProfilingToAdminUsers=1); it checks the process
// that launches kernels, not the tool that started it. CAP_SYS_ADMIN, which older drivers want for it, is a way to
// nearly everything and is never kept. What else CAP_PERFMON opens (perf_event_open, bpf) the filter refuses.
std::string drop_privileges(bool keep_counters = false);

// Where memory runs out, the kernel ends this process rather than the judge or the user's others.
void volunteer_for_oom();

}  // namespace kgate::runner
