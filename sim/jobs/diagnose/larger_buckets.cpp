#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "models/base/error.hpp"
#include "models/collective/collective.hpp"
#include "sim/jobs/diagnose/diagnosis_parts.hpp"
#include "sim/jobs/edits/job_steps.hpp"
#include "sim/jobs/edits/recipes.hpp"

namespace stepcast {
namespace {

/// The step with buckets that close at a size; none: nothing is fused, or would wait for itself.
std::optional<Seconds> step_with(Bytes size, const EditableStep& step) try {
  const EditRequest request =
      edit_request_of("bucket-size", {{"size", fmt::format("{:.0f}B", size.value)}});
  return step.time(edited(step.graphs, request, step)).step;
} catch (const InputError&) {
  return std::nullopt;
}

}  // namespace

std::optional<LargerBuckets> larger_buckets(const Job& job) {
  std::set<Bytes> sizes;
  for (const JobKind& kind : job.kinds)
    if (kind.purpose == JobPurpose::Sum && kind.size > Bytes{} &&
        kind.part == name_of(CollectiveKind::AllReduce))
      sizes.insert(kind.size);
  if (sizes.size() < 2 || missing_ranks(job).any())
    return std::nullopt;
  const EditableStep step = editable_steps(job).step;
  const WorkGraph& graph = step.graphs.front();
  Bytes all{};  // That a rank sends.
  for (const WorkNode& node : graph.nodes)
    if (node.communicates && node.rank == graph.nodes.front().rank)
      all += node.size;
  std::optional<LargerBuckets> best;
  const Seconds now = step.time(step.graphs).step;
  for (Bytes size = 2 * *sizes.rbegin(); size < 2 * all; size = 2 * size)
    if (const auto then = step_with(size, step); then && (!best || *then < best->step))
      best = {.size = size, .now = now, .step = *then};
  return best;
}

}  // namespace stepcast
