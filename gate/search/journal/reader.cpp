#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/file.h"
#include "gate/search/journal/journal.h"

namespace kgate::search::journal {
namespace {

constexpr std::uint64_t kMostBytes = 256 << 20, kMostOfALine = 16 << 20;
constexpr std::size_t kMostLines = 200000;

constexpr const char* kRemedy = "somebody changed the file: begin anew with an empty folder";

// What lines must keep among each other.
class Order {
 public:
  void check(const Line& line, const std::string& subject) {
    subject_ = &subject;
    std::visit([&](const auto& one) { take(one); }, line);
  }

 private:
  [[noreturn]] void fail(const std::string& fact) const { throw Error(ErrorKind::usage, *subject_, fact, kRemedy); }

  void take(const Header&) const { fail("is a second header"); }
  void take(const Proposed& one) {
    if (one.number != proposed_ + 1)
      fail(
          fmt::format("proposal {} follows proposal {}; they are numbered one after the other", one.number, proposed_));
    const bool belongs = one.repair_of != 0 || one.ablation_of != 0;
    if (belongs ? one.iteration < 1 || one.iteration > iteration_ : one.iteration != iteration_ + 1)
      fail(fmt::format("iteration {} follows iteration {}", one.iteration, iteration_));
    if (one.repair_of > proposed_ || one.ablation_of > proposed_)
      fail(fmt::format("proposal {} belongs to a later one", one.number));
    proposed_ = one.number;
    iteration_ = std::max(iteration_, one.iteration);
    passed(one.wall_s);
  }
  void take(const Judged& one) {
    if (one.number > proposed_) fail(fmt::format("judges proposal {}, which is not there", one.number));
    if (!judged_.insert(one.number).second) fail(fmt::format("judges proposal {} a second time", one.number));
    if (one.number != 0 && judged_.count(0) == 0) fail("judges a proposal before the baseline");
    passed(one.wall_s);
  }
  void take(const Unanswered& one) {
    if (one.repair_of > proposed_) fail(fmt::format("repairs proposal {}, which is not there", one.repair_of));
    passed(one.wall_s);
  }
  void take(const Resumed& one) { passed(one.wall_s); }
  void take(const Stopped& one) { passed(one.wall_s); }

  void passed(double wall_s) {
    if (wall_s < wall_s_) fail("is dated before the line above it");
    wall_s_ = wall_s;
  }

  const std::string* subject_ = nullptr;
  std::int64_t proposed_ = 0, iteration_ = 0;
  double wall_s_ = 0;
  std::set<std::int64_t> judged_;
};

}  // namespace

Recorded read_journal(std::string_view text, const std::string& subject) {
  Recorded recorded;
  Order order;
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string_view::npos) break;
    const std::string where = fmt::format("{}:{}", subject, ++number);
    if (end - at > kMostOfALine || number > kMostLines)
      throw Error(ErrorKind::usage, where, "is longer than any journal that kgate writes", kRemedy);
    Line line = line_from(parse_json(text.substr(at, end - at), where), where);
    if (number > 1) {
      order.check(line, where);
      recorded.lines.push_back(std::move(line));
    } else if (auto* header = std::get_if<Header>(&line)) {
      recorded.header = std::move(*header);
    } else {
      throw Error(ErrorKind::usage, where, "is no header, and a journal begins with one", kRemedy);
    }
    at = end + 1;
    recorded.bytes = at;
  }
  return recorded;
}

Recorded read_journal(const std::filesystem::path& path) {
  const Bytes text = read_file(path, kMostBytes);
  return read_journal(text_of(text), path.string());
}

}  // namespace kgate::search::journal
