#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include "gate/cases/job.h"
#include "gate/cases/sources.h"
#include "tests/examples/example.h"
#include "tests/support/catch.h"

namespace {

using kgate::cases::Binding;
using kgate::cases::CaseRole;
using kgate::cases::CaseSpec;
using kgate::cases::ParamKind;

std::uint64_t bytes_of(const Binding& binding) {
  return std::accumulate(binding.buffers.begin(), binding.buffers.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const kgate::runner::Buffer& buffer) { return sum + buffer.bytes; });
}

bool runs_on(const CaseSpec& one, const std::string& backend) {
  return std::find(one.backends.begin(), one.backends.end(), backend) != one.backends.end();
}

}  // namespace

TEST_CASE("there are examples of the kernels that matter, named like their folders") {
  std::set<std::string> names;
  for (const auto& one : example::all()) {
    CHECK(one.name == one.cases.kernel);
    names.insert(one.name);
  }
  for (const char* name : {"saxpy", "softmax", "layernorm", "sgemm", "hgemm", "reduce", "transpose", "stencil3d",
                           "scan", "histogram", "topk", "embedding", "rope", "row_norm", "dot"}) {
    INFO(name);
    CHECK(names.count(name) == 1);
  }
}

TEST_CASE("every example's sources and headers are there") {
  for (const auto& one : example::all()) {
    INFO(one.name);
    CHECK(read_sources(one.kernel.sources, example::tree(), one.kernel.path).size() >= 2);
    REQUIRE(one.cases.reference.has_value());
    CHECK_FALSE(read_sources(one.cases.reference->sources, example::tree(), one.cases.path).empty());
  }
}

TEST_CASE("every case of every example binds, for the kernel and for its reference, with equal shapes") {
  for (const auto& one : example::all()) {
    for (const CaseSpec& spec : one.cases.cases) {
      INFO(spec.where);
      const Binding kernel = bind(one.cases, spec, version_of(one.kernel));
      const Binding reference = bind(one.cases, spec, version_of(*one.cases.reference));
      CHECK(kernel.launches.size() == one.kernel.launches.size());
      CHECK(reference.launches.size() == one.cases.reference->launches.size());
      const auto tensors =
          static_cast<std::size_t>(std::count_if(one.cases.params.begin(), one.cases.params.end(),
                                                 [](const auto& param) { return param.kind != ParamKind::scalar; }));
      REQUIRE(kernel.shapes.size() >= tensors);
      REQUIRE(reference.shapes.size() >= tensors);
      for (std::size_t i = 0; i < tensors; ++i) CHECK(kernel.shapes[i] == reference.shapes[i]);
    }
  }
}

TEST_CASE("every value that a search may choose for an example binds too") {
  for (auto one : example::all()) {
    for (const auto& [name, values] : one.kernel.tunables) {
      const std::string usual = one.kernel.sources.defines.at(name);
      CHECK(std::find(values.begin(), values.end(), usual) != values.end());
      for (const std::string& value : values) {
        INFO(one.name << ": " << name << " = " << value);
        one.kernel.sources.defines[name] = value;
        for (const CaseSpec& spec : one.cases.cases) {
          CHECK_NOTHROW(bind(one.cases, spec, version_of(one.kernel)));
        }
      }
      one.kernel.sources.defines[name] = usual;
    }
  }
}

TEST_CASE("every example is checked with fresh inputs, and timed on a GPU") {
  std::size_t cases = 0, timed = 0, held_back = 0;
  for (const auto& one : example::all()) {
    INFO(one.name);
    std::size_t checked = 0, timed_here = 0;
    for (const CaseSpec& spec : one.cases.cases) {
      INFO(spec.where);
      CHECK_FALSE(spec.seed.has_value());
      CHECK(runs_on(spec, "cuda") + runs_on(spec, "host") > 0);
      if (spec.role == CaseRole::correctness) ++checked;
      if (spec.role == CaseRole::holdout) ++held_back;
      if (spec.role == CaseRole::performance && runs_on(spec, "cuda")) ++timed_here;
    }
    CHECK(checked >= 2);
    CHECK(timed_here >= 1);
    CHECK(one.cases.work_bytes.has_value());
    cases += one.cases.cases.size();
    timed += timed_here;
  }
  CHECK(cases >= 30);
  CHECK(timed >= 12);
  CHECK(held_back >= 3);
}

TEST_CASE("all examples but those of tensor cores and CUB are timed on the host backend too") {
  for (const auto& one : example::all()) {
    INFO(one.name);
    const bool timed = std::any_of(one.cases.cases.begin(), one.cases.cases.end(), [](const CaseSpec& spec) {
      return spec.role == CaseRole::performance && runs_on(spec, "host");
    });
    CHECK(timed == (one.name != "hgemm" && one.name != "row_norm"));
  }
}

TEST_CASE("no case of an example needs more than 128 MiB") {
  for (const auto& one : example::all()) {
    for (const CaseSpec& spec : one.cases.cases) {
      INFO(spec.where);
      CHECK(bytes_of(bind(one.cases, spec, version_of(one.kernel))) <= std::uint64_t{128} << 20);
    }
  }
}

TEST_CASE("the inputs of every correctness case of an example can be made") {
  for (const auto& one : example::all()) {
    for (const CaseSpec& spec : one.cases.cases) {
      if (spec.role == CaseRole::performance) continue;
      INFO(spec.where);
      const Binding binding = bind(one.cases, spec, version_of(one.kernel));
      for (const auto& [buffer, tensor] : make_inputs(one.cases, spec, 1, 1, example::tree())) {
        CHECK(tensor.data.size() == binding.buffers.at(buffer).bytes);
      }
    }
  }
}

TEST_CASE("the ids of the embedding example stay within its table") {
  for (const auto& one : example::all()) {
    if (one.name != "embedding") continue;
    for (const CaseSpec& spec : one.cases.cases) {
      INFO(spec.where);
      const auto inputs = make_inputs(one.cases, spec, 7, 1, example::tree());
      const kgate::Tensor& ids = inputs.at(2);
      for (std::size_t at = 0; at < ids.data.size(); at += 4) {
        const double id = load_element(ids.dtype, ids.data.data() + at);
        REQUIRE(id >= 0);
        REQUIRE(id < static_cast<double>(spec.sizes.at("vocabulary")));
      }
    }
  }
}

TEST_CASE("the variants of the demo define the kernels of the examples") {
  std::size_t variants = 0;
  for (const std::string& path : example::tree().list("variants")) {
    const std::string file = path.substr(path.rfind('/') + 1);
    const std::string name = file.substr(0, file.rfind('.'));
    INFO(path);
    const std::string changed = example::text_of(path);
    CHECK(changed != example::text_of("kernels/" + name + "/" + file));
    CHECK(changed.find("void " + name + "(") != std::string::npos);
    ++variants;
  }
  CHECK(variants >= 4);
}
