#pragma once

#include <optional>

#include "sim/forecast/likely_range.hpp"
#include "sim/forecast/scenario.hpp"

namespace stepcast {

/// Adds to the forecast of a scenario what a user of `--set` may not expect: settings without any
/// effect, times that do not follow the batch size, and a cluster beyond its measured size. Where
/// the profiled device waited for its host for most of the step, the verdict begins with that, and
/// with the step without these gaps.
///
/// Whether a setting had an effect is found by simulating once more without it; not done at `step`
/// fidelity nor with more than 1024 ranks at `flow`, where a simulation takes its time.
void add_notes(Forecast& forecast, const Scenario& scenario);

/// Where the step is likely to lie by the errors of checked cases that are most like it: see
/// shipped_range().
void add_likely_range(Forecast& forecast, const Cluster& cluster,
                      std::optional<bool> experts = std::nullopt);

/// Whether the model has experts; nothing where it is not a transformer.
std::optional<bool> experts_in(const Workload& workload);

/// What add_likely_range() found; without a basis where nothing was known or looked up.
LikelyStep likely_step_of(const Forecast& forecast);

/// What of add_notes() needs no simulation, and add_likely_range().
void add_cheap_notes(Forecast& forecast, const Scenario& scenario);

/// Whether a note may cost a simulation on such a cluster.
bool is_cheap(const EngineOptions& engine, const Cluster& cluster);

/// Equal but for rounding: another plan may add up the same times in another order.
bool same(Seconds a, Seconds b);

/// On a batch that times do not follow.
Notes notes_on_batch(const Scenario& scenario);

/// Every note of a forecast of the scenario that needs no simulation.
Notes notes_before_simulation(const Scenario& scenario, const ScheduledJob& job,
                              const PlannedRun& run);

/// Plans the job first. An asynchronous schedule has no plan: only the notes on its inputs are
/// returned.
Notes notes_before_simulation(const Scenario& scenario, const ScheduledJob& job);

/// Says that passes of a micro-batch take the times of another batch, where they do.
Notes notes_on_micro_batch(const Workload& model, std::uint32_t micro_batch);

/// Options, settings of the cluster, stragglers and laws of `--slow` that changed nothing about the
/// iteration time and the memory of the schedule, neither by themselves nor together (see
/// idle_settings()). Each costs a simulation. Options that say what the job is, its layout and
/// batch, are left out.
Notes changes_without_effect(const Scenario& scenario, const std::string& schedule,
                             Seconds iteration_time);

/// For a comparison: of the notes on settings of the cluster and stragglers keeps those that all
/// forecasts have. That a Horovod cost does not matter to DDP is no news.
void drop_notes_of_single_rows(std::vector<Forecast>& forecasts);

}  // namespace stepcast
