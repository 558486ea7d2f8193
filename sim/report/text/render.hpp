#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// One forecast in about ten lines: step, throughput, utilisation, memory, breakdown, bottleneck
/// and what to try; below them notes that cast doubt on it. `verbose`: then options, all tables,
/// why, notes and where the inputs come from. At most report_width() columns. `adapters`: see
/// adapters_in_title().
std::string render_run(const Forecast& forecast, const std::string& adapters = "",
                       bool verbose = false);

/// The names of the lines with which render_run() begins.
std::vector<std::string> names_of_run();

/// A row for each forecast. Neighbours of the same workload, cluster and size share a table;
/// speed-ups are against its first row. Below it: why, for each row. `adapters` are those of all.
std::string render_compare(const std::vector<Forecast>& forecasts,
                           const std::string& adapters = "");

/// "resnet50-rtx2080ti-bs64 on rtx2080ti-16x4-10gbe, 64 GPUs (16 x 4), flow fidelity"
std::string title_of(const Forecast& forecast, const std::string& adapters = "");

/// The layout of a model-parallel schedule, its utilisation, what each stage does and what its
/// bubble is; empty for another schedule.
std::string stage_tables(const Forecast& forecast);

}  // namespace stepcast
