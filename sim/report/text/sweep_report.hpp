#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "sim/study/forecast.hpp"

namespace stepcast {

/// Something that a sweep varies, and its value in one combination.
struct Cell {
  std::string name;   ///< "workload", "nodes", "fusion_buffer"
  std::string value;  ///< "-" for an option that the schedule does not have.
};

/// One forecast of a sweep.
struct SweepRow {
  std::vector<Cell> cells;  ///< The same names in every row.
  Forecast forecast;
  std::size_t baseline = 0;  ///< Row that its speed-up is against: the first of the same job.
};

/// One table: a column for each thing that differs between rows, then the results; as many of these
/// as fit kReportWidth. What all rows share stands above it; below it what makes no difference, and
/// the notes of the forecasts.
std::string render_sweep(const std::vector<SweepRow>& rows);

/// {"results": [...]} as compare_json() writes it, each with its combination; speed-ups are against
/// the first row of the same job.
std::string sweep_json(const std::vector<SweepRow>& rows);

/// A line for each row: what varies, then times in seconds and the other results.
std::string sweep_csv(const std::vector<SweepRow>& rows);

}  // namespace stepcast
