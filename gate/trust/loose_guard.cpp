#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include <git2/sys/odb_backend.h>
#include <zlib.h>

#include "gate/trust/libgit2.h"

// An object's file that was cut short, as a full disk or a machine that went down leave it, is read by libgit2 up
// to 1.8 in a loop that never ends: a gate would hold its GPU until somebody kills it. So such files are looked at
// first. A backend that has no objects stands between libgit2's packs and its loose objects, inflates what is about to
// be read there, and answers with an error where the stream does not come to its end. Rejected: a time limit (a reader
// cannot be stopped from outside), and to inflate all loose objects once (there may be gigabytes).
namespace kgate::trust {
namespace {

namespace fs = std::filesystem;

constexpr int kPriorityOfPacks = 2;  // equal ones keep their order: after the packs, before loose objects
constexpr std::size_t kChunk = 1u << 16;

struct Guard {
  git_odb_backend backend;  // first: what libgit2 sees
  std::vector<fs::path> folders;
};

// Whether a file ends before the stream of zlib in it does. What is no such stream is libgit2's to say.
bool is_cut_short(const fs::path& file) {
  std::ifstream input(file, std::ios::binary);
  std::vector<char> in(kChunk), out(kChunk);
  z_stream stream{};
  if (!input || inflateInit(&stream) != Z_OK) return false;
  int state = Z_OK;
  while (state == Z_OK && input.read(in.data(), kChunk).gcount() > 0) {
    stream.next_in = reinterpret_cast<Bytef*>(in.data());
    stream.avail_in = static_cast<uInt>(input.gcount());
    do {
      stream.next_out = reinterpret_cast<Bytef*>(out.data());
      stream.avail_out = kChunk;
      state = inflate(&stream, Z_NO_FLUSH);
    } while (state == Z_OK && stream.avail_out == 0);
    if (state == Z_BUF_ERROR) state = Z_OK;  // all input was taken, and more is wanted
  }
  inflateEnd(&stream);
  return state == Z_OK;
}

int look(git_odb_backend* backend, const git_oid* id) {
  const std::string name = git_oid_tostr_s(id);
  for (const fs::path& folder : reinterpret_cast<Guard*>(backend)->folders) {
    std::error_code failed;
    const fs::path file = folder / name.substr(0, 2) / name.substr(2);
    if (!fs::is_regular_file(file, failed) || !is_cut_short(file)) continue;
    git_error_set_str(GIT_ERROR_ODB, ("the file of object " + name + " was cut short").c_str());
    return GIT_ERROR;
  }
  return GIT_ENOTFOUND;
}

int read(void**, std::size_t*, git_object_t*, git_odb_backend* backend, const git_oid* id) {
  return look(backend, id);
}

int read_header(std::size_t*, git_object_t*, git_odb_backend* backend, const git_oid* id) {
  return look(backend, id);
}

}  // namespace

void guard_loose_objects(git_repository* repository) {
  Git<git_odb> database;
  if (git_repository_odb(out(database), repository) != 0) return;
  auto guard = std::make_unique<Guard>();
  if (git_odb_init_backend(&guard->backend, GIT_ODB_BACKEND_VERSION) != 0) return;
  guard->folders = object_folders(repository);
  guard->backend.read = read;
  guard->backend.read_header = read_header;
  guard->backend.free = [](git_odb_backend* backend) { delete reinterpret_cast<Guard*>(backend); };
  if (git_odb_add_backend(database.get(), &guard->backend, kPriorityOfPacks) == 0) guard.release();
}

}  // namespace kgate::trust
