#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// A thin reader over toml++, which stays out of every header: the tree is copied once into nodes that know their line,
// and readers walk it with typed access. Every complaint has the subject "PATH:LINE: key" and says what to do.
namespace kgate {

struct TomlNode {
  enum class Kind { text, integer, number, boolean, array, table, date };
  Kind kind = Kind::table;
  std::uint32_t line = 1, column = 1;  // where the value begins; columns are code points
  std::string text;  // of a string; of a date "2027-12-31", empty for times of day
  std::int64_t integer = 0;
  double number = 0;
  bool boolean = false;
  std::vector<TomlNode> items;     // of an array or a table
  std::vector<std::string> names;  // of a table's items, sorted
};

// A value with its place. Points into the document, which must outlive it.
class TomlReader {
 public:
  using Kind = TomlNode::Kind;

  TomlReader(const TomlNode& node, const std::string& path, std::string key)
      : node_(&node), path_(&path), key_(std::move(key)) {}

  const std::string& key() const { return key_; }
  std::uint32_t line() const { return node_->line; }
  std::uint32_t column() const { return node_->column; }
  Kind kind() const { return node_->kind; }
  const std::string& path() const { return *path_; }
  // "kernels/softmax/kernel.toml:12: launch[0].entry"
  std::string where() const;
  // "kernels/softmax/kernel.toml:12: launch[0].entry" for a key that is not there
  std::string where(const std::string& name) const;
  [[noreturn]] void fail(const std::string& fact, const std::string& hint = {}) const;

  // Typed values; another type is an error that names both.
  const std::string& text() const;
  std::int64_t integer() const;
  double number() const;  // an integer is a number too
  bool boolean() const;
  const std::string& date() const;                                  // "2027-12-31"
  std::vector<TomlReader> items() const;                            // of an array
  std::vector<std::pair<std::string, TomlReader>> entries() const;  // of a table, sorted by name
  std::vector<std::string> texts() const;                           // of an array of strings
  bool is(Kind kind) const { return node_->kind == kind; }

  // Of a table.
  std::optional<TomlReader> find(const std::string& name) const;
  TomlReader require(const std::string& name, const std::string& hint) const;
  // Refuses every key but these, and names the nearest one.
  void allow_only(const std::vector<std::string>& known) const;

  // One of a few words, as its index.
  std::size_t choice(const std::vector<std::string>& words) const;
  // An array of tables (or of anything else), at most `limit` long; empty where there is no such key.
  std::vector<TomlReader> list(const std::string& name, std::size_t limit) const;

 private:
  void need(Kind kind) const;

  const TomlNode* node_;
  const std::string* path_;
  std::string key_;
};

class TomlDocument {
 public:
  // At most 1 MiB. Throws Error(usage, "PATH:LINE", "is not TOML: ...").
  TomlDocument(std::string_view text, std::string path);
  TomlReader root() const { return {root_, path_, ""}; }

 private:
  std::string path_;
  TomlNode root_;
};

// The schema comes first: a file of a newer kgate is told as such, not by the first key that this one does not know.
void check_schema(const TomlReader& root, const std::string& schema);

}  // namespace kgate
