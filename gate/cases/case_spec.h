#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/dtype.h"
#include "gate/cases/expression.h"
#include "gate/cases/generator.h"
#include "gate/cases/kernel_spec.h"

namespace kgate::cases {

enum class ParamKind { in, out, inout, scalar };

struct ParamSpec {
  std::string name;
  ParamKind kind = ParamKind::in;
  DType dtype = DType::f32;
  std::vector<Expression> shape;  // of sizes only; empty for scalars
  bool zeroed = false;            // init = "zero", for "out" and "inout"
  bool deterministic = true;
  std::variant<Expression, double> value;  // of a scalar
  std::string where;                       // "kernels/softmax/cases.toml:5: param \"y\"", for messages
};

// All that are given must hold; see docs/cases-toml.md, "Tolerances".
struct Tolerance {
  std::optional<double> rtol, atol, ulp, norm, bias;
  double matched = 1.0;  // share of elements that must pass
  bool allow_nan = false;
};

enum class CaseRole { correctness, performance, holdout };

struct CaseSpec {
  std::string name;
  CaseRole role = CaseRole::correctness;
  Variables sizes;
  std::map<std::string, Generator> inputs;      // by parameter
  std::map<std::string, std::string> expected;  // output -> file, where the case needs no reference
  std::optional<std::uint64_t> seed;            // nothing: fresh
  std::map<std::string, Tolerance>
      tolerances;  // by output, every one of them: integers without one are exact (atol = 0)
  std::vector<std::string> backends{"cuda", "host"};
  bool cold = false;
  double weight = 1.0;
  std::string where;  // "kernels/softmax/cases.toml:40: case \"odd\""
};

struct ReferenceSpec {
  SourceSet sources;
  std::vector<LaunchSpec> launches;
  std::vector<WorkspaceSpec> workspaces;
  std::map<std::string, DType> out_dtype;  // outputs that the reference answers in another type
  std::string where;                       // "kernels/softmax/cases.toml:30: reference", for messages
};

// cases.toml (schema kgate.cases/1): the reviewers'.
struct CasesSpec {
  std::string path, folder;
  std::string kernel;  // the kernel's identity
  std::int64_t revision = 1;
  std::vector<ParamSpec> params;
  std::optional<ReferenceSpec> reference;
  std::optional<Expression> work_bytes, work_flops;
  std::vector<CaseSpec> cases;
};

// Throws Error(usage, "PATH:LINE: key", fact, remedy): unknown keys, wrong types, an output without tolerance, an input
// without generator, a case without sizes that its shapes need, duplicate names, a case with neither reference nor
// expected outputs.
CasesSpec parse_cases(std::string_view text, const std::string& path);

}  // namespace kgate::cases
