#include "fingerprint/nsight_compute.h"

#include "fingerprint/cuda_tool.h"

namespace kgate::fingerprint {

NsightCompute find_nsight_compute(const std::string& search_path, const std::string& toolkit) {
  const FoundTool found = find_cuda_tool({"ncu", {"bin"}}, search_path, toolkit);
  return {found.path, found.version, found.broken};
}

}  // namespace kgate::fingerprint
