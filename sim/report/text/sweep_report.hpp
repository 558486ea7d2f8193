#pragma once

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// Returns the indices of the cells, which `cells_of` finds in a row, that are not the same in all
/// rows; at least one row.
template <class Rows, class CellsOf>
std::vector<std::size_t> varying_cells(const Rows& rows, CellsOf cells_of) {
  const std::vector<Cell>& first = std::invoke(cells_of, rows.front());
  std::vector<std::size_t> varying;
  for (std::size_t cell = 0; cell < first.size(); ++cell)
    if (std::ranges::any_of(rows, [&](const auto& row) {
          return std::invoke(cells_of, row)[cell].value != first[cell].value;
        }))
      varying.push_back(cell);
  return varying;
}
inline std::vector<std::size_t> varying_cells(const std::vector<SweepRow>& rows) {
  return varying_cells(rows, &SweepRow::cells);
}

/// How many forecasts there are, and what is the same in all of them.
std::string sweep_heading(const std::vector<SweepRow>& rows);

/// What made no difference, and the notes of the forecasts.
std::string sweep_notes(const std::vector<SweepRow>& rows);

/// One table: a column for each thing that differs between rows, then the results; as many of these
/// as fit report_width(), and whether a row fits its GPU where one does not. What all rows share
/// stands above it; below it what makes no difference, and the notes of the forecasts.
std::string render_sweep(const std::vector<SweepRow>& rows);

/// The combinations that have no forecast, each with the reason, as lines below a table; "" where
/// there are none.
std::string render_refused(const Sweep& sweep, const std::vector<SweepResult>& results);

/// Throws InputError that names the first of the refusals, as render_refused() writes them, if
/// there are any. Precondition: no combination has a forecast.
void require_forecast(const std::string& refusals);

/// The refusals as a list for JSON.
nlohmann::ordered_json refused_json(const Sweep& sweep, const std::vector<SweepResult>& results);

/// `json` as compare_json() or sweep_json() wrote it, with the list where it is not empty.
std::string with_list(std::string json, const char* name, nlohmann::ordered_json list);

/// The first line of a table of results as CSV: what varies, then GPUs, times in seconds, memory
/// per GPU and the other results, and why there are none.
std::string sweep_csv_head(const std::vector<Cell>& cells, bool with_refusals);

/// One of the following lines. "fits" is yes or no, and empty where the memory of the GPU is not
/// known. `baseline`: what its speed-up is against; may be null.
std::string sweep_csv_row(const std::vector<Cell>& cells, const SweepResult& result,
                          const Forecast* baseline, bool with_refusals);

}  // namespace stepcast
