#include "gate/trust/signed_cases.h"

#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/memory_tree.h"
#include "base/quote.h"
#include "gate/trust/predicate.h"
#include "gate/trust/untrusted.h"

// What is used is what was checked: each signed file is read once, its digest is taken from those bytes, and the run
// goes on with them and with nothing else. A file that the statement does not name is not there for the cases, so a
// change cannot slip a header or an array of its own in front of the signed ones.
namespace kgate::trust {
namespace {

constexpr std::uint64_t kMaxFile = 256u << 20;
constexpr const char* kRemedy = "restore the file as it was signed, or sign anew";

[[noreturn]] void refuse(const std::string& subject, const std::string& fact, const std::string& remedy) {
  throw Error(ErrorKind::untrusted, subject, fact, remedy);
}

bool is_utc_time(const std::string& text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (text.size() != kShape.size()) return false;
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kShape[i] == '0' ? !digit : text[i] != kShape[i]) return false;
  }
  return true;
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);
}

std::map<std::string, Bytes> read_files(const FileTree& tree, const std::string& cases_path,
                                        const CasesStatement& statement, const std::string& subject,
                                        const std::string& kernel) {
  std::map<std::string, Bytes> files;
  const std::string resign = "restore it, or have the change reviewed and signed: kgate sign " + kernel;
  for (const auto& [name, digest] : statement.files) {
    const std::string path =
        untrusted_where(kRemedy, [&, &name = name] { return join_beneath(parent_of(cases_path), name); });
    if (files.count(path) != 0)
      refuse(subject, fmt::format("names {} twice, as {} too", path, kgate::quoted(name)), kRemedy);
    auto content = untrusted_where(resign, [&] { return tree.read(path, kMaxFile); });
    if (!content) refuse(path, fmt::format("is signed by {} and missing in {}", subject, tree.description()), resign);
    if (sha256_hex(*content) != digest) refuse(path, fmt::format("is not the file that {} signs", subject), resign);
    files.emplace(path, std::move(*content));
  }
  return files;
}

}  // namespace

Statement to_statement(const CasesStatement& cases) {
  Statement statement;
  for (const auto& [name, digest] : cases.files) statement.subjects.push_back({name, digest});
  statement.predicate_type = kCasesPredicate;
  Json weaknesses = Json::array();
  for (const Weakness& weakness : cases.weaknesses) {
    weaknesses.push_back({{"mutant", weakness.mutant}, {"remedy", weakness.remedy}});
  }
  statement.predicate = {{"kernel", cases.kernel},
                         {"revision", cases.revision},
                         {"signed_at", cases.signed_at},
                         {"weaknesses", std::move(weaknesses)},
                         {"weak_reason", cases.weak_reason}};
  return statement;
}

CasesStatement cases_statement_from(const Statement& statement, const std::string& subject) {
  const PredicateReader predicate(statement.predicate, "the predicate", subject,
                                  {"kernel", "revision", "signed_at", "weaknesses", "weak_reason"});
  CasesStatement cases;
  cases.kernel = predicate.text("kernel");
  if (cases.kernel.empty()) predicate.fail("\"kernel\" is empty");
  cases.revision = predicate.positive("revision");
  cases.signed_at = predicate.text("signed_at");
  if (!is_utc_time(cases.signed_at)) predicate.fail("\"signed_at\" is no time like 2026-11-29T22:55:27Z");
  for (const Json& item : predicate.array("weaknesses")) {
    const PredicateReader weakness(item, "a weakness", subject, {"mutant", "remedy"});
    cases.weaknesses.push_back({weakness.text("mutant"), weakness.text("remedy")});
  }
  cases.weak_reason = predicate.text("weak_reason");
  if (!cases.weaknesses.empty() && cases.weak_reason.empty()) {
    predicate.fail("there are weaknesses, and no reason why they were accepted");
  }
  for (const StatementSubject& file : statement.subjects) cases.files[file.name] = file.sha256;
  return cases;
}

std::string envelope_path(const std::string& cases_path) {
  return cases_path + ".dsse";
}

std::optional<SignedCases> read_signed_cases(const FileTree& tree, const std::string& cases_path,
                                             const Keyring& keyring, const std::string& day,
                                             const std::string& kernel) {
  const std::string subject = envelope_path(cases_path);
  const auto text = untrusted_where(kRemedy, [&] { return tree.read(subject, kMaxEnvelope); });
  if (!text) return std::nullopt;
  const Envelope envelope = parse_envelope(text_of(*text), subject);
  SignedCases read;
  read.signers = keyring.verify(envelope, "cases", day, subject);
  read.statement = cases_statement_from(unwrap(envelope, kCasesPredicate, subject), subject);
  const std::string own_name = base_name(cases_path);
  if (read.statement.files.count(own_name) == 0) refuse(subject, fmt::format("does not sign {}", own_name), kRemedy);
  read.files = std::make_shared<MemoryTree>(
      read_files(tree, cases_path, read.statement, subject, kernel.empty() ? read.statement.kernel : kernel),
      "the files that " + subject + " signs");
  return read;
}

}  // namespace kgate::trust
