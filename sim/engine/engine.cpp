#include "sim/engine/engine.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "models/base/enum_name.hpp"
#include "models/base/error.hpp"
#include "models/base/ranges.hpp"
#include "sim/engine/folding/folding_use.hpp"
#include "sim/engine/log.hpp"
#include "sim/engine/replayer.hpp"
#include "sim/engine/steps.hpp"

namespace stepcast {

namespace {

/// Beyond these the clock would not tell one event from the next, or lose a sum altogether.
void check_magnitude(const Plan& plan) {
  Seconds work;
  for (const Task& task : plan.graph.tasks())
    work += task.duration;
  if (!(work <= kLongestWork))
    throw InputError(
        fmt::format("{}: the tasks of an iteration take {:.4g} s in all, more than "
                    "the {:.0e} s that are simulated",
                    plan.schedule, work.value, kLongestWork.value));
  for (const PlannedCollective& planned : plan.collectives)
    if (!kSizeRange.contains(planned.collective.size.value) ||
        !kTimeRange.contains(planned.overhead.value))
      throw InputError(
          fmt::format("{}: a collective of {:.4g} B with {:.4g} s of software: "
                      "expected {} and {}",
                      plan.schedule, planned.collective.size.value, planned.overhead.value,
                      kSizeRange.words, kTimeRange.words));
}

void check_result(const Plan& plan, const Timeline& timeline) {
  if (const Seconds time = timeline.mean_iteration_time(); !(time <= kLongestWork))
    throw InputError(
        fmt::format("{}: an iteration takes {:.4g} s, more than the {:.0e} s that are "
                    "simulated",
                    plan.schedule, time.value, kLongestWork.value));
}

void count_flows(const EngineOptions& options, const Folding& folding) {
  if (options.fidelity != Fidelity::Flow || !options.fold)
    return;
  ++folding_use().simulations;
  if (folding.section || !folding.role_of_node.empty())
    ++folding_use().folded;
}

void tell_section(const Plan& plan, const Cluster& cluster, const Folding& folding) {
  if (!log::shows_debug())
    return;
  const NetworkSection section =
      folding.section.value_or(NetworkSection{cluster.nodes, cluster.gpus_per_node});
  log::debug(fmt::format("{} on {}: flows of {} x {} of {} x {} GPUs", plan.schedule, cluster.name,
                         section.nodes, section.gpus, cluster.nodes, cluster.gpus_per_node));
}

// An assumed folding that does not hold has cost the simulation up to there.
std::optional<Timeline> tried(const Plan& plan, const Cluster& cluster,
                              const EngineOptions& options, Asked asked,
                              std::optional<Folding> assumed) {
  if (!assumed)
    return std::nullopt;
  try {
    return Replayer(plan, cluster, options, *std::move(assumed), asked).run();
  } catch (const FoldingRefuted&) {  // which is nobody's fault
    folding_use().refuted += options.fidelity == Fidelity::Flow ? 1 : 0;
    log::debug(fmt::format("{} on {}: ranks assumed to be alike are not, it begins again",
                           plan.schedule, cluster.name));
    return std::nullopt;
  }
}

Timeline replayed(const Plan& plan, const Cluster& cluster, const EngineOptions& options,
                  Asked asked) {
  if (auto timeline =
          tried(plan, cluster, options, asked, folding_with_barriers(plan, cluster, options)))
    return *std::move(timeline);
  Folding exact = fold_ranks(plan, cluster, options);
  count_flows(options, exact);
  if (options.fidelity == Fidelity::Flow && exact.role_of_node.empty())
    tell_section(plan, cluster, exact);
  if (auto timeline =
          tried(plan, cluster, options, asked, assumed_folding(plan, cluster, options, exact)))
    return *std::move(timeline);
  return Replayer(plan, cluster, options, std::move(exact), asked).run();
}

Timeline simulated(const Plan& plan, const Cluster& cluster, const EngineOptions& options,
                   Asked asked) {
  if (plan.graph.size() == 0)
    throw InputError(plan.schedule + ": the plan has no tasks");
  check_magnitude(plan);
  Timeline timeline = replayed(plan, cluster, options, asked);
  check_result(plan, timeline);
  if (log::shows_debug())
    log::debug(fmt::format("{} on {}, {}: {} ranks in {} classes, {} tasks, {} after {} iterations",
                           plan.schedule, cluster.name, name_of(options.fidelity), cluster.ranks(),
                           timeline.classes.size(), plan.graph.size(),
                           timeline.steady ? "steady" : "not steady", timeline.iterations));
  return timeline;
}

}  // namespace

Timeline simulate(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  return simulated(plan, cluster, options, Asked::Intervals);
}

// Nobody is told what carried them, and loading SimGrid would cost more than most of them.
Timeline simulate_times(const Plan& plan, const Cluster& cluster, const EngineOptions& options) {
  EngineOptions on_own_clock = options;
  if (options.engine == EventEngine::Auto)
    on_own_clock.engine = EventEngine::Own;
  return simulated(plan, cluster, on_own_clock, Asked::Times);
}

bool uses_simgrid(EventEngine engine, Fidelity fidelity, std::uint32_t ranks) {
  constexpr std::uint32_t kMost = 1000;
  if (engine == EventEngine::Own || fidelity == Fidelity::Analytic)
    return false;
  return engine == EventEngine::SimGrid || (fidelity == Fidelity::Flow && ranks <= kMost);
}

const char* name_of(Fidelity fidelity) {
  return name_among({"analytic", "flow", "step"}, fidelity);
}

const char* name_of(EventEngine engine) {
  return name_among({"own", "simgrid", "auto"}, engine);
}

}  // namespace stepcast
