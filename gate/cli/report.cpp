#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/answer.h"
#include "gate/cli/output_folder.h"
#include "gate/cli/sample_files.h"
#include "gate/cli/verbs.h"
#include "gate/verdict/result/merge.h"

namespace kgate::cli {
namespace {

constexpr std::uint64_t kLargestResult = 256u << 20;

verdict::Judgement read_result(std::filesystem::path path) {
  std::error_code unreadable;
  if (std::filesystem::is_directory(path, unreadable)) path /= OutputFolder::kResult;
  verdict::Judgement read;
  read.result =
      verdict::result_from_json(parse_json(text_of(read_file(path, kLargestResult)), path.string()), path.string());
  read.samples = read_samples(path.parent_path() / "samples", read.result);
  return read;
}

verdict::Judgement merged(const std::vector<std::string>& paths) {
  std::vector<verdict::ShardResult> shards;
  verdict::Judgement whole;
  for (const std::string& path : paths) {
    verdict::Judgement one = read_result(path);
    whole.samples.insert(whole.samples.end(), one.samples.begin(), one.samples.end());
    shards.push_back({path, std::move(one.result)});
  }
  whole.result = verdict::merge(shards);
  return whole;
}

}  // namespace

ExitCode render_report(const Invocation& invocation) {
  const auto& arguments = invocation.arguments;
  if (arguments.names.empty() || (arguments.names.size() != 1 && !arguments.merge)) {
    throw Error(ErrorKind::usage, "kgate report", fmt::format("got {} results", arguments.names.size()),
                "give one result.json, or a folder that holds one; with --merge, those of all shards");
  }
  const verdict::Judgement read = arguments.merge ? merged(arguments.names) : read_result(arguments.names.front());
  // The result may lie in the same folder: nothing is removed before.
  if (arguments.report_out) OutputFolder(*arguments.report_out, "").write(read);
  print_result(read.result, read.samples, arguments, invocation.surroundings);
  // Rendering has no verdict of its own: a pipeline that renders a red result has rendered well. Merging has: that of
  // the whole run.
  return arguments.merge ? static_cast<ExitCode>(read.result.exit_code) : ExitCode::pass;
}

}  // namespace kgate::cli
