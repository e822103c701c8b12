#pragma once

#include <string>
#include <vector>

namespace kgate::fingerprint {

// A program of NVIDIA's that may come with the CUDA toolkit, and where in the toolkit it lies.
struct CudaTool {
  const char* name = "";
  std::vector<const char*> folders;
};

struct FoundTool {
  std::string path;     // empty: there is none
  std::string version;  // as it says behind the word "Version"; empty: it does not say
  std::string broken;   // where there is none that starts, of the first one that does not
};

// Looks in the folders of `search_path` (PATH; relative ones are left out: they could be the repository that is
// judged), then in the tool's folders below `toolkit`, /usr/local/cuda and /opt/cuda. What does not start here is
// passed over.
FoundTool find_cuda_tool(const CudaTool& tool, const std::string& search_path, const std::string& toolkit);

// What it prints when it is called so ("--help"). Throws Error where it cannot be started.
std::string answer_of(const std::string& program, const char* question);

}  // namespace kgate::fingerprint
