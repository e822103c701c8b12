#include "gate/counters/report.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <vector>

#include "base/quote.h"

namespace kgate::counters {
namespace {

constexpr std::size_t kMostKernels = 64, kMostMetrics = 256, kMostFields = 64;
constexpr std::size_t kLongestName = 8192, kLongestMetric = 256, kLongestUnit = 64;
constexpr std::string_view kPermission = "ERR_NVGPUCTRPERM";

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// RFC 4180, within one line: a name that breaks its line is a broken row, and takes no other along. Nothing for what is
// no row.
std::optional<std::vector<std::string>> fields_of(std::string_view line) {
  std::vector<std::string> fields;
  for (std::size_t at = 0;;) {
    if (at >= line.size() || line[at] != '"' || fields.size() == kMostFields) return std::nullopt;
    std::string field;
    for (++at; at < line.size(); ++at) {
      if (line[at] != '"') {
        field += line[at];
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        field += line[at++];
      } else {
        break;
      }
    }
    if (at == line.size()) return std::nullopt;  // no closing quote
    fields.push_back(std::move(field));
    if (++at == line.size()) return fields;
    if (line[at++] != ',') return std::nullopt;
  }
}

// Digits, with a comma before every three of them or with none: "1361600", "1,361,600"; "" for anything else, as
// "44,21", another language's 44.21.
std::string ungrouped(std::string_view whole) {
  const bool grouped = whole.find(',') != std::string_view::npos;
  std::string digits;
  for (std::size_t i = 0; i < whole.size(); ++i) {
    const bool comma = grouped && i > 0 && (whole.size() - i) % 4 == 0;
    if (comma ? whole[i] != ',' : !is_digit(whole[i])) return {};
    if (!comma) digits += whole[i];
  }
  return digits;
}

// Nothing for "nan", "n/a", "inf", "-1", "1; 2".
std::optional<double> number_in(std::string_view text) {
  const std::size_t point = std::min(text.find('.'), text.size());
  const std::string digits = ungrouped(text.substr(0, point));
  const std::string_view fraction = text.substr(point);
  if (digits.empty() || fraction == "." ||
      !std::all_of(fraction.begin() + (fraction.empty() ? 0 : 1), fraction.end(), is_digit))
    return std::nullopt;
  const std::string all = digits + std::string(fraction);
  double value = 0;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), value);
  if (error != std::errc() || end != all.data() + all.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

struct Columns {
  std::size_t count = 0, id = 0, kernel = 0, metric = 0, unit = 0, value = 0;
};

std::optional<Columns> columns_of(const std::vector<std::string>& fields) {
  Columns columns;
  columns.count = fields.size();
  const auto place = [&](const char* name, std::size_t& column) {
    const auto found = std::find(fields.begin(), fields.end(), name);
    column = static_cast<std::size_t>(found - fields.begin());
    return found != fields.end();
  };
  const bool all = place("ID", columns.id) && place("Kernel Name", columns.kernel) &&
                   place("Metric Name", columns.metric) && place("Metric Unit", columns.unit) &&
                   place("Metric Value", columns.value);
  return all ? std::optional(columns) : std::nullopt;
}

double duration_of(const Readings& readings) {
  return find(readings, kDuration).value.value_or(0);
}

class Reader {
 public:
  Report read(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      std::string_view line = text.substr(0, end);
      if (line.ends_with('\r')) line.remove_suffix(1);
      take(line);
      text.remove_prefix(std::min(end + 1, text.size()));
    }
    finish_launch();
    return std::move(report_);
  }

 private:
  void take(std::string_view line) {
    if (line.starts_with("==")) {
      complain(line);
    } else if (auto fields = fields_of(line)) {
      if (!columns_) {
        columns_ = columns_of(*fields);
      } else if (fields->size() == columns_->count) {
        take_row(*fields);
      }
    }
  }

  // "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission ...".
  void complain(std::string_view line) {
    constexpr std::string_view kError = "==ERROR== ";
    if (!line.starts_with(kError)) return;
    line.remove_prefix(kError.size());
    const bool permission = line.find(kPermission) != std::string_view::npos;
    if (report_.trouble == Trouble::not_permitted || (report_.trouble == Trouble::failed && !permission)) return;
    report_.trouble = permission ? Trouble::not_permitted : Trouble::failed;
    report_.words = kgate::quoted(line);
  }

  // Rows of one launch stand together.
  void take_row(const std::vector<std::string>& fields) {
    const std::string& kernel = fields[columns_->kernel];
    const std::string& metric = fields[columns_->metric];
    const std::string& unit = fields[columns_->unit];
    if (kernel.size() > kLongestName || metric.size() > kLongestMetric || unit.size() > kLongestUnit) return;
    if (fields[columns_->id] != id_ || kernel != kernel_) {
      finish_launch();
      id_ = fields[columns_->id];
      kernel_ = kernel;
    }
    if (launch_.size() == kMostMetrics) return;
    launch_.insert_or_assign(metric, Reading{number_in(fields[columns_->value]), unit});
  }

  void finish_launch() {
    Readings launch = std::move(launch_);
    launch_.clear();
    if (launch.empty()) return;
    const auto known = report_.kernels.find(kernel_);
    if (known == report_.kernels.end()) {
      if (report_.kernels.size() < kMostKernels) report_.kernels.emplace(kernel_, std::move(launch));
    } else if (duration_of(launch) > duration_of(known->second)) {
      known->second = std::move(launch);
    }
  }

  std::optional<Columns> columns_;
  std::string id_, kernel_;
  Readings launch_;
  Report report_;
};

}  // namespace

Report read_report(std::string_view text) {
  Report report = Reader().read(text);
  if (report.kernels.empty() && report.trouble == Trouble::none) {
    report.trouble = Trouble::failed;
    report.words = "its report names no kernel";
  }
  return report;
}

Report read_output(std::string_view text) {
  Report report = Reader().read(text);
  report.kernels.clear();
  return report;
}

}  // namespace kgate::counters
