#pragma once

#include <string>

namespace kgate::fingerprint {

// NVIDIA's nvdisasm on this machine; empty: there is none. Looks in the toolkit's folder of programs first, since one
// that is older than the compiler cannot read its code, then in the folders of `search_path` (PATH; relative ones are
// left out: they could be the repository that is judged), in /usr/local/cuda and in /opt/cuda. cuobjdump is not asked
// for: to disassemble, it starts nvdisasm.
std::string find_disassembler(const std::string& search_path, const std::string& toolkit);

}  // namespace kgate::fingerprint
