#include "sim/forecast/effects.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/list/registry.hpp"
#include "models/schedule/model_parallel/hybrid_job.hpp"
#include "models/workload/transformer/transformer_workload.hpp"
#include "sim/engine/steps.hpp"
#include "sim/forecast/forecast_notes.hpp"
#include "sim/forecast/idle_settings.hpp"
#include "sim/forecast/network_notes.hpp"
#include "traces/formats/stepcast/cluster_file.hpp"

namespace stepcast {
namespace {

constexpr std::uint32_t kMostRanks = 1024;

/// One setting of the user, and how a scenario becomes one without it.
struct Change {
  NoteKind kind = NoteKind::Setting;
  std::string subject;    ///< "fusion_buffer"
  std::string setting;    ///< "fusion_buffer=30MiB"
  std::string otherwise;  ///< "with the default 25MiB"
  std::function<void(Scenario&)> leave_out;
};

/// The layout of a partitioned model, its batch and its order say what the job is.
bool says_what_the_job_is(const ScheduleInfo& schedule, const std::string& option) {
  std::vector<std::string> names = layout_axes();
  names.insert(names.end(), {"micro_batch", "global_batch", "order"});
  return schedule.partitions_model() && std::ranges::find(names, option) != names.end();
}

/// A recorded job has options of its own in place of the defaults.
void add_option_changes(std::vector<Change>& changes, const Scenario& scenario,
                        const std::string& name) {
  const Settings& settings = scenario.settings;
  const bool recorded = scenario.workload.pipeline.has_value();
  const ScheduleInfo& schedule = schedule_of(name, settings.schedule);
  for (const OptionInfo& option : schedule.options) {
    const auto given = settings.schedule.find(option.name);
    if (given == settings.schedule.end() || says_what_the_job_is(schedule, option.name) ||
        (given->second == option.default_value && !recorded))
      continue;
    changes.push_back(
        {.kind = NoteKind::Option,
         .subject = option.name,
         .setting = option.name + "=" + given->second,
         .otherwise = recorded ? "as recorded" : "with the default " + option.default_value,
         .leave_out = [name = option.name](Scenario& s) { s.settings.schedule.erase(name); }});
  }
}

/// The size is reported anyway, and of a section that the cluster may lack no field stands alone.
bool is_reported_or_shared(const std::string& path) {
  const auto field = std::ranges::find(cluster_fields(), path, &ClusterField::path);
  return field != cluster_fields().end() &&
         (field->topic == FieldTopic::Size || is_in_optional_section(*field));
}

void add_cluster_changes(std::vector<Change>& changes, const Settings& settings) {
  for (const auto& [path, value] : settings.cluster)
    if (!is_reported_or_shared(path))
      changes.push_back(
          {.subject = "cluster." + path,
           .setting = fmt::format("cluster.{}={}", path, value),
           .otherwise = "with the cluster's own",
           .leave_out = [name = path](Scenario& s) { s.settings.cluster.erase(name); }});
}

void add_straggler_changes(std::vector<Change>& changes, const Settings& settings) {
  for (const auto& [rank, factor] : settings.stragglers)
    changes.push_back({.subject = fmt::format("straggler.{}", rank),
                       .setting = fmt::format("straggler.{}={}", rank, factor),
                       .otherwise = "without it",
                       .leave_out = [r = rank](Scenario& s) { s.settings.stragglers.erase(r); }});
}

using Laws = std::vector<SlowDown::Law> SlowDown::*;

/// Without chance every law is of one rank. One that is left out keeps its place, so that several
/// can be.
void add_slow_changes(std::vector<Change>& changes, const SlowDown& slow, Laws laws,
                      const char* on) {
  for (std::size_t i = 0; i < (slow.*laws).size(); ++i)
    if (const auto* fixed = std::get_if<SlowDown::Fixed>(&(slow.*laws)[i]))
      changes.push_back(
          {.subject = "slow",
           .setting = fmt::format("slow rank={},factor={}{}", fixed->rank, fixed->factor, on),
           .otherwise = "without it",
           .leave_out = [laws, i](Scenario& s) {
             (s.engine.slow_down.*laws)[i] = SlowDown::Fixed{};
           }});
}

std::vector<Change> changes_of(const Scenario& scenario, const std::string& schedule) {
  std::vector<Change> changes;
  add_option_changes(changes, scenario, schedule);
  add_cluster_changes(changes, scenario.settings);
  add_straggler_changes(changes, scenario.settings);
  add_slow_changes(changes, scenario.engine.slow_down, &SlowDown::laws, "");
  add_slow_changes(changes, scenario.engine.slow_down, &SlowDown::transfers, ",on=network");
  return changes;
}

void drop_empty_laws(SlowDown& slow) {
  for (auto* laws : {&slow.laws, &slow.transfers})
    std::erase_if(*laws, [](const SlowDown::Law& law) {
      const auto* fixed = std::get_if<SlowDown::Fixed>(&law);
      return fixed != nullptr && fixed->factor == 1;
    });
}

struct TimeAndMemory {
  Seconds time{};
  Bytes memory{};
};

/// Returns none where the settings cannot be without each other: a delay of 2 needs its 4 local
/// steps.
std::optional<TimeAndMemory> find_step_without(Scenario other, const std::string& schedule,
                                               const std::vector<Change>& changes,
                                               const std::vector<std::size_t>& left_out) try {
  for (const std::size_t change : left_out)
    changes[change].leave_out(other);
  drop_empty_laws(other.engine.slow_down);
  other.cluster = with_settings(other.original_cluster, other.settings);
  other.engine.stragglers = other.settings.stragglers;
  other.engine.fold = true;
  const PlannedRun run = planned(other, schedule);
  return TimeAndMemory{step_time_of(run.plan, other.cluster, run.engine), run.plan.memory.total()};
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

bool same(Seconds a, Seconds b) {
  constexpr double kRounding = 1e-9;
  return std::abs(a / b - 1) < kRounding;
}

bool is_cheap(const EngineOptions& engine, const Cluster& cluster) {
  switch (engine.fidelity) {
    case Fidelity::Analytic:
      return true;
    case Fidelity::Flow:
      return cluster.ranks() <= kMostRanks;
    case Fidelity::Step:
      return false;
  }
  return false;
}

namespace {

void add_host_bound(Forecast& forecast, const Scenario& scenario) {
  constexpr double kMost = 0.5;
  constexpr double kPercent = 100;
  const Seconds gaps = host_gap_time(scenario.workload) * forecast.passes;
  if (gaps <= forecast.iteration_time * kMost)
    return;
  Scenario ahead = scenario;
  ahead.workload = without_layers_of(kHostGap, std::move(ahead.workload));
  const Forecast without = plain_forecast_of(ahead, forecast.schedule);
  forecast.why.insert(
      forecast.why.begin(),
      fmt::format("For {} ({:.1f} % of the step) the device waits for its host, as it did in the "
                  "profile; without these gaps a step takes {}.",
                  format_seconds(gaps), kPercent * (gaps / forecast.iteration_time),
                  format_seconds(without.iteration_time)));
}

}  // namespace

Notes changes_without_effect(const Scenario& scenario, const std::string& schedule,
                             Seconds iteration_time) {
  Notes notes;
  if (!is_cheap(scenario.engine, scenario.cluster))
    return notes;
  const std::vector<Change> changes = changes_of(scenario, schedule);
  if (changes.empty())
    return notes;
  const Bytes memory = planned(scenario, schedule).plan.memory.total();
  const auto same_without = [&](const std::vector<std::size_t>& left_out) {
    const auto without = find_step_without(scenario, schedule, changes, left_out);
    return without && same(without->time, iteration_time) && without->memory == memory;
  };
  for (const std::size_t idle : idle_settings(changes.size(), same_without))
    notes.push_back({changes[idle].kind, changes[idle].subject,
                     fmt::format("{} changed nothing: iteration time and memory are the same {}",
                                 changes[idle].setting, changes[idle].otherwise)});
  return notes;
}

Notes notes_on_micro_batch(const Workload& model, std::uint32_t micro_batch) {
  if (!has_times_of_one_batch(model) || model.batch == micro_batch)
    return {};
  return {{NoteKind::Workload, "batch",
           fmt::format("micro_batch={}: the trace does not say how times follow the batch, so "
                       "layer times are those of batch {}; give a workload of that micro-batch",
                       micro_batch, model.batch)}};
}

Notes notes_on_batch(const Scenario& scenario) {
  const std::uint32_t profiled = scenario.original_workload.batch;
  const bool told =
      scenario.settings.batch_fixed_part || !scenario.settings.second_workload.empty();
  if (!has_times_of_one_batch(scenario.workload) || told || scenario.workload.batch == profiled ||
      scenario.settings.step_time)
    return {};
  return {{NoteKind::Workload, "batch",
           fmt::format("batch={}: the trace does not say how times follow the batch, so layer "
                       "times are those of batch {}; give step_time too",
                       scenario.workload.batch, profiled)}};
}

void drop_notes_of_single_rows(std::vector<Forecast>& forecasts) {
  const std::vector<Forecast> all = forecasts;
  const auto is_common = [&](const Note& note) {
    return std::ranges::all_of(all, [&](const Forecast& forecast) {
      return std::ranges::find(forecast.notes, note) != forecast.notes.end();
    });
  };
  for (Forecast& forecast : forecasts) {
    std::erase_if(forecast.notes, [&](const Note& note) {
      return note.kind == NoteKind::Setting && !is_common(note);
    });
  }
}

namespace {

Notes notes_on_inputs(const Scenario& scenario, const Cluster& cluster) {
  Notes notes = notes_on_batch(scenario);
  std::ranges::move(size_notes(scenario.original_cluster, cluster), std::back_inserter(notes));
  return notes;
}

}  // namespace

Notes notes_before_simulation(const Scenario& scenario, const ScheduledJob& job,
                              const PlannedRun& run) {
  Notes notes = notes_of(job, run);
  std::ranges::move(notes_on_inputs(scenario, job.cluster), std::back_inserter(notes));
  return notes;
}

Notes notes_before_simulation(const Scenario& scenario, const ScheduledJob& job) {
  return schedule_of(job.schedule).asynchronous
             ? notes_on_inputs(scenario, job.cluster)
             : notes_before_simulation(scenario, job, planned(job));
}

void add_likely_range(Forecast& forecast, const Cluster& cluster, std::optional<bool> experts) {
  LikelyStep likely = likely_step(
      shipped_range(forecast.schedule, forecast.device, cluster, experts), forecast.iteration_time);
  forecast.likely_low = likely.low;
  forecast.likely_high = likely.high;
  forecast.error_basis = std::move(likely.basis);
}

std::optional<bool> experts_in(const Workload& workload) {
  return workload.transformer ? std::optional(workload.transformer->shape.has_experts())
                              : std::nullopt;
}

LikelyStep likely_step_of(const Forecast& forecast) {
  return {.low = forecast.likely_low, .high = forecast.likely_high, .basis = forecast.error_basis};
}

void add_cheap_notes(Forecast& forecast, const Scenario& scenario) {
  add_likely_range(forecast, scenario.cluster, experts_in(scenario.workload));
  for (const SlowDown::Law& law : scenario.engine.slow_down.laws)
    if (const auto* recorded = std::get_if<SlowDown::Recorded>(&law))
      forecast.notes.push_back({NoteKind::Workload, "slow",
                                fmt::format("Drawn with replacement: {}.", recorded->origin)});
  std::ranges::move(notes_on_inputs(scenario, scenario.cluster),
                    std::back_inserter(forecast.notes));
}

void add_notes(Forecast& forecast, const Scenario& scenario) {
  // Each comparison would take all seeds.
  if (scenario.engine.slow_down.is_chance() || forecast.protocol.iterations_per_s > 0)
    return add_cheap_notes(forecast, scenario);
  if (forecast.stages.empty())  // else each stage has gaps of its own
    add_host_bound(forecast, scenario);
  add_cheap_notes(forecast, scenario);
  std::ranges::move(changes_without_effect(scenario, forecast.schedule, forecast.iteration_time),
                    std::back_inserter(forecast.notes));
}

}  // namespace stepcast
