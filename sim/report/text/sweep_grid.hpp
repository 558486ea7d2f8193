#pragma once
// A sweep as a grid: a column for each value of one of the things that it varies.

#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

struct SweepGrid {
  /// A row of the grid, and a forecast for each value of the key; null where there is none.
  struct Line {
    std::vector<std::string> cells;
    std::vector<const SweepRow*> rows;
  };

  std::string key;  ///< "nodes"
  /// Of the key: ascending where all are numbers, otherwise in the order of the sweep.
  std::vector<std::string> values{};
  std::vector<std::string> names{};      ///< What else varies: "cluster", "schedule".
  std::vector<std::string> schedules{};  ///< Of all rows, each once, in their order.
  std::vector<Line> lines{};
};

/// Throws InputError, which begins with `option`, where no combination has such a cell.
void require_cell(const Sweep& sweep, const std::string& option, const std::string& key);

/// A line for each combination of what else varies. A schedule that does not have the option `key`
/// stands at each of its values. The rows must outlive the grid.
SweepGrid grid_across(const std::vector<SweepRow>& rows, const std::string& key);

/// A line for each job; at each value of the key the forecast that trains most samples a second,
/// the first of equals.
SweepGrid grid_of_fastest(const std::vector<SweepRow>& rows, const std::string& key);

/// Returns the index of the row's schedule among those of the grid.
std::size_t schedule_index(const SweepGrid& grid, const SweepRow& row);

/// Returns "A ddp", "B dear": the schedules of the grid with their letters.
std::vector<std::string> lettered_schedules(const SweepGrid& grid);

/// "B 1.46": the letter of the schedule, and the speed-up over the first row of the same job.
std::string winner_text(const SweepGrid& grid, const std::vector<SweepRow>& rows,
                        const SweepRow& row);

/// Iteration times, a column for each value of the key; across schedules also the gain of the
/// fastest. Below them the notes of the forecasts.
std::string render_across(const std::vector<SweepRow>& rows, const std::string& key);

/// The fastest schedule at each value of the key, for each job.
std::string render_map(const std::vector<SweepRow>& rows, const std::string& key);

}  // namespace stepcast
