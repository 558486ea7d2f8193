#include "sim/search/options/memory_fit.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/base/text.hpp"
#include "models/schedule/accumulation.hpp"
#include "models/schedule/period.hpp"
#include "sim/engine/steps.hpp"
#include "sim/jobs/edits/replicated_step.hpp"

namespace stepcast {
namespace {

Seconds time_of(const FoundJob& found, const ScheduledJob& job) {
  return step_time_of(found.run.plan, job.cluster, job.engine);
}

Seconds time_with(const EditRequest& request, const FoundJob& found, const ScheduledJob& job) {
  const EditableStep step = editable_step(found.run, job.workload, job.cluster);
  return step.time(edited(step.graphs, request, step)).step;
}

/// Fewest passes that fit; none: not even 64 do.
std::optional<FoundJob> accumulated(const ScheduledJob& job, Bytes budget) {
  constexpr std::uint32_t kMostPasses = 64;
  if (job.options.contains(kAccumulation))
    return std::nullopt;
  for (std::uint32_t passes = 2; passes <= kMostPasses; passes *= 2) {
    if (job.workload.batch % passes != 0)
      return std::nullopt;
    Workload pass = with_batch(job.workload, job.workload.batch / passes);
    ScheduleOptions options = job.options;
    options[kAccumulation] = std::to_string(passes);
    FoundJob divided =
        found_with({pass, job.cluster, job.schedule, {}, job.engine, job.chance}, options);
    if (divided.memory > budget)
      continue;
    divided.pass = std::move(pass);
    return divided;
  }
  return std::nullopt;
}

}  // namespace

ScheduledJob FoundJob::applied_to(const ScheduledJob& job) const {
  return {pass ? *pass : job.workload, job.cluster, job.schedule, options, job.engine, job.chance};
}

FoundJob found_with(ScheduledJob job, const ScheduleOptions& options) {
  job.options = options;
  FoundJob found{.options = options, .run = planned(job)};
  found.run.plan = unrolled(std::move(found.run.plan));
  found.before = found.memory = found.run.plan.memory.total();
  return found;
}

Bytes recomputed_activations(const Workload& workload) {
  const std::size_t layers = workload.layers.size();
  const auto stretch = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(layers))));
  Bytes kept{};
  Bytes largest{};
  for (std::size_t first = 0; first < layers; first += stretch) {
    const std::size_t last = std::min(layers, first + stretch) - 1;
    Bytes of_stretch{};
    for (std::size_t layer = first; layer <= last; ++layer)
      of_stretch += workload.layers[layer].activation;
    kept += workload.layers[last].activation;
    largest = std::max(largest, of_stretch);
  }
  return kept + largest;
}

FoundJob fitted_job(const ScheduledJob& job, Bytes budget) {
  FoundJob found = found_with(job, job.options);
  const Bytes before = found.memory;
  if (!(budget > Bytes{}) || before <= budget)
    return found;
  const Seconds step = time_of(found, job);
  const Bytes recomputed =
      before - found.run.plan.memory.activations + recomputed_activations(job.workload);
  const EditRequest again = edit_request_of("recomputation", {});
  std::optional<FoundJob> smaller = accumulated(job, budget);
  std::string change = "recomputation in stretches of layers";
  if (recomputed <= budget &&
      (!smaller || time_with(again, found, job) <= time_of(*smaller, job))) {
    found.edits = {again};
    found.memory = recomputed;
  } else if (smaller) {
    found = *std::move(smaller);
    found.before = before;
    change = fmt::format("accumulation over {} passes of batch {}", found.options.at(kAccumulation),
                         found.pass->batch);
  } else {
    throw InputError(fmt::format(
        "`memory`: {} is not enough: {} as it is, {} with recomputation, and no division of the "
        "batch fits",
        format_bytes(budget), format_bytes(before), format_bytes(recomputed)));
  }
  found.notes.push_back(fmt::format("{} instead of {} a GPU by {}; the step took {} before",
                                    format_bytes(found.memory), format_bytes(before), change,
                                    format_seconds(step)));
  return found;
}

}  // namespace stepcast
