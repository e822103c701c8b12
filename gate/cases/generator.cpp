#include "gate/cases/generator.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <new>
#include <system_error>
#include <thread>

#include <fmt/format.h>

#include "base/error.h"
#include "gate/cases/array_file.h"
#include "gate/cases/generator_check.h"
#include "gate/cases/normal.h"
#include "gate/cases/permutation.h"
#include "gate/cases/random_words.h"
#include "gate/cases/values.h"

// Every element is a function of (seed, stream, index): so threads may share the work in any way, and a failing element
// can be made again by itself. The work is cut into batches that fit the first cache: random words, then values in f64,
// then one rounding into the tensor.
namespace kgate::cases {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kBatch = 1024;
constexpr std::uint64_t kWorthThread = 1 << 16;  // elements; starting a thread costs as much as some thousand values

// What a generator draws beside its values has a lane of words of its own.
enum Lane : std::uint32_t { kValues = 0, kPlaces = 1, kTurn = 2, kOrder = 3, kAgain = 16 };

void store_batch(DType dtype, const double* values, std::uint64_t count, std::byte* target) {
  switch (dtype) {
    case DType::f64:
      std::memcpy(target, values, count * sizeof(double));
      return;
    case DType::f32: {
      std::array<float, kBatch> narrow;
      for (std::uint64_t i = 0; i < count; ++i) narrow[i] = static_cast<float>(values[i]);
      std::memcpy(target, narrow.data(), count * sizeof(float));
      return;
    }
    default: {
      const std::size_t size = size_of(dtype);
      for (std::uint64_t i = 0; i < count; ++i) store_element(dtype, values[i], target + i * size);
    }
  }
}

// Calls work(begin, end) for stretches that begin at multiples of kBatch, in up to `threads` threads. `work` throws
// nothing.
template <typename Work>
void in_threads(std::uint64_t count, unsigned threads, const Work& work) {
  const std::uint64_t parts = std::clamp<std::uint64_t>(count / kWorthThread, 1, std::max(1U, threads));
  const std::uint64_t batches = (count + kBatch - 1) / kBatch;
  const auto begin_of = [&](std::uint64_t part) { return std::min(count, batches * part / parts * kBatch); };
  std::vector<std::jthread> others;
  std::uint64_t part = 1;
  try {
    for (; part < parts; ++part) {
      others.emplace_back([&work, begin = begin_of(part), end = begin_of(part + 1)] { work(begin, end); });
    }
  } catch (const std::system_error&) {
    work(begin_of(part), count);  // no more threads on this machine: what is left is done here
  }
  work(0, begin_of(1));
}

class Maker {
 public:
  Maker(const Generator& generator, const GeneratorRequest& request, Tensor& tensor)
      : generator_(generator),
        request_(request),
        tensor_(tensor),
        count_(tensor.data.size() / size_of(request.dtype)),
        words_(request.seed, static_cast<std::uint32_t>(request.stream)) {}

  void make() {
    const double a = generator_.a, b = generator_.b;
    switch (generator_.kind) {
      case Generator::Kind::normal:
        return normal([a, b](double z) { return a + b * z; });
      case Generator::Kind::uniform:
        return uniform();
      case Generator::Kind::integers:
        return integers();
      case Generator::Kind::constant:
        return from_index([a](std::uint64_t) { return a; });
      case Generator::Kind::arange:
        return from_index([a, b](std::uint64_t i) { return a + static_cast<double>(i) * b; });
      case Generator::Kind::permutation:
        return permutation();
      case Generator::Kind::special:
        return special();
      case Generator::Kind::file:
      case Generator::Kind::safetensors:
        return;
    }
  }

 private:
  // value(index, word) -> f64, with a random word for each element.
  template <typename Value>
  void from_words(const Value& value) {
    each_batch([&](std::uint64_t first, std::uint64_t count, double* values) {
      std::array<std::uint64_t, kBatch> words;
      words_.fill(first, count, words.data());
      for (std::uint64_t i = 0; i < count; ++i) values[i] = value(first + i, words[i]);
    });
  }

  // value(z) -> f64, with a standard normal number for each element.
  template <typename Value>
  void normal(const Value& value) {
    each_batch([&](std::uint64_t first, std::uint64_t count, double* values) {
      std::array<std::uint64_t, kBatch> words;
      words_.fill(first, count, words.data());
      standard_normals(words.data(), count, values);
      for (std::uint64_t i = 0; i < count; ++i) values[i] = value(values[i]);
    });
  }

  template <typename Value>
  void from_index(const Value& value) {
    each_batch([&](std::uint64_t first, std::uint64_t count, double* values) {
      for (std::uint64_t i = 0; i < count; ++i) values[i] = value(first + i);
    });
  }

  template <typename Batch>
  void each_batch(const Batch& batch) {
    const std::size_t size = size_of(request_.dtype);
    in_threads(count_, request_.threads, [&](std::uint64_t begin, std::uint64_t end) {
      std::array<double, kBatch> values;
      for (std::uint64_t first = begin; first < end; first += kBatch) {
        const std::uint64_t count = std::min(kBatch, end - first);
        batch(first, count, values.data());
        store_batch(request_.dtype, values.data(), count, tensor_.data.data() + first * size);
      }
    });
  }

  // Rounding may reach the high end, which is excluded: the largest value of the type under it stands for what does.
  void uniform() {
    const double low = generator_.a, width = generator_.b - generator_.a;
    const double most = largest_below(request_.dtype, generator_.b);
    from_words([=](std::uint64_t, std::uint64_t word) {
      return std::min(low + width * (static_cast<double>(word >> 11) * 0x1p-53), most);
    });
  }

  // Lemire's method, "Fast Random Integer Generation in an Interval" (2019), with a lane of new words for each
  // rejection.
  void integers() {
    const double low = generator_.a;
    const auto range = static_cast<std::uint64_t>(generator_.b - generator_.a) + 1;
    const std::uint64_t threshold = (0 - range) % range;
    from_words([=, this](std::uint64_t i, std::uint64_t word) {
      Wide product = Wide{word} * range;
      for (std::uint32_t lane = kAgain; static_cast<std::uint64_t>(product) < threshold; ++lane) {
        product = Wide{words_.at(i, lane)} * range;
      }
      return low + static_cast<double>(static_cast<std::uint64_t>(product >> 64));
    });
  }

  void permutation() {
    if (count_ > exact_counts(request_.dtype)) {
      throw Error(ErrorKind::usage, generator_.where,
                  fmt::format("has {} elements, and {} holds every integer only up to {}", count_,
                              name_of(request_.dtype), exact_counts(request_.dtype) - 1),
                  "use a wider type, or fewer elements");
    }
    if (count_ == 0) return;
    const Permutation order(count_, words_, kOrder);
    from_index([&order](std::uint64_t i) { return static_cast<double>(order.at(i)); });
  }

  // Elements are taken in groups of eight (fewer, where otherwise not every special would have its turn); one of each
  // group is special.
  void special() {
    const bool positive = !fits(request_.dtype, -1.0);
    normal([positive](double z) { return positive && z < 0 ? -z : z; });
    const std::uint64_t kinds = generator_.specials.size(), group = std::clamp<std::uint64_t>(count_ / kinds, 1, 8);
    std::vector<ElementBytes> values;
    for (const std::string& name : generator_.specials) values.push_back(*special_value(request_.dtype, name));
    const std::uint64_t turn = words_.at(0, kTurn) % kinds;
    const std::size_t size = size_of(request_.dtype);
    for (std::uint64_t g = 0; g * group < count_; ++g) {
      const std::uint64_t place = g * group + words_.at(g, kPlaces) % group;
      if (place < count_) std::memcpy(tensor_.data.data() + place * size, values[(g + turn) % kinds].data(), size);
    }
  }

  const Generator& generator_;
  const GeneratorRequest& request_;
  Tensor& tensor_;
  std::uint64_t count_;
  RandomWords words_;
};

void check_arange(const Generator& generator, DType dtype, std::uint64_t count) {
  if (count == 0) return;
  const double last = generator.a + static_cast<double>(count - 1) * generator.b;
  if (!fits(dtype, last)) {
    throw Error(ErrorKind::usage, generator.where,
                fmt::format("gives {} for element {}, which does not fit {}", last, count - 1, name_of(dtype)),
                "use values that the type holds");
  }
}

Tensor empty_tensor(const GeneratorRequest& request, std::uint64_t count, const std::string& where) {
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 40;  // not even asked for
  const std::uint64_t bytes = count * size_of(request.dtype);
  try {
    if (bytes <= kMostBytes) return {request.dtype, request.shape, Bytes(bytes)};
  } catch (const std::bad_alloc&) {
    // told below
  }
  throw Error(ErrorKind::environment, where,
              fmt::format("needs {} bytes of memory, which this machine does not give", bytes), "use smaller sizes");
}

}  // namespace

Tensor generate(const Generator& generator, const GeneratorRequest& request, const FileTree& tree) {
  const std::uint64_t count = element_count(request.shape, generator.where);
  if (request.stream > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::internal, generator.where, "has a stream number over 2^32");
  }
  check_generator(generator, request.dtype);
  if (generator.kind == Generator::Kind::file || generator.kind == Generator::Kind::safetensors) {
    return read_array(generator, request.dtype, request.shape, tree);
  }
  if (generator.kind == Generator::Kind::arange) check_arange(generator, request.dtype, count);
  Tensor tensor = empty_tensor(request, count, generator.where);
  Maker(generator, request, tensor).make();
  return tensor;
}

}  // namespace kgate::cases
