#pragma once

#include <string>
#include <vector>

#include "sim/forecast/forecast.hpp"

namespace stepcast {

/// One forecast in full: times, breakdown, communication, links, why, notes, where the inputs come
/// from. At most kReportWidth columns. `adapters`: see adapters_in_title().
std::string render_run(const Forecast& forecast, const std::string& adapters = "");

/// A row for each forecast. Neighbours of the same workload, cluster and size share a table;
/// speed-ups are against its first row. Below it: why, for each row. `adapters` are those of all.
std::string render_compare(const std::vector<Forecast>& forecasts,
                           const std::string& adapters = "");

/// "resnet50-rtx2080ti-bs64 on rtx2080ti-16x4-10gbe, 64 GPUs (16 x 4), flow fidelity"
std::string title_of(const Forecast& forecast, const std::string& adapters = "");

}  // namespace stepcast
