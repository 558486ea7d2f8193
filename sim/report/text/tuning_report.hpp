#pragma once

#include <string>
#include <vector>

#include "sim/forecast/tuning/tune.hpp"

namespace stepcast {

/// Head, the trials with the best so far, a plot of option against iteration time, the best value.
/// Where a step of one trial trains more samples than that of another, samples per second stand
/// beside the iteration time, and in its place in the plot. Of more than 40 trials only those that
/// were the best so far are listed.
/// `notes` are those of the best.
std::string render_tuning(const ScheduledJob& job, const Tuning& tuning, const Notes& notes);

/// The same as JSON text; values as text and in the option's base unit. A refused value has null
/// for what was not measured, and the reason as "infeasible".
std::string tuning_json(const ScheduledJob& job, const Tuning& tuning, const Notes& notes);

/// A row for each trial, as they come: trial, value as text, value in the base unit, iteration
/// time, iteration time of the best so far, samples per second. What was not measured is empty.
std::string tuning_csv_head(const std::string& option, OptionKind kind);
std::string tuning_csv_row(std::size_t number, const Trial& trial, const Trial& best);

}  // namespace stepcast
