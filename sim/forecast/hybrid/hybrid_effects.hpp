#pragma once

#include "sim/forecast/hybrid/hybrid_forecast.hpp"

namespace stepcast {

/// That passes of a micro-batch take the times of another batch, where they do. Settings that say
/// how times follow the batch mean nothing where the model is cut.
Notes notes_on_micro_batch(const CutModel& model, std::uint32_t micro_batch);

/// Options of a job that cuts the model which changed nothing: without them the step takes as long
/// and its stages hold as much. Those of the layout and the batch, which the report names anyway,
/// are left out.
///
/// Each costs one more simulation; none is made of chance, at `step` fidelity, nor with more than
/// 1024 ranks at `flow`.
Notes changes_without_effect(const HybridScenario& scenario, const Forecast& forecast);

}  // namespace stepcast
