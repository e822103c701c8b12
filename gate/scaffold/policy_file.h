#pragma once

#include "gate/scaffold/new_file.h"

namespace kgate::scaffold {

// .kgate/policy.toml of a team that begins: unsigned cases are told, not refused.
NewFile policy_file();
// What a run leaves, and private keys, are nobody's to commit.
NewFile ignore_file();

}  // namespace kgate::scaffold
