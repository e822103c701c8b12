#include "gate/drift/history.h"

#include <algorithm>
#include <future>
#include <utility>

#include <fmt/format.h>

#include "base/digest.h"
#include "base/error.h"
#include "base/parallel.h"
#include "fingerprint/comparison.h"

namespace kgate::drift {
namespace {

// Records whose figures are held whole at once: ten years of them are hundreds of megabytes.
constexpr std::size_t kBatch = 64;

std::string text_at(const Json& fingerprint, const char* axis, const char* field) {
  const auto found = fingerprint.find(axis);
  if (found == fingerprint.end() || !found->is_object()) return {};
  const auto value = found->find(field);
  if (value == found->end() || !value->is_string()) return {};
  const auto& text = value->get_ref<const std::string&>();
  return text.starts_with("unknown, because ") ? std::string() : text;
}

std::string with_newline(const Json& json) {
  return canonical_json(json) + "\n";
}

std::string origin_of_record(std::int64_t sequence) {
  return fmt::format("record {}", sequence);
}

// A record that was verified, and what it names.
struct Read {
  std::int64_t sequence = 0;
  std::string time, fingerprint, night;
  NightFigures figures;
};
using Batch = std::vector<Read>;

// The chain is followed one record after the other; meanwhile others read the figures of those that it has passed.
class Reader {
 public:
  Reader(const trust::Ledger& ledger, const ReadOptions& options) : ledger_(ledger), options_(options) {}

  History read() {
    ledger_.records(options_.hardware, [&](const trust::LedgerEntry& entry) {
      const trust::Record& record = entry.record;
      if (options_.since && day_from(record.time).value_or(0) < *options_.since) return false;
      batch_.push_back({record.sequence, record.time, record.fingerprint, record.night, {}});
      if (batch_.size() == kBatch) pass_on();
      return true;
    });
    pass_on();
    pass_on();
    return std::move(history_);
  }

 private:
  // Begins with the next batch, and takes what came of the one before it.
  void pass_on() {
    Batch done;
    if (reading_.valid()) done = reading_.get();
    if (!batch_.empty()) {
      const auto policy = options_.threads > 1 ? std::launch::async : std::launch::deferred;
      reading_ = std::async(policy, [this, batch = std::exchange(batch_, {})]() mutable {
        const unsigned others = std::max(1U, options_.threads - 1);
        for_each_parallel(batch.size(), others, [&](std::size_t i, unsigned) { read(batch[i]); });
        return std::move(batch);
      });
    }
    for (const Read& one : done)
      history_.add(one.figures, fingerprint(one.fingerprint), origin_of_record(one.sequence));
  }

  void read(Read& one) const {
    const std::string subject = "the figures of " + origin_of_record(one.sequence);
    const Bytes text = ledger_.object(one.night);
    one.figures = night_from(text_of(text), subject);
    // The record's date is the branch's; a night cannot choose another one for itself.
    const std::int64_t day = day_from(one.figures.time).value_or(0), recorded = day_from(one.time).value_or(0);
    if (day > recorded || day < recorded - 1) {
      throw Error(ErrorKind::untrusted, subject,
                  fmt::format("are of {}, and their record of {}", one.figures.time, one.time),
                  "have the branch reset to its last commit that holds, docs/ledger.md says how");
    }
    if (one.figures.hardware != options_.hardware) {
      throw Error(
          ErrorKind::untrusted, subject,
          fmt::format("are of the hardware {}, and lie in the folder of {}", one.figures.hardware, options_.hardware),
          "have the branch reset to its last commit that holds, docs/ledger.md says how");
    }
  }

  const std::shared_ptr<const Json>& fingerprint(const std::string& digest) {
    auto& known = fingerprints_[digest];
    if (!known) {
      try {
        known = std::make_shared<const Json>(
            fingerprint::read_fingerprint(text_of(ledger_.object(digest)), "the fingerprint " + digest));
      } catch (const Error& error) {
        if (error.kind() != ErrorKind::usage) throw;
        throw Error(ErrorKind::untrusted, error.subject(), error.fact(),
                    "have the branch reset to its last commit that holds, docs/ledger.md says how");
      }
    }
    return known;
  }

  const trust::Ledger& ledger_;
  const ReadOptions& options_;
  History history_;
  Batch batch_;
  std::future<Batch> reading_;  // those before them
  std::map<std::string, std::shared_ptr<const Json>> fingerprints_;
};

}  // namespace

void History::add(const NightFigures& night, std::shared_ptr<const Json> fingerprint, std::string origin) {
  Night one;
  one.day = day_from(night.time).value_or(0);
  one.time = night.time;
  one.device_class = night.device_class;
  one.driver = text_at(*fingerprint, "driver", "version");
  one.toolkit = text_at(*fingerprint, "toolkit", night.backend == "cuda" ? "nvrtc" : "host_compiler");
  one.origin = std::move(origin);
  for (const auto& [name, kernel] : night.kernels) {
    for (const auto& [case_name, found] : kernel.cases) {
      figures[name][case_name].push_back({one.day, found.us, kernel.accepted, nights.size(), kernel.compiled_here});
    }
  }
  nights.push_back(std::move(one));
  fingerprints.push_back(std::move(fingerprint));
}

std::shared_ptr<const Json> History::shared(Json fingerprint) const {
  for (const auto& known : fingerprints) {
    if (*known == fingerprint) return known;
  }
  return std::make_shared<const Json>(std::move(fingerprint));
}

Json lasting(Json fingerprint) {
  fingerprint["state"] = Json::object();
  fingerprint["environment"] = Json::object();  // no child gets it
  return fingerprint;
}

trust::Draft draft_of(const NightFigures& night, const Json& fingerprint) {
  trust::Draft draft;
  const auto add = [&](const Json& json) {
    Bytes content = bytes_of(with_newline(json));
    std::string digest = "sha256:" + sha256_hex(content);
    draft.objects.emplace(digest, std::move(content));
    return digest;
  };
  draft.record.kernel = night.hardware;
  draft.record.time = night.time;
  draft.record.night = add(to_json(night));
  draft.record.fingerprint = add(lasting(fingerprint));
  return draft;
}

std::vector<Hardware> hardware_in(const trust::Ledger& ledger) {
  std::vector<Hardware> found;
  for (const std::string& key : ledger.kernels()) {
    const auto head = ledger.head(key);
    const auto night = night_from(text_of(ledger.object(head->record.night)),
                                  "the figures of " + origin_of_record(head->record.sequence));
    found.push_back({key, night.device_name, night.architecture, night.backend, head->record.time.substr(0, 10)});
  }
  return found;
}

History read_history(const trust::Ledger& ledger, const ReadOptions& options) {
  return Reader(ledger, options).read();
}

}  // namespace kgate::drift
