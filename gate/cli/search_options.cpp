#include "gate/cli/search_options.h"

#include <CLI/CLI.hpp>

namespace kgate::cli {

void add_search_options(CLI::App& app, Arguments& arguments) {
  const auto counts = CLI::Range(std::int64_t{0}, std::int64_t{1000000000000});
  // A range lets through what is no number.
  const CLI::Validator amounts(
      [](const std::string& text) {
        double value = -1;
        if (CLI::detail::lexical_cast(text, value) && value >= 0 && value <= 1e9) return std::string();
        return "\"" + text + "\" is no number from 0 to 1000000000";
      },
      "");
  app.get_option("KERNEL")->required()->expected(1);
  app.add_option("--proposer", arguments.proposers,
                 "who proposes: tuner, http or command; more than once for several, asked in this order (else the "
                 "policy's)")
      ->check(CLI::IsMember({"tuner", "http", "command"}))
      ->type_name("NAME")
      ->allow_extra_args(false);
  app.add_option("--iterations", arguments.iterations,
                 "how many steps at most (else the policy's, as all bounds; a CI job can only narrow those)")
      ->check(counts)
      ->type_name("N");
  app.add_option("--patience", arguments.patience, "end after so many steps that gained less than 2 %; 0: never")
      ->check(counts)
      ->type_name("N");
  app.add_option("--seconds", arguments.seconds, "how long at most")->check(amounts)->type_name("S");
  app.add_option("--gpu-seconds", arguments.gpu_seconds, "how long on the GPU at most")->check(amounts)->type_name("S");
  app.add_option("--tokens", arguments.tokens, "of models, in and out, at most")->check(counts)->type_name("N");
  app.add_option("--cost-usd", arguments.cost_usd, "what models may cost at most")->check(amounts)->type_name("USD");
  app.add_option("--usd-per-gpu-hour", arguments.usd_per_gpu_hour, "what a GPU hour costs, to reckon when it pays back")
      ->check(amounts)
      ->type_name("USD");
}

}  // namespace kgate::cli
