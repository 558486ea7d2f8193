#include "sim/study/sweep/scaling.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/numbers.hpp"
#include "models/schedule/list/registry.hpp"
#include "sim/forecast/effects.hpp"
#include "sim/forecast/step_forecast.hpp"
#include "sim/workers/stop.hpp"

namespace stepcast {
namespace {

/// What is told of one size of one curve.
struct Size {
  Seconds step{};
  Seconds low{};
  Seconds high{};
  std::string basis;
  Notes notes;
  Notes idle_settings;  ///< Those without effect.
};

auto fields_of(Is<Size> auto& size) {
  auto& [step, low, high, basis, notes, idle_settings] = size;
  return std::tie(step, low, high, basis, notes, idle_settings);
}

Size simulate_size(const Scenario& scenario, const std::string& schedule) {
  StepForecast step = step_forecast(scenario, schedule);
  Size size{.step = step.time,
            .low = step.likely.low,
            .high = step.likely.high,
            .basis = std::move(step.likely.basis),
            .notes = std::move(step.notes),
            .idle_settings = {}};
  if (!schedule_of(schedule).asynchronous)
    size.idle_settings = changes_without_effect(scenario, schedule, size.step);
  return size;
}

/// More nodes than a cluster has are forecast only where the user asks for them.
std::vector<std::uint32_t> usual_nodes(const SweepRequest& request) {
  std::vector<std::uint32_t> nodes{1, 2, 4, 8, 16};
  const Sweep sweep = plan_sweep(request);
  for (const Combination& combination : sweep.combinations) {
    const std::uint32_t most = scenario_of(sweep, combination).cluster.nodes;
    std::erase_if(nodes, [most](std::uint32_t count) { return count > most; });
  }
  return nodes;
}

void check_nodes(const Sweep& sweep) {
  std::uint32_t gpus_per_node = 0;
  for (const Combination& combination : sweep.combinations) {
    const Cluster cluster = scenario_of(sweep, combination).cluster;
    if (gpus_per_node == 0)
      gpus_per_node = cluster.gpus_per_node;
    if (gpus_per_node != cluster.gpus_per_node)
      throw InputError(
          fmt::format("`clusters`: expected as many GPUs in every node, found {} of {} and {}",
                      cluster.name, cluster.gpus_per_node, gpus_per_node));
  }
}

/// Of the settings those that changed nothing in any size; of those that are not the schedule's
/// own, in any curve. That an option does not matter to one GPU is no news.
bool is_common(const Note& note, const std::vector<Found<Size>>& sizes, const Sweep& sweep,
               const std::string& schedule) {
  const bool of_all = note.kind == NoteKind::Setting;
  return std::ranges::all_of(sizes, [&](const Found<Size>& size) {
    const bool asked = of_all || sweep.combinations[size.combination].schedule == schedule;
    return !asked || std::ranges::count(size.result.idle_settings, note) > 0;
  });
}

/// A curve has no holes: of each cluster the sizes before the first that is missing.
std::vector<Found<Size>> without_gaps(std::vector<Found<Size>> sizes, const Sweep& sweep) {
  std::vector<Found<Size>> kept;
  for (Found<Size>& size : sizes) {
    const std::uint32_t number = size.combination;
    const bool is_first = number == 0 || sweep.combinations[number - 1].scenario !=
                                             sweep.combinations[number].scenario;
    if (is_first || (!kept.empty() && kept.back().combination + 1 == number))
      kept.push_back(std::move(size));
  }
  if (kept.empty())
    throw Stopped(stop_signal());
  return kept;
}

ScalingPoint point_of(const Sweep& sweep, std::uint32_t number, const Size& size) {
  const Combination& combination = sweep.combinations[number];
  const Cluster cluster = scenario_of(sweep, combination).cluster;
  return {.cluster = cluster.name,
          .schedule = combination.schedule,
          .size = {.nodes = cluster.nodes, .gpus_per_node = cluster.gpus_per_node},
          .step = size.step,
          .low = size.low,
          .high = size.high};
}

ScalingCurve& curve_of(Scaling& scaling, const std::string& cluster, const std::string& schedule) {
  const auto known = std::ranges::find_if(scaling.curves, [&](const ScalingCurve& curve) {
    return curve.cluster == cluster && curve.schedule == schedule;
  });
  if (known != scaling.curves.end())
    return *known;
  scaling.curves.push_back({.cluster = cluster, .schedule = schedule});
  return scaling.curves.back();
}

}  // namespace

Sweep plan_scaling(SweepRequest request, std::vector<std::uint32_t> nodes) {
  request.second_order = true;
  if (nodes.empty())
    nodes = usual_nodes(request);
  SweepAxis axis{.name = "nodes", .values = {}};
  for (const std::uint32_t count : nodes)
    axis.values.push_back(std::to_string(count));
  const auto settings = std::ranges::find_if(request.axes, [](const SweepAxis& each) {
    return each.name != "workload" && each.name != "cluster";
  });
  request.axes.insert(settings, std::move(axis));
  Sweep sweep = plan_sweep(request);
  if (std::ranges::find(request.axes, "gpus_per_node", &SweepAxis::name) == request.axes.end())
    check_nodes(sweep);
  return sweep;
}

Scaling find_scaling(const Sweep& sweep, StudyRules rules,
                     const std::function<void(std::uint32_t, const ScalingPoint&)>& came) {
  rules.keeps_whole_jobs = true;
  if (came)
    rules.came = [&](std::uint32_t number, const std::string& bytes) {
      came(number, point_of(sweep, number, from_bytes<Size>(bytes)));
    };
  const auto simulate_one = [&](std::uint32_t number) {
    const Combination& each = sweep.combinations[number];
    return simulate_size(scenario_of(sweep, each), each.schedule);
  };
  const std::vector<Found<Size>> sizes =
      without_gaps(find_each<Size>(sweep, rules, simulate_one), sweep);
  Scaling scaling{.workload = sweep.scenarios.front().workload.name,
                  .fidelity = sweep.scenarios.front().engine.fidelity};
  std::vector<NotedForecast> noted;
  for (const Found<Size>& found : sizes) {
    const ScalingPoint point = point_of(sweep, found.combination, found.result);
    ScalingCurve& curve = curve_of(scaling, point.cluster, point.schedule);
    curve.steps.push_back(point.step);
    curve.lows.push_back(point.low);
    curve.highs.push_back(point.high);
    curve.bases.push_back(found.result.basis);
    if (std::ranges::find(scaling.sizes, point.size) == scaling.sizes.end())
      scaling.sizes.push_back(point.size);
    noted.push_back({{point.cluster, point.schedule,
                      fmt::format("{} of {}", gpus_in_words(point.size.gpus()), point.cluster)},
                     found.result.notes});
    for (const Note& note : found.result.idle_settings)
      if (is_common(note, sizes, sweep, point.schedule))
        noted.back().notes.push_back(note);
  }
  scaling.notes = shared_notes_of(noted);
  return scaling;
}

}  // namespace stepcast
