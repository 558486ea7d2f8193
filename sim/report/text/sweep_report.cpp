#include "sim/report/text/sweep_report.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "models/base/error.hpp"
#include "sim/report/fields/forecast_fields.hpp"
#include "sim/report/json/study_json.hpp"
#include "sim/report/text/clean.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

using Rows = std::vector<SweepRow>;

using Columns = std::span<const ForecastField* const>;

double speedup_in(const Rows& rows, const SweepRow& row) {
  return speedup_of(row.forecast, rows[row.baseline].forecast);
}

/// Workload and cluster where an experiment file names them and the sweep does not.
std::string constant_job_of(const Rows& rows) {
  const SweepRow& row = rows.front();
  std::string text;
  if (std::ranges::find(row.cells, "workload", &Cell::name) == row.cells.end())
    text += " workload=" + row.forecast.workload;
  if (std::ranges::find(row.cells, "cluster", &Cell::name) == row.cells.end())
    text += " cluster=" + row.forecast.cluster;
  return text;
}

/// Whether a forecast needs more memory than there is.
bool too_large(const SweepRow& row) {
  return fit_of(row.forecast) == "no";
}

std::vector<const ForecastField*> results_of(const Rows& rows) {
  std::vector<const ForecastField*> results = fields_shown(View::Sweep);
  const bool has_seeds =
      std::ranges::any_of(rows, [](const SweepRow& row) { return row.forecast.spread.seeds > 0; });
  std::erase_if(results, [&](const auto* each) { return each->is(kDrawn) && !has_seeds; });
  return results;
}

Table table_of(const Rows& rows, const std::vector<std::size_t>& varying, Columns results) {
  const bool shows_fits = std::ranges::any_of(rows, too_large);
  Table table;
  for (const std::size_t cell : varying)
    table.columns.push_back({rows.front().cells[cell].name, Align::Left});
  if (shows_fits)
    table.columns.push_back({"fits", Align::Left});
  for (const ForecastField* result : results)
    table.columns.push_back({result->heading, Align::Right});
  for (const SweepRow& row : rows) {
    auto& line = table.rows.emplace_back();
    for (const std::size_t cell : varying)
      line.push_back(row.cells[cell].value);
    if (shows_fits)
      line.push_back(fit_of(row.forecast));
    for (const ForecastField* result : results)
      line.push_back(cell_of(result->unit, result->value({row.forecast, speedup_in(rows, row)})));
  }
  return table;
}

/// Names the results for which the table had no room.
std::string left_out(Columns results) {
  std::vector<std::string> names;
  for (const ForecastField* result : results)
    names.emplace_back(result->heading);
  return names.empty() ? ""
                       : wrap(fmt::format("No room here for {}: --csv and --json have them.",
                                          fmt::join(names, ", ")),
                              2);
}

/// What the row shares with those that differ from it in one cell only.
std::string without_cell(const SweepRow& row, std::size_t cell) {
  std::string text;
  for (std::size_t other = 0; other < row.cells.size(); ++other)
    text += other == cell ? "" : row.cells[other].value + '\n';
  return text;
}

/// Whether there are rows that differ in this cell only, and all of them take equally long.
bool changes_nothing(const Rows& rows, std::size_t cell) {
  constexpr double kRounding = 1e-9;
  std::map<std::string, Seconds> times;
  bool compared = false;
  const bool alike = std::ranges::all_of(rows, [&](const SweepRow& row) {
    const Seconds time = row.forecast.iteration_time;
    const auto [known, is_new] = times.try_emplace(without_cell(row, cell), time);
    compared = compared || !is_new;
    return std::abs(time / known->second - 1) < kRounding;
  });
  return compared && alike;
}

/// What a forecast notes, the first row for which it holds, and for how many it does.
struct Remark {
  Note note;
  const SweepRow* row = nullptr;
  std::size_t rows = 1;
};

std::vector<Remark> remarks_of(const Rows& rows) {
  std::vector<Remark> remarks;
  for (const SweepRow& row : rows)
    for (const Note& note : row.forecast.notes) {
      const auto known = std::ranges::find(remarks, note, &Remark::note);
      if (known == remarks.end())
        remarks.push_back({.note = note, .row = &row});
      else
        ++known->rows;
    }
  return remarks;
}

std::string text_of(const Remark& remark, const Rows& rows,
                    const std::vector<std::size_t>& varying) {
  if (remark.rows > 1)
    return wrap(
        fmt::format("Note on {} of {} rows: {}", remark.rows, rows.size(), remark.note.text), 2);
  std::string where;
  for (const std::size_t cell : varying)
    where += fmt::format(" {}={}", remark.row->cells[cell].name, remark.row->cells[cell].value);
  return wrap(fmt::format("Note on{}: {}", where, remark.note.text), 2);
}

}  // namespace

std::string sweep_heading(const Rows& rows) {
  const std::vector<std::size_t> varying = varying_cells(rows);
  std::string constants = constant_job_of(rows);
  for (std::size_t cell = 0; cell < rows.front().cells.size(); ++cell) {
    if (std::ranges::find(varying, cell) == varying.end())
      constants +=
          fmt::format(" {}={}", rows.front().cells[cell].name, rows.front().cells[cell].value);
  }
  return wrap(
      fmt::format("{} forecasts, {} fidelity{}{}", rows.size(),
                  name_of(rows.front().forecast.fidelity), constants.empty() ? "" : ":", constants),
      2);
}

std::string sweep_notes(const Rows& rows) {
  const std::vector<std::size_t> varying = varying_cells(rows);
  constexpr std::size_t kMostRemarks = 8;
  std::string text;
  for (const std::size_t cell : varying)
    if (changes_nothing(rows, cell))
      text += wrap(fmt::format("Note: {} changed nothing: all of its values give the same times.",
                               rows.front().cells[cell].name),
                   2);
  const auto remarks = remarks_of(rows);
  for (std::size_t i = 0; i < std::min(remarks.size(), kMostRemarks); ++i)
    text += text_of(remarks[i], rows, varying);
  if (remarks.size() > kMostRemarks)
    text += fmt::format("and {} more notes (see --json)\n", remarks.size() - kMostRemarks);
  return text;
}

std::string render_sweep(const Rows& rows) {
  const std::vector<std::size_t> varying = varying_cells(rows);
  const std::vector<const ForecastField*> all = results_of(rows);
  Columns results = all;
  Table table = table_of(rows, varying, results);
  constexpr std::size_t kFewest = 2;
  while (natural_width(table) > report_width() && results.size() > kFewest) {
    results = results.first(results.size() - 1);
    table = table_of(rows, varying, results);
  }
  return sweep_heading(rows) + "\n" + render(table) +
         "\nSpeed-ups are against the first row of the same job.\n" +
         left_out(Columns(all).subspan(results.size())) + sweep_notes(rows);
}

std::string render_refused(const Sweep& sweep, const std::vector<SweepResult>& results) {
  std::string text;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (!results[i].refusal.empty())
      text += wrap(
          fmt::format("No forecast for {}: {}", name_of(sweep.combinations[i]), results[i].refusal),
          2);
  return text;
}

void require_forecast(const std::string& refusals) {
  if (!refusals.empty())
    throw InputError("no combination has a forecast; the first: " +
                     refusals.substr(0, refusals.find("\nNo forecast")));
}

nlohmann::ordered_json refused_json(const Sweep& sweep, const std::vector<SweepResult>& results) {
  nlohmann::ordered_json refused = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].refusal.empty())
      continue;
    nlohmann::ordered_json& entry = refused.emplace_back();
    for (const Cell& cell : sweep.combinations[i].cells)
      entry["combination"][cell.name] = cell.value;
    entry["reason"] = results[i].refusal;
  }
  return refused;
}

std::string with_list(std::string json, const char* name, nlohmann::ordered_json list) {
  if (list.empty())
    return json;
  auto complete = nlohmann::ordered_json::parse(json);
  complete[name] = std::move(list);
  return printed(complete);
}

std::string sweep_csv_head(const std::vector<Cell>& cells, bool with_refusals) {
  std::vector<std::string> names;
  for (const Cell& cell : cells)
    names.push_back(cell.name);
  for (const ForecastField* field : fields_shown(View::Csv)) {
    const std::string_view key = field->key;
    names.emplace_back(key.substr(key.rfind('.') + 1));
  }
  if (with_refusals)
    names.emplace_back("refused");
  return csv_line(names);
}

std::string sweep_csv_row(const std::vector<Cell>& cells, const SweepResult& result,
                          const Forecast* baseline, bool with_refusals) {
  std::vector<std::string> row;
  for (const Cell& cell : cells)
    row.push_back(cell.value);
  const double speedup = result.forecast && baseline ? speedup_of(*result.forecast, *baseline) : 0;
  for (const ForecastField* field : fields_shown(View::Csv))
    row.push_back(result.forecast ? csv_of(field->unit, field->value({*result.forecast, speedup}))
                                  : "");
  if (with_refusals)
    row.push_back(result.refusal);
  return csv_line(row);
}

}  // namespace stepcast
