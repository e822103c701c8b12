#include "gate/cli/output_folder.h"

#include <map>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "gate/report/report.h"

namespace kgate::cli {
namespace {

// A kernel's name is free text; a file's is not.
std::string file_name(const std::string& kernel) {
  std::string name;
  for (const char letter : kernel) {
    const bool plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                       (letter >= '0' && letter <= '9') || letter == '-' || letter == '_' ||
                       (letter == '.' && !name.empty());
    name += plain ? letter : '_';
  }
  return name + ".json";
}

// A disk that is full is mended by whoever reads this.
template <typename Action>
void told(Action&& action) {
  try {
    action();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::environment) throw;
    throw Error(error.kind(), error.subject(), error.fact(), "free some space, or choose another folder with --out");
  }
}

}  // namespace

OutputFolder::OutputFolder(const std::filesystem::path& folder, const std::string& answer) : folder_(folder) {
  if (folder_.empty()) throw Error(ErrorKind::usage, "--out \"\"", "names no folder", "leave it out, or name one");
  std::error_code error;
  // The default lies in the repository, where a change could have put a link to anywhere.
  for (const auto& place : {folder_, folder_ / "samples"}) {
    if (std::filesystem::is_symlink(std::filesystem::symlink_status(place, error))) {
      throw Error(ErrorKind::usage, place.string(), "is a link", "name the folder itself with --out");
    }
  }
  std::filesystem::create_directories(folder_, error);
  if (error) throw system_error(folder_.string(), "cannot be made", error.value());
  remove(answer);
}

void OutputFolder::remove(const std::string& name) const {
  std::error_code error;
  std::filesystem::remove(path(name), error);
  if (error) throw system_error(path(name).string(), "an older result cannot be removed", error.value());
}

void OutputFolder::remove_folder(const std::string& name) const {
  std::error_code error;
  std::filesystem::remove_all(path(name), error);  // of a link the link itself
  if (error) throw system_error(path(name).string(), "an older one cannot be removed", error.value());
}

void OutputFolder::write(const verdict::Judgement& judgement) const {
  told([&] { write_all(judgement); });
}

void OutputFolder::write(const std::string& name, const std::string& text) const {
  told([&] { write_file_atomic(path(name), text); });
}

void OutputFolder::write_all(const verdict::Judgement& judgement) const {
  std::map<std::string, Json> samples;
  for (const auto& one : judgement.samples) samples[one.kernel][one.name] = {{"arms", one.arms}, {"us", one.us}};
  for (const auto& [kernel, cases] : samples) {
    const Json body{{"schema", "kgate.samples/1"}, {"kernel", kernel}, {"cases", cases}};
    write_file_atomic(folder_ / "samples" / file_name(kernel), canonical_json(body) + "\n");
  }
  write_file_atomic(folder_ / "fingerprint.json", judgement.result.fingerprint.dump(2) + "\n");
  // Last: where there is a result, all that it speaks of is there.
  write_file_atomic(result_path(), report::write_json(judgement.result));
}

}  // namespace kgate::cli
