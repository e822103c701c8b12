#pragma once

#include <optional>
#include <string>
#include <vector>

namespace kgate::fingerprint {

// What compiles kernels on this machine.
struct Toolkit {
  std::string root;   // "/usr/local/cuda-13.0"; empty where libraries come from the distribution's folders
  std::string nvrtc;  // path of libnvrtc.so.N, links resolved; empty: none found
  std::vector<std::string> include_dirs;  // those that exist of ROOT/include and ROOT/include/cccl
  std::string nvrtc_version;              // "13.0"; empty: none
  std::string host_compiler;              // path of g++, c++ or clang++; empty: none found
  std::string host_compiler_version;      // first line of --version
};

struct ToolkitSearch {
  std::string cuda_home;  // --cuda, CUDA_HOME or CUDA_PATH, looked at first (the command line reads them); may be empty
  std::string host_compiler;  // CXX; may be empty
  std::string library_path;   // LD_LIBRARY_PATH, colon-separated; may be empty
};

// Looks in: cuda_home; library_path; /usr/local/cuda, /usr/local/cuda-*, newest first; /opt/cuda; the distribution's
// library folders. Never throws for what is not there.
Toolkit find_toolkit(const ToolkitSearch& search);

}  // namespace kgate::fingerprint
