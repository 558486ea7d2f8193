#pragma once

#include <string>
#include <vector>

#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// "yes" or "no": whether the memory of the GPU suffices; "" where it is not known.
std::string fit_of(const Forecast& forecast);

/// One table: a column for each thing that differs between rows, then the results; as many of these
/// as fit kReportWidth, and whether a row fits its GPU where one does not. What all rows share
/// stands above it; below it what makes no difference, and the notes of the forecasts.
std::string render_sweep(const std::vector<SweepRow>& rows);

/// {"results": [...]} as compare_json() writes it, each with its combination; speed-ups are against
/// the first row of the same job.
std::string sweep_json(const std::vector<SweepRow>& rows);

/// A line for each row: what varies, then its GPUs, times in seconds, memory per GPU and the other
/// results. "fits" is yes or no, and empty where the memory of the GPU is not known.
std::string sweep_csv(const std::vector<SweepRow>& rows);

}  // namespace stepcast
