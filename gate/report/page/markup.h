#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "gate/verdict/result/verdict.h"

// The page's bricks. What they return is markup; what they are given is foreign text, unless it says markup.
namespace kgate::report {

// How much more the page may hold, in bytes.
class Room {
 public:
  explicit Room(std::size_t bytes) : left_(bytes) {}
  // The markup where there is room for it, which then is taken; else `otherwise`.
  std::string take(std::string markup, const char* otherwise = "");
  bool has(std::size_t bytes) const { return bytes <= left_; }

 private:
  std::size_t left_;
};

// The id of the shape that stands for a verdict, for those who do not see its colour.
const char* sign_of(verdict::Verdict verdict);
// "good", "doubtful", "bad": its colour.
const char* tone_class(verdict::Verdict verdict);
// Shape and word.
std::string badge(verdict::Verdict verdict);
// The shapes, once a page.
std::string shapes();

// Pairs of a name and markup; those without markup are left out. Nothing where none is left.
using Facts = std::vector<std::pair<std::string, std::string>>;
std::string facts_list(const Facts& facts);

struct Cell {
  std::string markup;
  bool number = false;
};
struct Table {
  std::string caption;
  std::vector<std::string> head;        // said again beside each cell on a phone
  std::vector<std::vector<Cell>> rows;  // each as long as the head
};
// Without the columns that are empty in every row; nothing where there are no rows.
std::string table_of(const Table& table);

// Foreign text of many lines, as it stands there; says how many lines are left out. A diff's lines have their colours.
enum class Block { plain, diff };
std::string block_of(const std::string& text, Block kind = Block::plain);

// One to be opened by a click.
std::string fold(const std::string& summary_markup, const std::string& markup, bool open = false);

// The first digits of a commit or digest, the whole of it in the title.
std::string short_hash(const std::string& hash);

}  // namespace kgate::report
