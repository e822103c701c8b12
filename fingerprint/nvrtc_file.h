#pragma once

#include <string>

namespace kgate::fingerprint {

// What the file of NVRTC tells about itself without being loaded (the judge never loads it). Each text is the value, or
// "unknown, because ...".
struct NvrtcFile {
  // The GNU build ID: the digest over the library's content that its linker wrote into it, 40 hex digits. A SHA-256 of
  // the 104 MiB would take 0.28 s; this takes microseconds, and two builds never share one.
  std::string build_id;
  // "13.0.88": the release of the compiler's back end (ptxas) that is linked into it, as ptxas --version tells it.
  std::string ptxas;
};
NvrtcFile read_nvrtc_file(const std::string& path);

}  // namespace kgate::fingerprint
