#include "tests/attacks/attack.h"
#include "tests/attacks/honest_files.h"

// What a kernel includes is what it declares: the cache of compiled code goes by that, and a file of the machine would
// make one kernel of two.

namespace {

// A line before the kernel's own.
auto before(const std::string& line) {
  return [line](Scene& s) {
    s.repo.write("kernels/half.cuh", "#define HALF\n");
    s.repo.write("kernels/scale/scale.cu", line + "\n" + kScale);
  };
}

}  // namespace

std::vector<Attack> attacks_by_includes() {
  const std::string answer = "does not compile";
  const Question wrong{.code = 2};
  return {
      {"a kernel includes a file of the machine", before("#include \"/etc/hostname\""), answer, wrong},
      {"a kernel includes a file of the machine, behind a comment", before("/**/#include \"/etc/hostname\""), answer,
       wrong},
      {"a kernel includes a file of the machine, by a digraph", before("%:include \"/etc/hostname\""), answer, wrong},
      {"a kernel includes a file of the machine, by #import", before("#import \"/etc/hostname\""), answer, wrong},
      {"a kernel includes a file of the machine, on a spliced line", before("#inc\\\nlude \"/etc/hostname\""), answer,
       wrong},
      {"a kernel includes a file of the machine, up from the system's headers", before("#include <../../etc/hostname>"),
       answer, wrong},
      {"a kernel includes a file of the repository that it does not declare", before("#include \"../half.cuh\""),
       answer, wrong},
      {"a kernel asks whether a file of the machine is there",
       before("#if __has_include(\"/etc/hostname\")\n#define MORE\n#endif"), answer, wrong},
      {"a kernel asks how old a file of the machine is", before("#pragma GCC dependency \"/etc/hostname\""), answer,
       wrong},
  };
}
