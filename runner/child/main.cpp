#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include "runner/child/serve.h"

// kgate-runner --backend cuda|host [--device D] [--threads N] [--warm]: started by kgate with its socket as descriptor
// 3; of no use by hand.
int main(int argc, char** argv) {
  constexpr int kSocket = 3;
  kgate::runner::ServeOptions options;
  for (int i = 1; i < argc; ++i) {
    const std::string flag = argv[i];
    if (flag == "--warm") {
      options.warm = true;
    } else if (flag == "--backend" && i + 1 < argc) {
      options.backend = argv[++i];
    } else if (flag == "--device" && i + 1 < argc) {
      options.options.device = argv[++i];
    } else if (flag == "--threads" && i + 1 < argc) {
      options.options.threads = static_cast<std::uint32_t>(std::strtoul(argv[++i], nullptr, 10));
    } else {
      std::fprintf(stderr, "kgate-runner: \"%s\" is not known; kgate starts this program, it is not for use by hand\n",
                   argv[i]);
      return 64;
    }
  }
  try {
    kgate::runner::serve(kSocket, options);
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "kgate-runner: %s\n", error.what());
    return 70;
  }
}
