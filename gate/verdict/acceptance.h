#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "gate/trust/ledger.h"
#include "gate/verdict/judge.h"

// Accepting a version: judged and measured here and now, then written down for the ledger.
namespace kgate::verdict {

// What the approver says.
struct Word {
  std::string reason;
  std::string slower;        // why it may be slower; empty: it may not
  std::string release;       // "v1.4"
  std::string renamed_from;  // the kernel that goes on under the new name
};

// A kernel's record, without the chain, or why there is none.
struct Acceptance {
  KernelResult kernel;
  std::optional<trust::Draft> draft;
  std::string refusal;  // empty: there is a draft
};

// Judges the selected kernels against what was accepted before (else the base; a renamed one against both, by its old
// name), and measures those that hold. The
// sources must be those of HEAD. Fills `judgement` as judge does. Throws as judge does.
std::vector<Acceptance> measure_acceptance(const JudgeOptions& options, const Word& word, Progress& progress,
                                           Judgement& judgement);

// A record that ends a kernel. `head`: its last one. Nothing is measured.
trust::Draft retirement(const trust::Record& head, const std::string& reason);

// Drafts as folders, so that who measures need not hold a key: FOLDER/KERNEL/CLASS/{statement.json, objects/...}.
std::filesystem::path write_draft(const std::filesystem::path& folder, const trust::Draft& draft);
// A kernel's draft, and the folders that it came from.
struct PreparedDraft {
  trust::Draft draft;
  std::vector<std::filesystem::path> places;
};
// All drafts below the folders, one a kernel, with the measurements of all classes. Throws Error(untrusted) for objects
// that do not have their digest and for a version or cases that `head` does not have, Error(usage) where drafts of a
// kernel speak of different versions or a class is there twice.
std::vector<PreparedDraft> read_drafts(const std::vector<std::filesystem::path>& folders, const FileTree& head);
// What was signed by all is no draft any more. Leaves what write_draft did not write.
void remove_draft(const PreparedDraft& prepared);

}  // namespace kgate::verdict
