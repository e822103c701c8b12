#include "gate/stats/partition.h"

#include <algorithm>
#include <cmath>

namespace kgate::stats {
namespace {

// square * level^2 + slope * level + constant, from the previous piece's end to `high`.
struct Piece {
  double high = 0;
  double square = 0, slope = 0, constant = 0;
  std::size_t start = 0;  // of the last segment

  double at(double level) const { return (square * level + slope) * level + constant; }
};

// The cheapest cost as a function of the last segment's level.
class Cost {
 public:
  Cost(double low, double high) : low_(low) { pieces_.push_back({high, 0, 0, 0, 0}); }

  struct Least {
    double cost = 0;
    std::size_t start = 0;
  };

  Least least() const {
    Least least{HUGE_VAL, 0};
    double low = low_;
    for (const Piece& piece : pieces_) {
      const double level = piece.square > 0 ? std::clamp(-piece.slope / (2 * piece.square), low, piece.high) : low;
      const double cost = piece.at(level);
      if (cost < least.cost) least = {cost, piece.start};
      low = piece.high;
    }
    return least;
  }

  // Where a new segment from `start` on is cheaper, it takes the place.
  void restart(double cost, std::size_t start) {
    const Piece fresh{0, 0, 0, cost, start};
    double low = low_;
    next_.clear();
    for (const Piece& piece : pieces_) {
      if (piece.square > 0) {
        const double middle = -piece.slope / (2 * piece.square);
        const double room = (cost - piece.at(middle)) / piece.square;
        const double half = room > 0 ? std::sqrt(room) : -1;
        if (half > 0 && middle + half > low && middle - half < piece.high) {
          append(fresh, low, std::min(middle - half, piece.high));
          append(piece, std::max(low, middle - half), std::min(middle + half, piece.high));
          append(fresh, std::max(low, middle + half), piece.high);
        } else {
          append(fresh, low, piece.high);
        }
      } else {
        append(piece.constant <= cost ? piece : fresh, low, piece.high);
      }
      low = piece.high;
    }
    pieces_.swap(next_);
  }

  void add(double value, double bound) {
    double low = low_;
    next_.clear();
    for (const Piece& piece : pieces_) {
      Piece far = piece, near = piece;
      far.constant += bound * bound;
      near.square += 1;
      near.slope -= 2 * value;
      near.constant += value * value;
      append(far, low, std::min(piece.high, value - bound));
      append(near, std::max(low, value - bound), std::min(piece.high, value + bound));
      append(far, std::max(low, value + bound), piece.high);
      low = piece.high;
    }
    pieces_.swap(next_);
  }

 private:
  void append(Piece piece, double low, double high) {
    if (!(high > low)) return;
    piece.high = high;
    if (!next_.empty()) {
      Piece& last = next_.back();
      if (last.start == piece.start && last.square == piece.square && last.slope == piece.slope &&
          last.constant == piece.constant) {
        last.high = high;
        return;
      }
    }
    next_.push_back(piece);
  }

  double low_;
  std::vector<Piece> pieces_, next_;
};

}  // namespace

std::vector<std::size_t> partition(std::span<const double> values, const PartitionOptions& options) {
  if (values.empty()) return {};
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  // Around zero, so that the parabolas' constants stay small.
  const double middle = (*least + *most) / 2, half = (*most - *least) / 2 + options.bound;
  Cost cost(-half, half);
  std::vector<std::size_t> last(values.size() + 1);  // of the first i values: where the last segment starts
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i > 0) {
      const auto so_far = cost.least();
      last[i] = so_far.start;
      cost.restart(so_far.cost + options.penalty, i);
    }
    cost.add(values[i] - middle, options.bound);
  }
  std::vector<std::size_t> starts{cost.least().start};
  while (starts.back() > 0) starts.push_back(last[starts.back()]);
  std::reverse(starts.begin(), starts.end());
  return starts;
}

}  // namespace kgate::stats
