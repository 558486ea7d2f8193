#pragma once

#include <string>
#include <vector>

#include "sim/report/text/sweep_grid.hpp"
#include "sim/study/crossover/boundaries.hpp"

namespace stepcast {

/// Iteration times over the values of the key, a line for each combination of what else varies, as
/// an SVG document. At most eight are drawn, in at most four groups: those that are fastest at the
/// last value, which the title says. Throws InputError where there are none.
std::string lines_svg(const std::vector<SweepRow>& rows, const std::string& key);

/// Heat maps of the fastest schedule: values of the key across, those of the last thing that varies
/// besides up, and a map for each combination of the rest. Boundaries are marked. Throws
/// InputError where no row has a forecast at every value.
std::string map_svg(const std::vector<SweepRow>& rows, const std::string& key,
                    const std::vector<JobBoundaries>& boundaries);

}  // namespace stepcast
