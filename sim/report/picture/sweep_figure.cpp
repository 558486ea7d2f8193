#include "sim/report/picture/sweep_figure.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/base/text.hpp"
#include "sim/report/picture/heat_map.hpp"
#include "sim/report/picture/svg_chart.hpp"
#include "sim/report/text/sweep_report.hpp"

namespace stepcast {
namespace {

using Rows = std::vector<SweepRow>;
using Line = SweepGrid::Line;

constexpr std::size_t kMostSchedules = 8;

/// What all rows are of: "resnet50 on 10gbe", as far as it does not vary.
std::string setup_of(const Rows& rows) {
  const auto all = [&](auto field) {
    return std::ranges::all_of(rows, [&](const SweepRow& row) {
      return row.forecast.*field == rows.front().forecast.*field;
    });
  };
  const Forecast& first = rows.front().forecast;
  return (all(&Forecast::workload) ? " of " + first.workload : "") +
         (all(&Forecast::cluster) ? " on " + first.cluster : "");
}

bool is_whole(const Line& line) {
  return std::ranges::find(line.rows, nullptr) == line.rows.end();
}

bool has_range(const SweepRow* row) {
  return row->forecast.likely_high > Seconds{};
}

const std::string& schedule_of(const Line& line) {
  return line.rows.back()->forecast.schedule;
}

/// The schedules with the shortest step at the last value, summed over the lines of each.
std::vector<std::string> fastest_schedules(const std::vector<Line>& lines) {
  std::vector<std::pair<Seconds, std::string>> sums;
  for (const Line& line : lines) {
    auto sum = std::ranges::find(sums, schedule_of(line), &std::pair<Seconds, std::string>::second);
    if (sum == sums.end())
      sum = sums.insert(sum, {Seconds{}, schedule_of(line)});
    sum->first += line.rows.back()->forecast.iteration_time;
  }
  std::ranges::stable_sort(sums, {}, &std::pair<Seconds, std::string>::first);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(sums.size(), kMostSchedules); ++i)
    names.push_back(sums[i].second);
  return names;
}

ChartLine chart_line_of(const Line& line) {
  ChartLine chart{.name = fmt::format("{}", fmt::join(line.cells, " ")), .values = {}};
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

/// Lines of one schedule look alike in each group, which is what varies besides.
void add_lines(LineChart& chart, const SweepGrid& grid) {
  const auto at =
      static_cast<std::size_t>(std::ranges::find(grid.names, "schedule") - grid.names.begin());
  if (at == grid.names.size() || at == 0) {
    for (const Line& line : grid.lines) {
      chart.lines.push_back(chart_line_of(line));
      chart.lines.back().member = chart.lines.size() - 1;
    }
    return;
  }
  for (const Line& line : grid.lines) {
    const std::vector<std::string> before(line.cells.begin(),
                                          line.cells.begin() + static_cast<std::ptrdiff_t>(at));
    const std::string group = fmt::format("{}", fmt::join(before, " "));
    if (chart.groups.empty() || chart.groups.back() != group)
      chart.groups.push_back(group);
    ChartLine drawn = chart_line_of(line);
    drawn.name = fmt::format("{}", fmt::join(line.cells.begin() + static_cast<std::ptrdiff_t>(at),
                                             line.cells.end(), " "));
    drawn.group = chart.groups.size() - 1;
    drawn.member =
        static_cast<std::size_t>(std::ranges::count(chart.lines, drawn.group, &ChartLine::group));
    chart.lines.push_back(std::move(drawn));
  }
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

void add_row(HeatMap& map, const Rows& rows, const Line& line) {
  const std::vector<std::string> schedules = schedules_in(rows);
  map.rows.push_back(line.cells.empty() ? "" : line.cells.back());
  auto& category = map.category.emplace_back();
  auto& strength = map.strength.emplace_back();
  auto& text = map.text.emplace_back();
  for (const SweepRow* row : line.rows) {
    category.push_back(static_cast<std::size_t>(
        std::ranges::find(schedules, row->forecast.schedule) - schedules.begin()));
    const double gain = speedup_of(row->forecast, rows[row->baseline].forecast);
    strength.push_back(std::log2(gain) / 2);  // full at 4 times the first
    text.push_back(winner_text(rows, *row));
  }
}

/// What tells the map of a line from other maps: all of its cells but the last.
std::string title_of(const SweepGrid& grid, const Line& line) {
  std::vector<std::string> parts;
  for (std::size_t i = 0; i + 1 < line.cells.size(); ++i)
    parts.push_back(grid.names[i] + "=" + line.cells[i]);
  return parts.empty() ? gpus_in_words(line.rows.front()->forecast.gpus)
                       : fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::string lines_svg(const Rows& rows, const std::string& key) {
  SweepGrid grid = grid_across(rows, key);
  std::erase_if(grid.lines, [](const Line& line) { return !is_whole(line); });
  if (grid.lines.empty())
    throw InputError(fmt::format("no curve is drawn: none has a forecast at every {}", key));
  const std::size_t all = grid.lines.size();
  const std::vector<std::string> kept = fastest_schedules(grid.lines);
  std::erase_if(grid.lines, [&](const Line& line) {
    return std::ranges::find(kept, schedule_of(line)) == kept.end();
  });
  LineChart chart{.title = "Step time" + setup_of(rows),
                  .x_label = key,
                  .y_label = "step ms",
                  .positions = grid.values};
  if (std::ranges::all_of(grid.lines.front().rows, has_range))
    chart.title += "; bars: where a measured step is likely to lie";
  if (grid.lines.size() < all)
    chart.title += fmt::format(": {} of {} curves, of the schedules that are fastest at {}={}",
                               grid.lines.size(), all, key, grid.values.back());
  add_lines(chart, grid);
  return svg_of(chart);
}

std::string map_svg(const Rows& rows, const std::string& key,
                    const std::vector<JobBoundaries>& boundaries) {
  SweepGrid grid = grid_of_fastest(rows, key);
  std::erase_if(grid.lines, [](const Line& line) { return !is_whole(line); });
  std::vector<HeatMap> maps;
  std::vector<std::vector<const Line*>> lines;
  for (const Line& line : grid.lines) {
    if (maps.empty() || maps.back().title != title_of(grid, line)) {
      maps.push_back({.title = title_of(grid, line),
                      .x_label = key == "density" ? "density: selected part of the gradient" : key,
                      .y_label = grid.names.empty() ? "" : grid.names.back(),
                      .columns = grid.values});
      lines.emplace_back();
    }
    add_row(maps.back(), rows, line);
    lines.back().push_back(&line);
  }
  for (std::size_t map = 0; map < maps.size() && !boundaries.empty(); ++map)
    add_marks(maps[map], grid, lines[map], boundaries);
  std::vector<std::string> categories;
  for (const std::string& schedule : schedules_in(rows))
    categories.push_back(
        fmt::format("{} {}", static_cast<char>('A' + categories.size() % 26), schedule));
  return to_svg("Fastest schedule" + setup_of(rows), maps, categories,
                {"Beside the letter: speed-up over the first schedule; the paler, the less."});
}

}  // namespace stepcast
