#include "gate/verdict/qualify/right_answers.h"

#include <fmt/format.h>

#include "base/error.h"

namespace kgate::verdict {
namespace {

constexpr double kRunLimit = 60;  // seconds, as in a check: what takes longer there hangs

Tensor read_expected(const Subject& subject, const cases::CaseSpec& one, const std::string& file, DType dtype,
                     const Shape& shape) {
  cases::Generator generator;
  generator.kind = cases::Generator::Kind::file;
  generator.file = file;
  generator.where = one.where;
  return cases::generate(generator, {dtype, shape, 0, 0, 1}, *subject.cases_tree);
}

}  // namespace

RightAnswers::RightAnswers(const Subject& subject, const QualifyOptions& options)
    : subject_(subject), options_(options), outputs_(outputs_of(subject.cases)), process_(options.child) {
  if (subject_.cases.reference) compile();
}

void RightAnswers::compile() {
  const auto& reference = *subject_.cases.reference;
  const auto files = cases::read_sources(reference.sources, *subject_.cases_tree, subject_.cases.path);
  const Source source{&reference.sources, &files, cases::entries_of(cases::version_of(reference))};
  const auto compiled = compile_all({source}, options_.compiler).front();
  if (compiled->status == runner::Compiled::Status::failed) {
    throw Error(ErrorKind::usage, reference.where, "does not compile: " + compiled->log);
  }
  if (compiled->status != runner::Compiled::Status::ok) {
    throw Error(ErrorKind::environment, reference.where, "does not compile here: " + compiled->log,
                "sign on a machine with a GPU: --backend cuda");
  }
  reference_.emplace(process_, 0, compiled);
}

// Without a reference the shapes are all that is bound.
cases::Binding RightAnswers::bind(const cases::CaseSpec& one) const {
  if (subject_.cases.reference) return cases::bind(subject_.cases, one, cases::version_of(*subject_.cases.reference));
  const cases::KernelSpec nothing;
  return cases::bind(subject_.cases, one, cases::version_of(nothing));
}

std::uint64_t RightAnswers::bytes_of(const cases::CaseSpec& one) const {
  std::uint64_t bytes = 0;
  for (const auto& buffer : bind(one).buffers) bytes += buffer.bytes;
  return bytes;
}

OpenCase RightAnswers::open(const cases::CaseSpec& one) const {
  OpenCase open;
  open.spec = &one;
  open.binding = bind(one);
  require_memory(open.binding, one.where);
  for (const auto& [buffer, param] : outputs_) {
    const auto file = one.expected.find(param->name);
    if (file == one.expected.end()) continue;
    open.files.emplace(buffer, read_expected(subject_, one, file->second, param->dtype, open.binding.shapes[buffer]));
  }
  open.by_reference = open.files.size() < outputs_.size();
  return open;
}

Answers RightAnswers::answer(const OpenCase& open, std::uint64_t seed) {
  Answers answers;
  answers.inputs = make_case_inputs(subject_, *open.spec, seed, options_.threads);
  if (!open.by_reference) return answers;
  reference_->forget_case();
  for (const std::uint8_t poison : kPoison) {
    auto ran = reference_->run(open.binding, answers.inputs, outputs_, poison, kRunLimit);
    const auto& report = ran.report;
    if (report.outcome.unsupported) {
      throw Error(ErrorKind::environment, open.spec->where, "the reference cannot run here: " + report.outcome.fault,
                  "sign on a machine with a GPU: --backend cuda");
    }
    if (!report.outcome.ok) answers.fault = "the reference failed: " + report.outcome.fault;
    if (report.outcome.ok && !report.guards.empty()) answers.fault = "the reference " + report.guards.front().finding;
    if (!answers.fault.empty()) return answers;
    (poison == kPoison[0] ? answers.first : answers.second) = std::move(ran.outputs);
  }
  return answers;
}

ElementView RightAnswers::view(const OpenCase& open, const Outputs& outputs, const OutputParam& output) const {
  const auto& [buffer, param] = output;
  if (const auto file = open.files.find(buffer); file != open.files.end())
    return {file->second.dtype, file->second.data};
  const auto& wider = subject_.cases.reference->out_dtype;
  const auto wide = wider.find(param->name);
  return {wide == wider.end() ? param->dtype : wide->second, outputs.at(buffer).bytes()};
}

ElementView RightAnswers::view(const OpenCase& open, const Answers& answers, const OutputParam& output) const {
  return view(open, answers.first, output);
}

SelfCheck RightAnswers::self_check(const OpenCase& open, const Answers& answers, const OutputParam& output) const {
  const auto& [buffer, param] = output;
  return {param->name,
          param->dtype,
          open.binding.shapes[buffer],
          view(open, answers.first, output),
          view(open, answers.second, output),
          open.files.contains(buffer)};
}

RightAnswer RightAnswers::right_answer(const OpenCase& open, const Answers& answers, const OutputParam& output,
                                       ByteView rounded, ByteView earlier) const {
  const auto& [buffer, param] = output;
  const auto& shapes = open.binding.shapes;
  RightAnswer right;
  right.dtype = param->dtype;
  right.shape = shapes[buffer];
  right.reference = view(open, answers, output);
  right.rounded = rounded;
  right.tolerance = open.spec->tolerances.at(param->name);
  right.earlier = earlier;
  const auto elements = element_count(right.shape, open.spec->where);
  for (const auto& [input, content] : answers.inputs) {
    const ByteView bytes = content.bytes();
    const auto& parameter = open.binding.buffers[input];
    if (input == buffer) {
      right.untouched.emplace(bytes.begin(), bytes.end());
    } else if (element_count(shapes[input], open.spec->where) == elements) {
      right.inputs[parameter.name] = {parameter.dtype, bytes};
    }
  }
  if (param->zeroed && !right.untouched) right.untouched.emplace(rounded.size());
  return right;
}

}  // namespace kgate::verdict
