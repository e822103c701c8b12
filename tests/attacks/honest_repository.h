#pragma once

#include <filesystem>
#include <string>

#include "gate/trust/ledger.h"
#include "tests/attacks/folder.h"
#include "tests/attacks/signing.h"

// The repository before anybody attacks it, made once a process: WORK is a clone of ORIGIN with the branch main, and
// ORIGIN has the ledger too: five records of two kernels, measured on two classes.
//   1  scale, the coarse version           2020-01-01  class A  former approver
//   2  wide                                2020-02-01  class A  former approver
//   3  scale, as main has it               2021-01-01  class A
//   4  wide, measured anew                 2021-02-01  class B
//   5  scale, release v1.0                 2021-03-01  classes A and B
const std::filesystem::path& honest_repository();

// A git folder that takes its objects from another one, which must outlive it: what differs is copied.
void copy_git_folder(const std::filesystem::path& from, const std::filesystem::path& to);

// A record of the version that lies in a kernel's folder, as `kgate accept` would draft it.
kgate::trust::Draft draft_of(const Folder& repo, const std::string& folder, const std::string& time,
                             const std::vector<std::string>& classes = {"class A"});
kgate::trust::LedgerEntry append_record(const std::filesystem::path& repository, const kgate::trust::Draft& draft,
                                        Who who, bool push);
