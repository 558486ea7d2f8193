#pragma once

#include <string>
#include <vector>

#include "sim/report/forecast.hpp"

namespace stepcast {

/// One forecast in full: times, breakdown, communication, links, why, notes, where the inputs come
/// from. At most kReportWidth columns.
std::string render_run(const Forecast& forecast);

/// A row for each forecast. Neighbours of the same workload, cluster and size share a table;
/// speed-ups are against its first row. Below it: why, for each row.
std::string render_compare(const std::vector<Forecast>& forecasts);

/// Every column heading and row name that the two print.
std::vector<std::string> rendered_names();

}  // namespace stepcast
