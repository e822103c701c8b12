#pragma once

#include <string>
#include <vector>

#include "gate/scaffold/entries.h"
#include "gate/scaffold/new_file.h"

namespace kgate::scaffold {

struct KernelSource {
  std::string path;                   // from the repository's root: "src/softmax.cu"
  std::vector<std::string> includes;  // quoted_includes
};

// kernel.toml, cases.toml and reference.cu in `folder` ("kernels/softmax"), for an entry of a source that stays where
// it is. What follows from the signature is filled in, sizes and inputs are guesses, the reference is the person's.
std::vector<NewFile> kernel_folder(const std::string& folder, const Entry& entry, const KernelSource& source);

// A kernel that works as it stands, to look at and to replace: kernels/saxpy.
std::vector<NewFile> sample_kernel();

// The entry's name without its namespaces; what the kernel and its folder are called.
std::string short_name(const Entry& entry);

}  // namespace kgate::scaffold
