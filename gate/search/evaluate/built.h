#pragma once

#include <optional>
#include <string>

#include "gate/search/propose/briefing.h"
#include "gate/verdict/compile/compiler.h"
#include "gate/verdict/subject/subject.h"

namespace kgate::search {

// A candidate read and compiled, or why not.
struct Built {
  std::optional<verdict::Version> version;
  verdict::Artifact code;
  Outcome outcome = Outcome::open;  // open: it can be judged
  std::string reason;
  double compile_s = 0;
};

}  // namespace kgate::search
