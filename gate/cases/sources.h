#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/file_tree.h"

namespace kgate::cases {

// What is compiled: of a candidate (kernel.toml) or of a reference (cases.toml, [reference]). Paths are from the
// repository's root.
struct SourceSet {
  std::string kind = "cuda";  // "cuda", "ptx" or "cubin"
  std::vector<std::string> sources;
  std::vector<std::string> headers;       // patterns
  std::vector<std::string> include_dirs;  // folders
  std::string standard = "c++17";
  std::vector<std::string> options;
  std::map<std::string, std::string> defines;  // values as the compiler sees them: 256, "text", true -> 1
  std::string architecture;                    // empty: the device's own
};

// The declared files, read once: path from the root -> content. Throws Error(usage) that names `declared_in`
// (kernel.toml) where a source is missing, is a link or is larger than 4 MiB, or where a pattern of `headers` matches
// nothing, or a name that no #include can say.
std::map<std::string, Bytes> read_sources(const SourceSet& set, const FileTree& tree, const std::string& declared_in);

// What keeps a path from standing between the quotes of an #include or a #line; nothing where it can.
std::optional<std::string> fault_of_name(const std::string& path);

// Replaces whole identifiers of `defines` in an entry: "softmax<BLOCK>" -> "softmax<256>".
std::string substitute_defines(const std::string& entry, const std::map<std::string, std::string>& defines);

struct TokenPlace {
  std::string token;
  std::size_t line = 0;
};

// Every place where the C++ text has one of `tokens` outside comments, strings and character literals, in the text's
// order. Identifiers match whole identifiers, anything else any stretch of code.
std::vector<TokenPlace> find_tokens(std::string_view text, const std::vector<std::string>& tokens);

// The C++ text with blanks for comments, strings and character literals, and spliced lines joined.
std::string code_alone(std::string_view text);
// The same with its strings and character literals as they are.
std::string without_comments(std::string_view text);

// The first of `tokens` that the C++ text has, as "\"__DATE__\" in line 12". A net for the honest (digests must not
// depend on the date), not a defence.
std::optional<std::string> forbidden_token(std::string_view text, const std::vector<std::string>& tokens);

}  // namespace kgate::cases
