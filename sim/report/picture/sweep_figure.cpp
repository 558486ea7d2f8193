#include "sim/report/picture/sweep_figure.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <span>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/picture/heat_map.hpp"
#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/studies/boundaries_report.hpp"
#include "sim/report/text/wording.hpp"

namespace stepcast {
namespace {

using Rows = std::vector<SweepRow>;
using Line = SweepGrid::Line;

// More curves in one plot cannot be told apart.
constexpr std::size_t kMostDrawn = 8;
constexpr std::size_t kMostGroups = 4;

/// Leaves the lines that have a forecast at every value of the key.
SweepGrid whole_lines(SweepGrid grid) {
  std::erase_if(grid.lines, [](const Line& line) {
    return std::ranges::find(line.rows, nullptr) != line.rows.end();
  });
  if (grid.lines.empty())
    throw InputError(
        fmt::format("the figure would be empty: no line has a forecast at every {}", grid.key));
  return grid;
}

bool has_range(const SweepRow* row) {
  return row->forecast.likely_high > Seconds{};
}

/// How the curve of a line is called: its group by what varies before the schedule, its name by the
/// schedule and what follows it.
struct CurveNames {
  std::size_t at = 0;  ///< Where the name begins among the cells of a line.

  explicit CurveNames(const SweepGrid& grid) {
    const auto schedule = std::ranges::find(grid.names, "schedule");
    at = schedule == grid.names.end() ? 0 : static_cast<std::size_t>(schedule - grid.names.begin());
  }
  std::string group(const Line& line) const {
    return fmt::format("{}", fmt::join(std::span(line.cells).first(at), " "));
  }
  std::string name(const Line& line) const {
    return fmt::format("{}", fmt::join(std::span(line.cells).subspan(at), " "));
  }
};

/// Keeps the first groups, and of each the curves with the shortest steps at the last value, summed
/// over the groups.
void keep_fastest(std::vector<Line>& lines, const CurveNames& of) {
  const auto keep = [&](const std::vector<std::string>& kept, auto name_of) {
    std::erase_if(lines, [&](const Line& line) {
      return std::ranges::find(kept, std::invoke(name_of, of, line)) == kept.end();
    });
  };
  std::vector<std::string> groups =
      distinct(lines, [&](const Line& line) { return of.group(line); });
  groups.resize(std::min(groups.size(), kMostGroups));
  keep(groups, &CurveNames::group);
  std::map<std::string, Seconds> sums;
  for (const Line& line : lines)
    sums[of.name(line)] += line.rows.back()->forecast.iteration_time;
  std::vector<std::string> names = distinct(lines, [&](const Line& line) { return of.name(line); });
  std::ranges::stable_sort(names, {}, [&](const std::string& name) { return sums[name]; });
  names.resize(std::min(names.size(), std::max<std::size_t>(1, kMostDrawn / groups.size())));
  keep(names, &CurveNames::name);
}

ChartLine chart_line_of(const Line& line) {
  ChartLine chart{.name = "", .values = {}};
  const bool ranges = std::ranges::all_of(line.rows, has_range);
  for (const SweepRow* row : line.rows) {
    chart.values.push_back(row->forecast.iteration_time.value * 1e3);
    if (!ranges)
      continue;
    chart.lows.push_back(row->forecast.likely_low.value * 1e3);
    chart.highs.push_back(row->forecast.likely_high.value * 1e3);
  }
  return chart;
}

/// Lines of one name look alike in each group.
void add_lines(LineChart& chart, const std::vector<Line>& lines, const CurveNames& of) {
  const auto index_in = [](const std::vector<std::string>& names, const std::string& name) {
    return static_cast<std::size_t>(std::ranges::find(names, name) - names.begin());
  };
  const std::vector<std::string> names =
      distinct(lines, [&](const Line& line) { return of.name(line); });
  const std::vector<std::string> groups =
      distinct(lines, [&](const Line& line) { return of.group(line); });
  for (const Line& line : lines) {
    ChartLine& drawn = chart.lines.emplace_back(chart_line_of(line));
    drawn.name = of.name(line);
    drawn.member = index_in(names, drawn.name);
    drawn.group = index_in(groups, of.group(line));
  }
  if (of.at > 0)
    chart.groups = groups;
}

/// Where a value of the key lies between the columns' centres, on a logarithmic scale; NaN outside.
double place_of(const std::vector<double>& columns, double value) {
  if (!is_density(value) || columns.size() < 2 || value < columns.front() || value > columns.back())
    return std::numeric_limits<double>::quiet_NaN();
  const auto above = std::max(std::ranges::lower_bound(columns, value), columns.begin() + 1);
  const double part = std::log(value / *(above - 1)) / std::log(*above / *(above - 1));
  return static_cast<double>(above - columns.begin()) - 1 + part;
}

const JobBoundaries* boundaries_of(const Line& line, const std::vector<JobBoundaries>& all) {
  const auto found = std::ranges::find_if(all, [&](const JobBoundaries& each) {
    return std::equal(each.job.begin(), each.job.end(), line.rows.front()->cells.begin(),
                      [](const Cell& a, const Cell& b) { return a.value == b.value; });
  });
  return found == all.end() ? nullptr : &*found;
}

/// The marks of a map, whose rows are these lines.
void add_marks(HeatMap& map, const SweepGrid& grid, const std::vector<const Line*>& lines,
               const std::vector<JobBoundaries>& all) {
  std::vector<double> columns;
  for (const std::string& value : grid.values)
    columns.push_back(parse_number(value));
  const std::size_t pairs = all.front().boundaries.size();
  for (std::size_t pair = 0; pair < pairs; ++pair)
    for (const bool analytic : {true, false}) {
      const Boundary& first = all.front().boundaries[pair];
      HeatMapMark mark{
          .name = fmt::format("{} left of it faster than {}: {}", first.below, first.above,
                              analytic ? "counting bytes alone" : "as simulated"),
          .at = {},
          .hollow = analytic,
          .second_colour = pair % 2 == 1};
      for (const Line* line : lines) {
        const JobBoundaries* of = boundaries_of(*line, all);
        mark.at.push_back(of == nullptr
                              ? std::numeric_limits<double>::quiet_NaN()
                              : place_of(columns, analytic ? of->boundaries[pair].analytic
                                                           : of->boundaries[pair].simulated[0]));
      }
      map.marks.push_back(std::move(mark));
    }
}

void add_row(HeatMap& map, const SweepGrid& grid, const Rows& rows, const Line& line) {
  map.rows.push_back(line.cells.empty() ? "" : line.cells.back());
  auto& category = map.category.emplace_back();
  auto& strength = map.strength.emplace_back();
  auto& text = map.text.emplace_back();
  for (const SweepRow* row : line.rows) {
    category.push_back(schedule_index(grid, *row));
    const double gain = speedup_of(row->forecast, rows[row->baseline].forecast);
    strength.push_back(std::log2(gain) / 2);  // full at 4 times the first
    text.push_back(winner_text(grid, rows, *row));
  }
}

/// What tells the map of a line from other maps: all of its cells but the last.
std::string title_of(const SweepGrid& grid, const Line& line) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i + 1 < line.cells.size(); ++i)
    parts.push_back(grid.names[i] + "=" + line.cells[i]);
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string lines_svg(const Rows& rows, const std::string& key) {
  SweepGrid grid = whole_lines(grid_across(rows, key));
  const std::size_t all = grid.lines.size();
  const CurveNames names(grid);
  keep_fastest(grid.lines, names);
  LineChart chart{.x_label = key, .y_label = "step ms", .positions = grid.values};
  add_lines(chart, grid.lines, names);
  std::string title = "Step time" + shared_setup(rows);
  if (grid.lines.size() < all)
    title += fmt::format(": {} of {} curves, those of the fastest at {}={}", grid.lines.size(), all,
                         key, grid.values.back());
  std::vector<std::string> notes;
  if (std::ranges::any_of(chart.lines, [](const ChartLine& line) { return !line.lows.empty(); }))
    notes.emplace_back("Bars: where a measured step is likely to lie.");
  return sheet_of(title, {panel_of(chart)}, notes);
}

std::string map_svg(const Rows& rows, const std::string& key,
                    const std::vector<JobBoundaries>& boundaries) {
  const bool by_density = key == "density";
  const SweepGrid grid = whole_lines(grid_of_fastest(rows, key));
  std::vector<HeatMap> maps;
  std::vector<std::vector<const Line*>> lines;
  for (const Line& line : grid.lines) {
    if (maps.empty() || maps.back().title != title_of(grid, line)) {
      maps.push_back({.title = title_of(grid, line),
                      .x_label = by_density ? "density: selected part of the gradient" : key,
                      .y_label = grid.names.empty() ? "" : grid.names.back(),
                      .columns = grid.values});
      lines.emplace_back();
    }
    add_row(maps.back(), grid, rows, line);
    lines.back().push_back(&line);
  }
  for (std::size_t map = 0; map < maps.size() && !boundaries.empty(); ++map)
    add_marks(maps[map], grid, lines[map], boundaries);
  std::vector<std::string> notes{
      "Beside the letter: speed-up over the first schedule; the paler, the less."};
  if (by_density)
    notes.emplace_back(kDensityCaveat);
  return to_svg("Fastest schedule" + shared_setup(rows), maps, lettered_schedules(grid), notes);
}

}  // namespace stepcast
