#include "gate/cases/expression.h"

#include <array>
#include <charconv>
#include <deque>
#include <optional>
#include <vector>

#include <muParserBase.h>

#include "base/error.h"
#include "base/nearest.h"
#include "base/quote.h"

// muParser does the grammar, and nothing else of it is used: its own operators and literals are floating point, where
// 2^53 + 1 is 2^53 and 5 / 2 is 2.5 and nobody is told. Every operator and function here is ours, works on 64-bit
// integers and checks its result, so that a double that muParser carries is always an exact integer. A parser is made
// for each evaluation: about 10 us, and no state that threads would share. ParserInt, muParser's own integer parser,
// rounds what does not fit; a grammar of our own would be one more to test.
namespace kgate::cases {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 53;
constexpr std::size_t kLongest = 1000;
constexpr std::array<const char*, 4> kFunctions{"ceil_div", "max", "min", "round_up"};

// What went wrong, before it is known where. Thrown through muParser by the operators below.
struct Trouble {
  std::string fact, hint;
};

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_name_part(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

std::int64_t exact(double value) {
  return static_cast<std::int64_t>(value);
}

double checked(std::int64_t value) {
  if (value > kMost || value < -kMost) throw Trouble{"goes beyond 2^53", "use smaller sizes"};
  return static_cast<double>(value);
}

double add(double a, double b) {
  return checked(exact(a) + exact(b));
}
double subtract(double a, double b) {
  return checked(exact(a) - exact(b));
}
double negate(double a) {
  return checked(-exact(a));
}

double multiply(double a, double b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(exact(a), exact(b), &product)) throw Trouble{"goes beyond 2^53", "use smaller sizes"};
  return checked(product);
}

std::int64_t divisor(double value) {
  if (exact(value) == 0) throw Trouble{"divides by zero", "guard it with max(1, ...)"};
  return exact(value);
}

double divide(double a, double b) {
  const std::int64_t below = divisor(b);
  if (exact(a) % below != 0) {
    throw Trouble{"leaves a fraction: " + std::to_string(exact(a)) + " / " + std::to_string(below),
                  "use ceil_div(a, b), or sizes that divide"};
  }
  return checked(exact(a) / below);
}

double remainder(double a, double b) {
  return checked(exact(a) % divisor(b));
}

std::int64_t ceil_quotient(double a, double b) {
  const std::int64_t below = divisor(b);
  const std::int64_t quotient = exact(a) / below;
  const bool up = exact(a) % below != 0 && (exact(a) < 0) == (below < 0);
  return up ? quotient + 1 : quotient;
}

double ceil_div(double a, double b) {
  return checked(ceil_quotient(a, b));
}
double round_up(double a, double b) {
  return multiply(static_cast<double>(ceil_quotient(a, b)), b);
}
double smaller(double a, double b) {
  return a < b ? a : b;
}
double larger(double a, double b) {
  return a > b ? a : b;
}

// muParser's hook for literals.
int integer_literal(const char* text, int* position, double* value) {
  if (!is_digit(*text)) return 0;
  const char* end = text;
  while (is_name_part(*end)) ++end;
  std::int64_t number = 0;
  const auto [stop, failure] = std::from_chars(text, end, number);
  if (failure == std::errc{} && stop != end) {
    throw Trouble{"has " + kgate::quoted(std::string_view(text, static_cast<std::size_t>(end - text))) +
                      ", which is not an integer",
                  "write integers in decimal digits"};
  }
  if (failure != std::errc{}) throw Trouble{"goes beyond 2^53", "use smaller sizes"};
  *value = checked(number);
  *position += static_cast<int>(end - text);
  return 1;
}

// The names that an expression may use, as muParser wants them: addresses of doubles.
struct Names {
  const Variables& variables;
  std::deque<double> used;
};

double* look_up(const char* name, void* context) {
  auto& names = *static_cast<Names*>(context);
  const auto found = names.variables.find(name);
  if (found != names.variables.end()) return &names.used.emplace_back(checked(found->second));
  std::vector<std::string> known;
  for (const auto& [variable, value] : names.variables) known.push_back(variable);
  for (const char* function : kFunctions) {
    if (std::string_view(function) == name) {
      throw Trouble{"has \"" + std::string(name) + "\" without its two arguments",
                    "write " + std::string(name) + "(a, b)"};
    }
    known.emplace_back(function);
  }
  std::string list;
  for (const std::string& word : known) list += (list.empty() ? "" : ", ") + word;
  const auto near = nearest(name, known);
  throw Trouble{"has the unknown name " + kgate::quoted(name),
                near ? "did you mean \"" + *near + "\"?" : "known names: " + list};
}

class IntegerParser : public mu::ParserBase {
 public:
  explicit IntegerParser(Names& names) {
    EnableBuiltInOprt(false);  // first: our operators would clash with them
    AddValIdent(integer_literal);
    IntegerParser::InitCharSets();
    IntegerParser::InitFun();
    IntegerParser::InitConst();
    IntegerParser::InitOprt();
    SetArgSep(',');
    SetVarFactory(look_up, &names);
  }

 private:
  void InitCharSets() override {
    DefineNameChars("0123456789_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
    DefineOprtChars("+-*/%");
    DefineInfixOprtChars("-+");
  }
  void InitFun() override {
    DefineFun("ceil_div", ceil_div);
    DefineFun("round_up", round_up);
    DefineFun("min", smaller);
    DefineFun("max", larger);
  }
  void InitConst() override {}
  void InitOprt() override {
    DefineInfixOprt("-", negate);
    DefineOprt("+", add, mu::prADD_SUB);
    DefineOprt("-", subtract, mu::prADD_SUB);
    DefineOprt("*", multiply, mu::prMUL_DIV);
    DefineOprt("/", divide, mu::prMUL_DIV);
    DefineOprt("%", remainder, mu::prMUL_DIV);
  }
};

// What muParser would take, but is no part of these expressions: "? :", strings, comparisons, floats.
void check_characters(const std::string& text) {
  if (text.size() > kLongest) throw Trouble{"is longer than 1000 characters", "make it shorter"};
  for (const char c : text) {
    if (c == '.') throw Trouble{"has a decimal point", "expressions are of integers"};
    if (!is_name_part(c) && std::string_view(" \t+-*/%(),").find(c) == std::string_view::npos) {
      throw Trouble{"has the character " + kgate::quoted(std::string_view(&c, 1)) + ", which no expression has",
                    "use + - * / % ( ) and ceil_div, round_up, min, max"};
    }
  }
  if (text.find_first_not_of(" \t") == std::string::npos)
    throw Trouble{"is empty", "write an integer or an expression"};
}

Trouble trouble_of(const mu::ParserError& error, const std::string& text) {
  switch (error.GetCode()) {
    case mu::ecUNEXPECTED_EOF:
      return {"is not an expression: it ends too early", "complete it"};
    case mu::ecMISSING_PARENS:
      return {"is not an expression: a parenthesis is not closed", "close it"};
    case mu::ecTOO_MANY_PARAMS:
    case mu::ecTOO_FEW_PARAMS:
      return {"is not an expression: a function has not two arguments",
              "each of ceil_div, round_up, min, max takes two"};
    default:
      break;
  }
  const std::string token = error.GetToken().substr(0, error.GetToken().find(' '));
  const std::size_t position = static_cast<std::size_t>(error.GetPos());
  if (token.empty() || position > text.size()) return {"is not an expression", "see docs/kernel-toml.md"};
  return {"is not an expression: " + kgate::quoted(token) + " is not expected there", "see docs/kernel-toml.md"};
}

std::int64_t evaluate_text(const std::string& text, const Variables& variables) {
  check_characters(text);
  Names names{variables, {}};
  IntegerParser parser(names);
  parser.SetExpr(text);
  const double value = parser.Eval();
  if (parser.GetNumResults() != 1) throw Trouble{"is more than one expression", "write one"};
  return exact(value);
}

}  // namespace

std::int64_t evaluate(const Expression& expression, const Variables& variables) {
  Trouble trouble;
  try {
    return evaluate_text(expression.text, variables);
  } catch (const Trouble& found) {
    trouble = found;
  } catch (const mu::ParserError& error) {
    trouble = trouble_of(error, expression.text);
  }
  throw Error(ErrorKind::usage, expression.where, kgate::quoted(expression.text) + " " + trouble.fact, trouble.hint);
}

std::vector<std::string> names_in(const Expression& expression) {
  std::vector<std::string> names;
  const std::string& text = expression.text;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && is_name_part(text[end])) ++end;
    const std::string word = text.substr(i, end - i);
    bool function = word.empty() || is_digit(word[0]);
    for (const char* name : kFunctions) function = function || word == name;
    if (!function) names.push_back(word);
    i = end == i ? i + 1 : end;
  }
  return names;
}

}  // namespace kgate::cases
