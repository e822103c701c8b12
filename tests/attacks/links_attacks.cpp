#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// In the place of a file lies something else: a link out of the repository or within it, a FIFO that never answers, a
// folder, more bytes than anybody reads.

namespace {

constexpr const char* kCases = "kernels/scale/cases.toml";
constexpr const char* kEnvelope = "kernels/scale/cases.toml.dsse";
constexpr const char* kReference = "kernels/scale/reference.cu";
constexpr const char* kSource = "kernels/scale/scale.cu";
const std::string kLink = ": is a symbolic link, or lies behind one; put the file itself there";

// What lies there moves aside, and a link to it takes its place: the content is the same.
auto aside(const std::string& path) {
  return [path](Scene& s) {
    s.repo.move(path, "aside/it");
    s.repo.link(path, s.repo.at("aside/it"));
  };
}

}  // namespace

std::vector<Attack> attacks_by_links() {
  const std::string plain = "; a kernel needs its cases beside it, as a plain file; see docs/cases-toml.md";
  return {
      {"cases.toml is a link to /etc/passwd", [](Scene& s) { s.repo.link(kCases, "/etc/passwd"); }, kCases + kLink},
      {"cases.toml is a link to the same text within the repository", aside(kCases), kCases + kLink},
      {"cases.toml is a FIFO that nobody writes to", [](Scene& s) { s.repo.fifo(kCases); },
       std::string(kCases) + ": is no regular file" + plain},
      {"cases.toml is a folder",
       [](Scene& s) {
         s.repo.remove(kCases);
         s.repo.write(std::string(kCases) + "/x", "");
       },
       std::string(kCases) + ": is no regular file" + plain},
      {"cases.toml has a gigabyte", [](Scene& s) { s.repo.enlarge(kCases, std::uintmax_t{1} << 30); },
       std::string(kCases) + ": has 1073741824 bytes; at most 1048576 are allowed" + plain},
      {"the signature is a link to another one",
       [](Scene& s) { s.repo.link(kEnvelope, s.repo.at("kernels/wide/cases.toml.dsse")); }, kEnvelope + kLink},
      {"the signature is a folder",
       [](Scene& s) {
         s.repo.remove(kEnvelope);
         s.repo.write(std::string(kEnvelope) + "/x", "");
       },
       std::string(kEnvelope) + ": is no regular file" + kRestored},
      {"the signature is a FIFO that nobody writes to", [](Scene& s) { s.repo.fifo(kEnvelope); },
       std::string(kEnvelope) + ": is no regular file" + kRestored},
      {"the reference is a link to /etc/passwd", [](Scene& s) { s.repo.link(kReference, "/etc/passwd"); },
       kReference + kLink},
      {"the reference is a link to the same text within the repository", aside(kReference), kReference + kLink},
      {"the reference is a FIFO that nobody writes to", [](Scene& s) { s.repo.fifo(kReference); },
       std::string(kReference) + ": is no regular file" + kResign},
      {"the stored input is a link to a device that never ends",
       [](Scene& s) { s.repo.link("kernels/scale/x.npy", "/dev/zero"); }, "kernels/scale/x.npy" + kLink},
      {"the stored input has a terabyte",
       [](Scene& s) { s.repo.enlarge("kernels/scale/x.npy", std::uintmax_t{1} << 40); },
       "kernels/scale/x.npy: has 1099511627776 bytes; at most 268435456 are allowed" + kResign},
      {"the folder of shared headers is a link to a copy of it", aside("kernels/common"),
       "kernels/common/shapes.cuh" + kLink},
      {"the kernel's whole folder is a link to where no policy looks", aside("kernels/scale"),
       "kernels/scale/kernel.toml" + kLink},
      {"kernel.toml is a link", aside("kernels/scale/kernel.toml"), "kernels/scale/kernel.toml" + kLink},
      {"the policy's folder is a link to one with other keys", aside(".kgate"), ".kgate" + kLink},
      {"the candidate's source is a link to /etc/passwd", [](Scene& s) { s.repo.link(kSource, "/etc/passwd"); },
       std::string("kernels/scale/kernel.toml: \"") + kSource +
           "\" is a symbolic link, or lies behind one; put the file itself there"},
  };
}
