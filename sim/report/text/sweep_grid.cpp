#include "sim/report/text/sweep_grid.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/text/sweep_report.hpp"
#include "sim/report/text/table.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

using Rows = std::vector<SweepRow>;

constexpr const char* kSchedule = "schedule";
constexpr const char* kNoValue = "-";

std::size_t index_of(const std::vector<Cell>& cells, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::find(cells, name, &Cell::name) - cells.begin());
}

bool trains_more(const SweepRow& row, const SweepRow* than) {
  return than == nullptr || row.forecast.throughput > than->forecast.throughput;
}

/// Sorts values ascending where all are numbers.
void sort_numbers(std::vector<std::string>& values) {
  try {
    for (const std::string& value : values)
      parse_number(value);
  } catch (const InputError&) {
    return;
  }
  std::ranges::stable_sort(values, {}, parse_number);
}

/// A grid whose lines differ in these cells.
SweepGrid grid_by(const Rows& rows, const std::string& key, const std::vector<std::size_t>& cells) {
  const std::size_t at = index_of(rows.front().cells, key);
  SweepGrid grid{
      .key = key,
      .values = distinct(rows, [at](const SweepRow& row) { return row.cells[at].value; }),
      .schedules = distinct(rows, [](const SweepRow& row) { return row.forecast.schedule; })};
  std::erase(grid.values, kNoValue);
  sort_numbers(grid.values);
  for (const std::size_t cell : cells)
    grid.names.push_back(rows.front().cells[cell].name);
  std::map<std::vector<std::string>, std::size_t> known;
  for (const SweepRow& row : rows) {
    std::vector<std::string> names;
    for (const std::size_t cell : cells)
      names.push_back(row.cells[cell].value);
    const auto [line, is_new] = known.try_emplace(names, grid.lines.size());
    if (is_new)
      grid.lines.push_back({names, std::vector<const SweepRow*>(grid.values.size())});
    for (std::size_t i = 0; i < grid.values.size(); ++i)
      if (const SweepRow*& there = grid.lines[line->second].rows[i];
          (row.cells[at].value == grid.values[i] || row.cells[at].value == kNoValue) &&
          trains_more(row, there))
        there = &row;
  }
  return grid;
}

/// Appends what the fastest schedule of a line gains over the next one, and its name.
void add_gain(std::vector<std::string>& cells, const SweepGrid::Line& line) {
  std::vector<const SweepRow*> there;
  std::ranges::copy_if(line.rows, std::back_inserter(there),
                       [](const SweepRow* row) { return row != nullptr; });
  std::ranges::stable_sort(there, std::greater{},
                           [](const SweepRow* row) { return row->forecast.throughput; });
  cells.push_back(there.size() < 2
                      ? ""
                      : fmt::format("{:.3f}", speedup_of(there[0]->forecast, there[1]->forecast)));
  cells.push_back(there.front()->cells[index_of(there.front()->cells, kSchedule)].value);
}

Table table_of(const SweepGrid& grid, const std::function<std::string(const SweepRow&)>& text) {
  const bool gains = grid.key == kSchedule;
  Table table;
  for (const std::string& name : grid.names)
    table.columns.push_back({name, Align::Left});
  for (const std::string& value : grid.values)
    table.columns.push_back({value});
  if (gains)
    std::ranges::copy(std::vector<Column>{{"best/next"}, {"fastest", Align::Left}},
                      std::back_inserter(table.columns));
  for (const SweepGrid::Line& line : grid.lines) {
    std::vector<std::string>& cells = table.rows.emplace_back(line.cells);
    for (const SweepRow* row : line.rows)
      cells.push_back(row == nullptr ? "" : text(*row));
    if (gains)
      add_gain(cells, line);
  }
  return table;
}

/// The column whose lines are told apart by headings where a table is too wide: that of the fewest
/// values.
std::size_t heading_column(const Table& table, std::size_t names) {
  const auto values_in = [&](std::size_t column) {
    std::set<std::string> values;
    for (const std::vector<std::string>& row : table.rows)
      values.insert(row[column]);
    return values.size();
  };
  std::size_t fewest = 0;
  for (std::size_t column = 1; column < names; ++column)
    if (values_in(column) < values_in(fewest))
      fewest = column;
  return fewest;
}

/// Leaves out columns at the end of a table as long as it is too wide, which only repeat others.
void drop_gains(Table& table, std::size_t columns) {
  while (natural_width(table) > report_width() && table.columns.size() > columns) {
    table.columns.pop_back();
    for (std::vector<std::string>& row : table.rows)
      row.pop_back();
  }
}

/// Splits a table that is too wide into one for each value of a column, below its heading.
std::string text_of(Table table, const SweepGrid& grid) {
  const std::size_t names = grid.names.size();
  const std::size_t least = names + grid.values.size();
  Table tried = table;
  drop_gains(tried, least);
  if (natural_width(tried) <= report_width() || names < 2) {
    return render_in_parts(tried, names);
  }
  const std::size_t column = heading_column(table, names);
  const auto at = static_cast<std::ptrdiff_t>(column);
  std::vector<std::pair<std::string, Table>> tables;
  for (std::vector<std::string>& row : table.rows) {
    const std::string value = row[column];
    row.erase(row.begin() + at);
    auto known = std::ranges::find(tables, value, &std::pair<std::string, Table>::first);
    if (known == tables.end()) {
      known = tables.insert(known, {value, Table{.columns = table.columns, .rows = {}}});
      known->second.columns.erase(known->second.columns.begin() + at);
    }
    known->second.rows.push_back(std::move(row));
  }
  std::string text;
  for (auto& [value, part] : tables) {
    drop_gains(part, least - 1);
    text += fmt::format("{}{}={}\n{}", text.empty() ? "" : "\n", grid.names[column], value,
                        render_in_parts(part, names - 1));
  }
  return text;
}

std::vector<std::size_t> without(std::vector<std::size_t> cells, std::size_t cell) {
  std::erase(cells, cell);
  return cells;
}

/// The notes of all rows, each said of the largest part that has it.
std::string notes_below(const Rows& rows) {
  constexpr std::size_t kMostShared = 1000;  // finding what they share is quadratic in rows
  if (rows.size() > kMostShared)
    return sweep_notes(rows);
  std::vector<NotedForecast> noted;
  const std::vector<std::size_t> varying = varying_cells(rows);
  for (const SweepRow& row : rows) {
    NotedForecast& each = noted.emplace_back(NotedForecast{{}, notes_on_mean(row.forecast)});
    std::string whole = row.forecast.schedule;
    for (const std::size_t cell : varying) {
      const auto& [name, value] = row.cells[cell];
      each.labels.push_back(name == kSchedule ? value : name + "=" + value);
      if (name != kSchedule)
        whole += fmt::format(" {}={}", name, value);
    }
    each.labels.push_back(whole);
  }
  return text_of(shared_notes_of(noted), kMostNotes);
}

char letter_of(std::size_t schedule) {
  return static_cast<char>('A' + schedule % 26);
}

}  // namespace

void require_cell(const Sweep& sweep, const std::string& option, const std::string& key) {
  std::vector<std::string> names;
  for (const Cell& cell : sweep.combinations.front().cells)
    names.push_back(cell.name);
  if (std::ranges::find(names, key) == names.end())
    throw InputError(fmt::format("{} {}: expected something that the comparison lists, one of {}{}",
                                 option, key, fmt::join(names, ", "), did_you_mean(key, names)));
}

SweepGrid grid_across(const Rows& rows, const std::string& key) {
  return grid_by(rows, key, without(varying_cells(rows), index_of(rows.front().cells, key)));
}

SweepGrid grid_of_fastest(const Rows& rows, const std::string& key) {
  std::vector<std::size_t> cells = without(varying_cells(rows), index_of(rows.front().cells, key));
  const std::size_t schedule = index_of(rows.front().cells, kSchedule);
  std::erase_if(cells, [&](std::size_t cell) { return cell >= schedule; });
  return grid_by(rows, key, cells);
}

std::size_t schedule_index(const SweepGrid& grid, const SweepRow& row) {
  return static_cast<std::size_t>(std::ranges::find(grid.schedules, row.forecast.schedule) -
                                  grid.schedules.begin());
}

std::vector<std::string> lettered_schedules(const SweepGrid& grid) {
  std::vector<std::string> names;
  for (const std::string& schedule : grid.schedules)
    names.push_back(fmt::format("{} {}", letter_of(names.size()), schedule));
  return names;
}

std::string winner_text(const SweepGrid& grid, const Rows& rows, const SweepRow& row) {
  return fmt::format("{} {:.2f}", letter_of(schedule_index(grid, row)),
                     speedup_of(row.forecast, rows[row.baseline].forecast));
}

std::string render_across(const Rows& rows, const std::string& key) {
  const SweepGrid grid = grid_across(rows, key);
  const auto step = [](const SweepRow& row) {
    return milliseconds(row.forecast.iteration_time, 1);
  };
  return sweep_heading(rows) + fmt::format("Iteration time in ms, by {}\n\n", key) +
         text_of(table_of(grid, step), grid) + notes_below(rows);
}

std::string render_map(const Rows& rows, const std::string& key) {
  const SweepGrid grid = grid_of_fastest(rows, key);
  const auto winner = [&](const SweepRow& row) { return winner_text(grid, rows, row); };
  return sweep_heading(rows) +
         wrap(fmt::format("Fastest schedule, by {}: {}; beside the letter the speed-up over the "
                          "first",
                          key, fmt::join(lettered_schedules(grid), ", ")),
              2) +
         "\n" + text_of(table_of(grid, winner), grid) + notes_below(rows);
}

}  // namespace stepcast
