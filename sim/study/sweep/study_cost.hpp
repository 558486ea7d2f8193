#pragma once

#include <cstddef>
#include <limits>
#include <optional>

#include "sim/forecast/cost_estimate.hpp"
#include "sim/study/sweep/sweep.hpp"

namespace stepcast {

/// Whether `forecasts` simulations of so many ranks may take long or much memory; where not, it is
/// not worth a plan to find out.
bool may_take_much(const Cluster& cluster, const EngineOptions& options, double forecasts);

/// What the forecasts of a sweep are going to take: memory of the largest, in a process, and the
/// time of all on `workers` processes; from up to 32 of them, and from fewer where one takes more
/// than `enough`: planning the others would take it, too. `more` simulations like those of the
/// sweep follow. Nothing where they cannot take much.
std::optional<CostEstimate> cost_of(const Sweep& sweep, std::uint32_t workers, std::size_t more = 0,
                                    Bytes enough = {std::numeric_limits<double>::infinity()});

/// Memory that an asynchronous schedule is known to need, before its graph is made.
Bytes least_memory_of_protocol(const Scenario& scenario, const std::string& schedule);

/// What the runs of an asynchronous schedule are going to take: from counts of workers, iterations
/// and seeds, within a factor of about three, or from the time that a two-hundredth of the
/// iterations takes here where such a trial is short. Nothing where both are little. Throws as the
/// protocol does.
std::optional<CostEstimate> cost_of_protocol(const Scenario& scenario, const std::string& schedule);

/// The same of `forecasts` simulations like that of one schedule of the scenario.
std::optional<CostEstimate> cost_of(const Scenario& scenario, const std::string& schedule,
                                    double forecasts, std::uint32_t workers);

}  // namespace stepcast
