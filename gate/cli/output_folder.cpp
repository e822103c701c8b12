#include "gate/cli/output_folder.h"

#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "gate/cli/sample_files.h"
#include "gate/report/writers.h"

namespace kgate::cli {
namespace {

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
  if (answer.empty()) return;
  remove(answer);
  if (answer != kResult) return;
  for (const auto& writer : report::writers()) {
    if (*writer.file != '\0') remove(writer.file);
  }
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
  const auto& result = judgement.result;
  write_samples(folder_ / "samples", judgement.samples);
  write_file_atomic(folder_ / "fingerprint.json", result.fingerprint.dump(2) + "\n");
  for (const auto& writer : report::writers()) {
    if (*writer.file != '\0' && writer.file != std::string_view(kResult))
      write_file_atomic(path(writer.file), writer.write(result, judgement.samples));
  }
  // Last: where there is a result, all that it speaks of is there.
  write_file_atomic(result_path(), report::writer_named("json")->write(result, judgement.samples));
}

}  // namespace kgate::cli
