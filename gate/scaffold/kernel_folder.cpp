#include "gate/scaffold/kernel_folder.h"

#include <algorithm>
#include <filesystem>

#include <fmt/format.h>

#include "base/quote.h"

namespace kgate::scaffold {
namespace {

bool is_size(const EntryParameter& one) {
  return !one.pointer && one.dtype && !is_float(*one.dtype) && *one.dtype != DType::boolean;
}
bool is_output(const EntryParameter& one) {
  return one.writable;
}
bool is_input(const EntryParameter& one) {
  return one.pointer && !one.writable;
}

std::vector<std::string> sizes_of(const Entry& entry) {
  std::vector<std::string> sizes;
  for (const auto& one : entry.parameters) {
    if (is_size(one)) sizes.push_back(one.name);
  }
  return sizes.empty() ? std::vector<std::string>{"n"} : sizes;
}

// Where one size is all there is, everything is as long as it says.
std::string extent_of(const Entry& entry) {
  const auto sizes = sizes_of(entry);
  return sizes.size() == 1 ? sizes.front() : kFillIn;
}

std::string relative_to(const std::string& folder, const std::string& path) {
  return std::filesystem::path(path).lexically_relative(folder).generic_string();
}

std::string list_of(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& name : names) text += (text.empty() ? "" : ", ") + kgate::quoted(name);
  return "[" + text + "]";
}

std::string kernel_toml(const std::string& folder, const Entry& entry, const KernelSource& source) {
  const auto beside = std::filesystem::path(source.path).parent_path();
  std::vector<std::string> headers;
  for (const auto& name : source.includes)
    headers.push_back(relative_to(folder, (beside / name).lexically_normal().generic_string()));
  std::string text =
      "# How it is compiled and launched: the kernel's author's. docs/kernel-toml.md has every key.\n"
      "schema  = \"kgate.kernel/1\"\nkind    = \"cuda\"\n";
  text += fmt::format("sources = {}\n", list_of({relative_to(folder, source.path)}));
  if (!headers.empty()) text += fmt::format("headers = {}\n", list_of(headers));
  const std::string extent = extent_of(entry);
  text += fmt::format("\n[[launch]]\nentry = {}\n",
                      kgate::quoted(entry.name + (entry.templated ? std::string("<") + kFillIn + ">" : "")));
  text += fmt::format("grid  = [{}, 1, 1]     # expressions over the sizes of cases.toml and the defines\n",
                      kgate::quoted(extent == kFillIn ? kFillIn : "ceil_div(" + extent + ", 256)"));
  return text + "block = [256, 1, 1]\n";
}

// Each float its own, and none that leaves a product or a sum as it is: with 1 everywhere many a wrong kernel is right.
std::string factor_of(const EntryParameter& one, const Entry& entry) {
  int before = 0;
  for (const auto& other : entry.parameters) {
    if (other.name == one.name) break;
    before += !other.pointer && other.dtype && is_float(*other.dtype) ? 1 : 0;
  }
  return fmt::format("value = {:.2f}  # a guess\n", (before % 2 == 0 ? 1.25 : -0.75) + 0.5 * before);
}

std::string parameter_text(const EntryParameter& one, const Entry& entry) {
  const std::string dtype = one.dtype ? std::string(name_of(*one.dtype)) : kFillIn;
  std::string text = fmt::format("[[param]]\nname  = {}\n", kgate::quoted(one.name));
  const std::string why =
      one.dtype ? "" : "  # " + one.type + ": docs/cases-toml.md has the types that a case can have";
  if (!one.pointer) {
    text += fmt::format("kind  = \"scalar\"\ndtype = {}{}\n", kgate::quoted(dtype), why);
    if (is_size(one)) return text + fmt::format("value = {}\n", kgate::quoted(one.name));
    return text + (one.dtype && is_float(*one.dtype) ? factor_of(one, entry) : std::string("value = 1\n"));
  }
  text += is_output(one) ? "kind  = \"out\"       # \"inout\" where the kernel reads it, too\n" : "kind  = \"in\"\n";
  text += fmt::format("dtype = {}{}\nshape = [{}]", kgate::quoted(dtype), why, kgate::quoted(extent_of(entry)));
  if (one.lanes > 1)
    return text + fmt::format("  # in elements of {}, of which {} has {}\n", dtype, one.type, one.lanes);
  const auto sizes = sizes_of(entry);
  return text + (sizes.size() == 1 ? "\n" : fmt::format("  # of {}\n", fmt::join(sizes, ", ")));
}

std::string inputs_of(const Entry& entry) {
  std::vector<std::string> inputs;
  for (const auto& one : entry.parameters) {
    if (!is_input(one)) continue;
    const char* how = !one.dtype || is_float(*one.dtype) ? "normal = [0.0, 1.0]"
                      : *one.dtype == DType::boolean     ? "integers = [0, 1]"
                                                         : "integers = [0, 100]";
    inputs.push_back(fmt::format("{} = {{ {} }}", one.name, how));
  }
  return fmt::format("inputs = {{ {} }}\n", fmt::join(inputs, ", "));
}

// Guesses: some units in the last place of the type, to be replaced by what the computation needs.
std::string tolerance_of(const Entry& entry) {
  std::vector<std::string> tolerances;
  for (const auto& one : entry.parameters) {
    if (!is_output(one) || (one.dtype && !is_float(*one.dtype))) continue;
    const DType type = one.dtype.value_or(DType::f32);
    const char* how = size_of(type) == 8   ? "rtol = 1e-13, atol = 1e-14"
                      : size_of(type) == 4 ? "rtol = 1e-5, atol = 1e-6"
                      : size_of(type) == 2 ? "rtol = 1e-2, atol = 1e-3"
                                           : "rtol = 1e-1, atol = 1e-2";
    tolerances.push_back(fmt::format("{} = {{ {} }}", one.name, how));
  }
  if (tolerances.empty()) return {};
  return fmt::format("tolerance = {{ {} }}  # a guess\n", fmt::join(tolerances, ", "));
}

std::string case_text(const Entry& entry, const char* name, const char* role, std::int64_t all) {
  const auto sizes = sizes_of(entry);
  std::vector<std::string> values;
  for (const auto& size : sizes) {
    // Odd sizes find what an even division hides; with several of them the product stays about the same.
    const std::int64_t odd[] = {all, 31, 37, 5};
    const std::int64_t large[] = {all, 1024, 1024, 1};
    const auto at = std::min<std::size_t>(values.size() + 1, 3);
    const bool is_odd = all % 2 == 1;
    values.push_back(fmt::format("{} = {}", size, sizes.size() == 1 ? all : (is_odd ? odd[at] : large[at])));
  }
  return fmt::format("[[case]]\nname  = {}\nrole  = {}\nsizes = {{ {} }}\n{}seed  = \"fresh\"\n{}", kgate::quoted(name),
                     kgate::quoted(role), fmt::join(values, ", "), inputs_of(entry), tolerance_of(entry));
}

std::string cases_toml(const Entry& entry, const KernelSource& source) {
  std::string text = fmt::format(
      "# What {} of {} must compute: the reviewers'. Begun by kgate init: complete what says {}, look at\n"
      "# sizes, inputs and tolerances, write reference.cu, then: kgate check {}. docs/cases-toml.md has every key.\n"
      "schema   = \"kgate.cases/1\"\nkernel   = {}\nrevision = 1\n\n",
      entry.name, source.path, kFillIn, short_name(entry), kgate::quoted(short_name(entry)));
  for (const auto& one : entry.parameters) text += parameter_text(one, entry);
  text += fmt::format(
      "\n[reference]\nsources = [\"reference.cu\"]\nentry   = {}\ngrid    = [1, 1, 1]\nblock   = [1, 1, 1]\n\n",
      kgate::quoted(short_name(entry) + "_reference"));
  return text + case_text(entry, "odd", "correctness", 1003) + "\n" + case_text(entry, "large", "performance", 1048576);
}

std::string reference_cu(const Entry& entry) {
  std::vector<std::string> parameters;
  for (const auto& one : entry.parameters) parameters.push_back(one.type + " " + one.name);
  return fmt::format(
      "// What is right, written simply and slowly: every output of the kernel is compared with it. It takes the same\n"
      "// parameters, and may answer in a wider type ([reference] out_dtype).\n"
      "#error \"write the reference of {0}, and take this line out\"\n"
      "__global__ void {0}_reference({1}) {{\n}}\n",
      short_name(entry), fmt::join(parameters, ", "));
}

constexpr const char* kSaxpy = R"(__global__ void saxpy(float* z, const float* x, const float* y, float a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) z[i] = a * x[i] + y[i];
}
)";
constexpr const char* kSaxpyReference =
    R"(// What is right, written simply and slowly: every output of the kernel is compared with it.
__global__ void saxpy_reference(double* z, const float* x, const float* y, float a, int n) {
  for (int i = 0; i < n; ++i) z[i] = double(a) * x[i] + y[i];
}
)";

}  // namespace

std::string short_name(const Entry& entry) {
  const auto colon = entry.name.rfind(':');
  return colon == std::string::npos ? entry.name : entry.name.substr(colon + 1);
}

std::vector<NewFile> kernel_folder(const std::string& folder, const Entry& entry, const KernelSource& source) {
  return {{folder + "/kernel.toml", kernel_toml(folder, entry, source), "how it is compiled and launched"},
          {folder + "/cases.toml", cases_toml(entry, source), "what is right, with guesses to look at"},
          {folder + "/reference.cu", reference_cu(entry), "the reference, which is yours to write"}};
}

std::vector<NewFile> sample_kernel() {
  const std::string folder = "kernels/saxpy";
  const Entry entry = find_entries(kSaxpy).front();
  const KernelSource source{folder + "/saxpy.cu", {}};
  std::string cases = cases_toml(entry, source);
  const std::string one_reference = "[reference]\n";
  cases.insert(cases.find(one_reference) + one_reference.size(), "out_dtype = { z = \"f64\" }\n");
  return {{source.path, kSaxpy, "a kernel to begin with"},
          {folder + "/kernel.toml", kernel_toml(folder, entry, source), "how it is compiled and launched"},
          {folder + "/cases.toml", cases, "what is right"},
          {folder + "/reference.cu", kSaxpyReference, "its reference"}};
}

}  // namespace kgate::scaffold
