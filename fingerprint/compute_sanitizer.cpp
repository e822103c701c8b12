#include "fingerprint/compute_sanitizer.h"

#include "base/error.h"
#include "fingerprint/cuda_tool.h"

namespace kgate::fingerprint {
namespace {

bool strips_paths(const std::string& program) {
  try {
    return answer_of(program, "--help").find("--strip-paths") != std::string::npos;
  } catch (const Error&) {
    return false;
  }
}

}  // namespace

ComputeSanitizer find_compute_sanitizer(const std::string& search_path, const std::string& toolkit) {
  // The program's own folder; bin has a script that starts it.
  const CudaTool tool{"compute-sanitizer", {"compute-sanitizer", "extras/compute-sanitizer", "bin"}};
  const FoundTool found = find_cuda_tool(tool, search_path, toolkit);
  return {found.path, found.version, !found.path.empty() && strips_paths(found.path), found.broken};
}

}  // namespace kgate::fingerprint
