#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

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
