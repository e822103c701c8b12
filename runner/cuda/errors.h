#pragma once

#include <span>
#include <string>

#include <cuda.h>

#include "base/error.h"

// What the CUDA driver's and NVRTC's result codes mean for somebody who runs a gate: whose fault it is, and what to do.
namespace kgate::runner::cuda {

// `kernel`: the code that was launched did something wrong, a finding. `machine`: everything else, also a code that
// nobody knows.
enum class Blame { kernel, machine };

struct Meaning {
  int code = 0;
  const char* name = "";
  Blame blame = Blame::machine;
  const char* means = "";
  const char* remedy = "";
};

std::span<const Meaning> driver_meanings();
std::span<const Meaning> nvrtc_meanings();
// Never fails: an unknown code is the machine's, and says that it is unknown.
Meaning driver_meaning(int code);
Meaning nvrtc_meaning(int code);

// "CUDA_ERROR_ILLEGAL_ADDRESS (700): the kernel read or wrote outside its buffers"
std::string describe(const Meaning& meaning);

// A fault of the kernel on its way from the driver call that reported it to the RunOutcome. Inside runner/cuda alone:
// run() and time() turn it into a value. Where it surfaces elsewhere (reading from a context that a kernel has
// poisoned) it is an environment error.
class KernelFault : public Error {
 public:
  explicit KernelFault(const std::string& fault);
};

// Throws for anything but success: KernelFault or Error(environment), by the code's blame. `call` is the driver's name
// for it.
void check(CUresult result, const char* call);
// For the launch calls themselves, which also refuse what the kernel asks for with general codes (invalid value, not
// supported).
void check_launch(CUresult result, const std::string& entry);
// For loading code and other calls in which no kernel has run: always Error(environment). `detail` is the driver's own
// text, or empty.
void check_machine(CUresult result, const char* call, const std::string& detail = {});

}  // namespace kgate::runner::cuda
