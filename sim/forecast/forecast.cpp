#include "sim/forecast/forecast.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <span>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/fields.hpp"
#include "models/base/text.hpp"
#include "sim/forecast/forecast_notes.hpp"
#include "sim/forecast/network_notes.hpp"
#include "sim/forecast/time_alone.hpp"
#include "sim/timeline/critical_path.hpp"
#include "sim/timeline/why.hpp"

namespace stepcast {

namespace {

Forecast identify(const Workload& workload, const Cluster& cluster, const Plan& plan,
                  const ScheduleOptions& options, Fidelity fidelity) {
  return {.workload = workload.name,
          .cluster = cluster.name,
          .schedule = plan.schedule,
          .options = options,
          .device = workload.device,
          .batch = workload.batch,
          .nodes = cluster.nodes,
          .gpus_per_node = cluster.gpus_per_node,
          .gpus = cluster.ranks(),
          .workers = plan.summary.workers,
          .passes = plan.summary.passes,
          .steps = steps_of(plan),
          .is_bound = plan.summary.bound,
          .fidelity = fidelity,
          .memory = plan.memory,
          .device_memory = cluster.device.memory,
          .notes = notes_of(plan, workload, cluster, fidelity),
          .workload_provenance = workload.provenance,
          .cluster_provenance = cluster.provenance};
}

void add_times(Forecast& forecast, const Workload& workload, const Cluster& cluster,
               const Plan& plan, const Timeline& timeline) {
  forecast.iteration_time = timeline.mean_iteration_time() / forecast.steps;
  forecast.worst_iteration_time = timeline.worst_iteration_time;
  forecast.steady = timeline.steady;
  forecast.iterations_simulated = timeline.iterations;
  forecast.engine = timeline.engine;
  if (timeline.iteration_time <= Seconds{})
    return;
  forecast.throughput = plan.summary.samples / forecast.iteration_time.value;
  forecast.scaling_efficiency = time_alone(workload, cluster, plan) / forecast.iteration_time;
}

// Times so far are those of whole periods, but for those of a step.
void add_steps(Forecast& forecast) {
  if (forecast.steps == 1)
    return;
  scale(forecast.breakdown, 1.0 / forecast.steps);
  scale(forecast.communication, 1.0 / forecast.steps);
  forecast.fastest_waiting = forecast.fastest_waiting / forecast.steps;
  forecast.sent_per_gpu = forecast.sent_per_gpu / forecast.steps;
  for (LinkLoad& link : forecast.links)
    link.bytes = link.bytes / forecast.steps;
  forecast.notes.push_back(
      {NoteKind::Scope, "iterations",
       fmt::format("A period of {} training steps: times are means of a step, the longest takes "
                   "{}; the critical path and its shares are those of the period.",
                   forecast.steps, format_seconds(forecast.worst_iteration_time))});
}

SeedSpread of_one_step(SeedSpread spread, std::uint32_t steps) {
  spread.mean = spread.mean / steps;
  for (SeedQuantile* quantile : {&spread.p50, &spread.p95})
    *quantile = {quantile->value / steps, quantile->low / steps, quantile->high / steps};
  return spread;
}

// What the phases of a cycle move on most clusters; beyond it the mean alone would mislead.
constexpr double kNotedSpread = 0.02;

void add_steadiness_notes(Forecast& forecast) {
  if (forecast.spread.seeds > 0) {
    forecast.notes.push_back(note_on(forecast.spread));
    return;
  }
  if (forecast.steps > 1 && forecast.steady)
    return;
  if (!forecast.steady)
    forecast.notes.push_back(
        {NoteKind::Scope, "iterations",
         fmt::format("No steady state in {} iterations: the iteration time is a mean, and its "
                     "parts are those of the last iteration.",
                     forecast.iterations_simulated)});
  else if (forecast.worst_iteration_time > forecast.iteration_time * (1 + kNotedSpread))
    forecast.notes.push_back(
        {NoteKind::Scope, "iterations",
         fmt::format("Iterations differ; this is their mean, and the longest takes {}.",
                     format_seconds(forecast.worst_iteration_time))});
}

/// Says whose fault it is, right after the bottleneck.
void add_straggler(Forecast& forecast, const Timeline& timeline, const RankClass& slowest,
                   Seconds fastest_waiting) {
  forecast.fastest_waiting = fastest_waiting;
  std::string sentence = fmt::format("The slowest: {}", forecast.slowest_ranks);
  if (slowest.compute_scale != 1)
    sentence += fmt::format(", computing {:.4g} times as long as profiled", slowest.compute_scale);
  if (fastest_waiting > Seconds{})
    sentence += fmt::format("; the fastest wait {} ({:.1f} % of the step) for slower ranks",
                            format_seconds(fastest_waiting),
                            100 * (fastest_waiting / timeline.iteration_time));
  sentence += ".";
  if (!forecast.why.empty())
    forecast.why.insert(forecast.why.begin() + 1, std::move(sentence));
}

/// The length from which on a stretch of the path is told by itself. Of many as long as each other
/// in steps that repeat none is: which of them was told would be for rounding to say.
Seconds least_told(const std::vector<PathSegment>& path, bool repeats) {
  constexpr std::size_t kMostTold = 24;
  constexpr double kRounding = 1e-9;
  std::vector<Seconds> lengths;
  for (const PathSegment& segment : path)
    lengths.push_back(segment.end - segment.begin);
  if (lengths.size() <= kMostTold)
    return {};
  std::ranges::nth_element(lengths, lengths.begin() + kMostTold - 1, std::ranges::greater{});
  const Seconds last = lengths[kMostTold - 1];
  if (!repeats)
    return last;
  const auto as_long = std::ranges::count_if(
      lengths, [&](Seconds length) { return length >= last * (1 - kRounding); });
  return last * (as_long > static_cast<std::ptrdiff_t>(kMostTold) ? 1 + kRounding : 1 - kRounding);
}

/// Every stretch of the path in order of time: the longest by themselves, shorter neighbours
/// together, so that nothing is missing from the sum.
std::vector<PathEntry> path_in_words(const Plan& plan, const std::vector<PathSegment>& path) {
  const Seconds least = least_told(path, steps_of(plan) > 1);
  std::vector<PathEntry> entries;
  for (std::size_t i = 0, first = 0; i < path.size(); first = i) {
    while (i < path.size() && path[i].end - path[i].begin < least)
      ++i;
    if (i == first)
      ++i;
    const Seconds begin = path[first].begin;
    const std::string what = i - first == 1
                                 ? describe(plan, path[first])
                                 : describe(plan, std::span(path).subspan(first, i - first));
    entries.push_back({what, begin, path[i - 1].end - begin});
  }
  return entries;
}

/// What an iteration takes on average beyond the one that is told.
void add_mean_excess(Forecast& forecast, const Timeline& timeline) {
  if (timeline.mean_excess <= timeline.iteration_time * 1e-9)
    return;
  forecast.breakdown.idle += timeline.mean_excess;
  forecast.critical_path.push_back({forecast.spread.seeds > 0
                                        ? "more on average, in other iterations and seeds"
                                        : "more on average, in other phases of the cycle",
                                    timeline.iteration_time, timeline.mean_excess});
}

/// Where the time of the slowest ranks goes, and why.
void add_explanation(Forecast& forecast, const Plan& plan, const Cluster& cluster,
                     const Timeline& timeline, const Extremes& extremes) {
  const std::vector<Seconds> latest_ready = latest_ready_of(plan, timeline);
  const Window window = window_of(plan, timeline, extremes.slowest, latest_ready);
  forecast.slowest_ranks = ranks_of(timeline, extremes.as_slow);
  forecast.breakdown = breakdown_of(plan, window);
  forecast.communication = communication_of(plan, window);

  const std::vector<PathSegment> path = critical_path_of(plan, cluster, timeline, extremes.slowest);
  forecast.why = explain(plan, timeline, window, path);
  const bool only_stages_differ =
      plan.summary.stages > 1 && timeline.classes[extremes.fastest].compute_scale ==
                                     timeline.classes[extremes.slowest].compute_scale;
  if (extremes.fastest != extremes.slowest && !only_stages_differ) {
    const Window of_fastest = window_of(plan, timeline, extremes.fastest, latest_ready);
    add_straggler(forecast, timeline, timeline.classes[extremes.slowest],
                  breakdown_of(plan, of_fastest).waiting);
  }
  forecast.critical_path = path_in_words(plan, path);
  add_mean_excess(forecast, timeline);
}

/// Nothing that reports print may be infinite or no number: sums can be, of numbers that are none.
void check_finite(const Forecast& forecast) {
  bool finite = true;
  for_each_leaf(forecast, [&]<class Leaf>(const Leaf& leaf) {
    if constexpr (std::is_floating_point_v<Leaf>)
      finite = finite && std::isfinite(leaf);
  });
  if (!finite)
    throw SimulationError(
        fmt::format("{} of {} on {}: the forecast is beyond what numbers hold; "
                    "some quantity is implausibly large or small",
                    forecast.schedule, forecast.workload, forecast.cluster));
}

void add_traffic(Forecast& forecast, const Plan& plan, const Cluster& cluster,
                 const Timeline& timeline) {
  forecast.sent_per_gpu = sent_per_gpu(plan, cluster);
  forecast.links = link_loads_of(plan, cluster, timeline.mean_iteration_time());
  std::ranges::move(overload_notes(forecast.links, cluster, forecast.fidelity),
                    std::back_inserter(forecast.notes));
}

}  // namespace

Forecast make_forecast(const Workload& workload, const Cluster& cluster, const Plan& plan,
                       const ScheduleOptions& options, Fidelity fidelity, const Timeline& timeline,
                       const SeedSpread& spread) {
  Forecast forecast = identify(workload, cluster, plan, options, fidelity);
  forecast.spread = of_one_step(spread, forecast.steps);
  add_times(forecast, workload, cluster, plan, timeline);
  add_steadiness_notes(forecast);

  const Extremes extremes = extremes_of(plan, timeline);
  add_explanation(forecast, plan, cluster, timeline, extremes);
  add_traffic(forecast, plan, cluster, timeline);
  add_steps(forecast);
  check_finite(forecast);
  return forecast;
}

double speedup_of(const Forecast& forecast, const Forecast& baseline) {
  return baseline.throughput > 0 ? forecast.throughput / baseline.throughput : 0;
}

}  // namespace stepcast
