#pragma once

#include <string>

#include "models/schedule/plan.hpp"
#include "sim/forecast/forecast.hpp"
#include "sim/forecast/hybrid/hybrid_forecast.hpp"
#include "sim/timeline/timeline.hpp"

namespace stepcast {

/// One forecast as an SVG document: where the step goes, what ran when in the steady iteration, how
/// busy the links are, and what the memory of a GPU holds. Of more than 48 lanes the first are
/// drawn and the title says so.
std::string run_figure(const Forecast& forecast, const Plan& plan, const Timeline& timeline);

/// The same without a timeline, of schedules whose workers decide at run time.
std::string run_figure(const Forecast& forecast);

/// The pipeline of a job that cuts the model, for print: a row for each stage, with the passes of
/// the steady iteration on one of its ranks. Passes bear the number of their micro-batch where that
/// fits; those of other parts that a rank holds are lighter, and halves of backward passes, of
/// inputs and of weights, have colours of their own.
std::string pipeline_figure(const HybridResult& result);

}  // namespace stepcast
