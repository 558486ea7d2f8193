#include "sim/report/json/sweep_json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/report/json/json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/sweep_report.hpp"

// Rows are written as text, each by itself, where nlohmann's dump(2) of the whole would put them:
// a document of all rows takes ten times the memory of its text. Line feeds inside strings are
// escaped, so that those of the text are between its lines.

namespace stepcast {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kEndOfObject = "\n}\n";

void add_indented(std::string& text, std::string_view lines, const char* indent) {
  for (const char c : lines) {
    text += c;
    if (c == '\n')
      text += indent;
  }
}

Json combination_of(const std::vector<Cell>& cells) {
  Json combination = Json::object();
  for (const Cell& cell : cells)
    combination[cell.name] = cell.value;
  return combination;
}

}  // namespace

SweepRowText row_text_of(const std::vector<Cell>& cells, const Forecast& forecast) {
  SweepRowText row{.throughput = forecast.throughput};
  const std::string text = to_json(forecast);
  row.before = "    ";
  row.before.reserve(text.size() + text.size() / 4);
  add_indented(row.before, std::string_view(text).substr(0, text.size() - kEndOfObject.size()),
               "    ");
  row.before += ",\n      \"speedup\": ";
  row.after = ",\n      \"combination\": ";
  add_indented(row.after, combination_of(cells).dump(2), "      ");
  row.after += "\n    }";
  row.before = printable(row.before);
  row.after = printable(row.after);
  return row;
}

void SweepJson::add(const SweepRowText& row, std::uint32_t job) {
  if (!has_rows() || job != job_)
    baseline_ = row.throughput;
  job_ = job;
  rows_.append(has_rows() ? ",\n" : "{\n  \"results\": [\n");
  rows_.append(row.before);
  rows_.append(Json(baseline_ > 0 ? row.throughput / baseline_ : 0.0).dump());
  rows_.append(row.after);
}

void SweepJson::refuse(const std::vector<Cell>& cells, const std::string& reason) {
  Json entry;
  if (!cells.empty())
    entry["combination"] = combination_of(cells);
  entry["reason"] = reason;
  if (first_refusal_.empty())
    first_refusal_ =
        fmt::format("No forecast for {}: {}", name_of(Combination{.cells = cells}), reason);
  std::string text = refused_.size() > 0 ? ",\n    " : "    ";
  add_indented(text, entry.dump(2), "    ");
  refused_.append(printable(text));
}

SpooledText SweepJson::finish() && {
  if (!has_rows()) {
    require_forecast(first_refusal_);
    return {};
  }
  rows_.append("\n  ]");
  if (refused_.size() > 0) {
    rows_.append(",\n  \"refused\": [\n");
    rows_.append(refused_);
    rows_.append("\n  ]");
  }
  rows_.append("\n}\n");
  return std::move(rows_);
}

std::string sweep_json(const std::vector<SweepRow>& rows) {
  SweepJson json;
  for (const SweepRow& row : rows)
    json.add(row_text_of(row.cells, row.forecast), static_cast<std::uint32_t>(row.baseline));
  std::string text;
  std::move(json).finish().read([&](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace stepcast
