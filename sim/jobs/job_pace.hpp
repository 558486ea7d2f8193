#pragma once

#include <vector>

#include "traces/job/job.hpp"
#include "traces/stalled_steps.hpp"

namespace stepcast {

/// By step of a job, whether it stalled, see find_stalled(). None is told where nothing joins the
/// clocks of the job's parts.
std::vector<bool> stalled_steps_of(const Job& job);

/// Precondition: not empty, as many values as flags; not all stalled.
double mean_of_usual(const std::vector<double>& values, const std::vector<bool>& stalled);

/// The job without the steps that stalled.
Job without_stalled_steps(const Job& job, const std::vector<bool>& stalled);

}  // namespace stepcast
