#include "gate/trust/statement.h"

#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/quote.h"
#include "gate/trust/untrusted.h"

namespace kgate::trust {
namespace {

constexpr const char* kStatementType = "https://in-toto.io/Statement/v1";
constexpr const char* kRemedy = "restore the file as it was signed, or sign anew";

bool is_sha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

class StatementReader {
 public:
  explicit StatementReader(const std::string& subject) : subject_(subject) {}

  Statement read(Json& value, const std::string& predicate_type) const {
    if (!value.is_object()) fail("its payload is not an object");
    const std::string& type = text(value, "_type");
    if (type != kStatementType) fail(fmt::format("\"_type\" is {}, not \"{}\"", kgate::quoted(type), kStatementType));
    Statement statement;
    statement.predicate_type = text(value, "predicateType");
    if (statement.predicate_type != predicate_type) {
      fail(fmt::format("it says {}, and \"{}\" is expected here", kgate::quoted(statement.predicate_type),
                       predicate_type));
    }
    const auto subjects = value.find("subject");
    if (subjects == value.end() || !subjects->is_array()) fail("\"subject\" is not an array");
    if (subjects->empty()) fail("it has no subjects");
    std::set<std::string> names;
    for (const Json& item : *subjects) {
      StatementSubject one = subject_of(item);
      if (!names.insert(one.name).second) fail(fmt::format("the subject {} is there twice", kgate::quoted(one.name)));
      statement.subjects.push_back(std::move(one));
    }
    const auto predicate = value.find("predicate");
    if (predicate == value.end() || !predicate->is_object()) fail("\"predicate\" is not an object");
    statement.predicate = std::move(*predicate);
    return statement;
  }

  [[noreturn]] void fail(const std::string& fact) const {
    throw Error(ErrorKind::untrusted, subject_, "is no statement that kgate can use: " + fact, kRemedy);
  }

 private:
  StatementSubject subject_of(const Json& item) const {
    if (!item.is_object()) fail("a subject is not an object");
    const std::string& name = text(item, "name");
    if (name.empty()) fail("a subject has an empty name");
    const auto digest = item.find("digest");
    if (digest == item.end() || !digest->is_object()) {
      fail(fmt::format("the subject {} has no digest", kgate::quoted(name)));
    }
    const auto sha256 = digest->find("sha256");
    if (sha256 == digest->end() || !sha256->is_string() || !is_sha256(sha256->get_ref<const std::string&>())) {
      fail(fmt::format("the subject {} has no SHA-256 of 64 lower-case hex digits", kgate::quoted(name)));
    }
    return {name, sha256->get<std::string>()};
  }

  const std::string& text(const Json& object, const char* key) const {
    const auto found = object.find(key);
    if (found == object.end() || !found->is_string()) fail(fmt::format("\"{}\" is not a string", key));
    return found->get_ref<const std::string&>();
  }

  const std::string& subject_;
};

}  // namespace

Envelope wrap(const Statement& statement) {
  Json subjects = Json::array();
  for (const StatementSubject& subject : statement.subjects) {
    subjects.push_back({{"name", subject.name}, {"digest", {{"sha256", subject.sha256}}}});
  }
  const Json value = {{"_type", kStatementType},
                      {"subject", std::move(subjects)},
                      {"predicateType", statement.predicate_type},
                      {"predicate", statement.predicate}};
  return {kInTotoPayload, bytes_of(canonical_json(value)), {}};
}

Statement unwrap(const Envelope& envelope, const std::string& predicate_type, const std::string& subject) {
  const StatementReader reader(subject);
  if (envelope.payload_type != kInTotoPayload) {
    reader.fail(
        fmt::format("its payload type is {}, not \"{}\"", kgate::quoted(envelope.payload_type), kInTotoPayload));
  }
  Json value = untrusted_where(kRemedy, [&] { return parse_json(text_of(envelope.payload), subject + ": payload"); });
  return reader.read(value, predicate_type);
}

}  // namespace kgate::trust
